#include "algorithms/duplicate_rows.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace spuna::algorithms {
namespace {

// Equal rows have equal hashes: adding 0 turns -0 into 0.
std::size_t HashRow(const float* row, std::vector<float>& scratch) {
  std::transform(row, row + scratch.size(), scratch.begin(),
                 [](float value) { return value + 0.0F; });
  return std::hash<std::string_view>{}(
      {reinterpret_cast<const char*>(scratch.data()), scratch.size() * sizeof(float)});
}

}  // namespace

std::size_t CountRowsAlsoIn(const EmbeddingsView& rows, const EmbeddingsView& others) {
  std::vector<float> scratch(rows.dimension);
  std::unordered_multimap<std::size_t, std::size_t> by_hash;
  by_hash.reserve(rows.num_rows);
  for (std::size_t i = 0; i < rows.num_rows; ++i) by_hash.emplace(HashRow(rows.row(i), scratch), i);

  std::vector<bool> found(rows.num_rows);
  for (std::size_t i = 0; i < others.num_rows; ++i) {
    const float* const other = others.row(i);
    const auto [begin, end] = by_hash.equal_range(HashRow(other, scratch));
    for (auto it = begin; it != end; ++it) {
      if (!found[it->second]) {
        found[it->second] = std::equal(other, other + rows.dimension, rows.row(it->second));
      }
    }
  }
  return static_cast<std::size_t>(std::count(found.begin(), found.end(), true));
}

}  // namespace spuna::algorithms
