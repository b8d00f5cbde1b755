#include "pipelines/options/similar_name.h"

#include <algorithm>
#include <cstddef>

namespace spuna {
namespace {

// How many letters are added, left out, replaced or swapped with their neighbor (optimal string
// alignment).
std::size_t CountEdits(const std::string& from, const std::string& to) {
  std::vector<std::vector<std::size_t>> edits(from.size() + 1,
                                              std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 0; i <= from.size(); ++i) {
    for (std::size_t j = 0; j <= to.size(); ++j) {
      if (i == 0 || j == 0) {
        edits[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = edits[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      edits[i][j] = std::min({replaced, edits[i - 1][j] + 1, edits[i][j - 1] + 1});
      const bool is_swapped =
          i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (is_swapped) edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
    }
  }
  return edits[from.size()][to.size()];
}

}  // namespace

std::string SimilarName(const std::string& mistyped, const std::vector<std::string>& names) {
  std::string similar;
  std::size_t fewest = mistyped.size() / 3 + 1;
  for (const std::string& name : names) {
    if (name.size() > 2 * mistyped.size() + 2) continue;
    const std::size_t edits = CountEdits(mistyped, name);
    // Of a name of two letters nothing would be left.
    if (edits >= name.size() || edits > fewest || (edits == fewest && !similar.empty())) continue;
    similar = name;
    fewest = edits;
  }
  return similar;
}

}  // namespace spuna
