#include "algorithms/rows/folds.h"

#include <algorithm>

#include "algorithms/rows/groups.h"

namespace spuna::algorithms {
namespace {

// Group after group, the largest first, goes to the fold with the fewest rows.
Folds AssignGroups(std::size_t num_rows, std::span<const std::uint32_t> groups,
                   std::size_t num_folds, SeededRandom& random) {
  std::vector<RowNumbers> by_group = RowsByGroup(groups, num_rows);
  random.Shuffle(by_group);
  std::ranges::stable_sort(by_group, std::ranges::greater(), &RowNumbers::size);
  Folds folds(num_rows);
  std::vector<std::size_t> sizes(num_folds);
  for (const RowNumbers& rows : by_group) {
    const auto smallest = std::ranges::min_element(sizes);
    *smallest += rows.size();
    for (const std::uint32_t row : rows) {
      folds[row] = static_cast<std::size_t>(smallest - sizes.begin());
    }
  }
  return folds;
}

}  // namespace

Folds AssignFolds(std::size_t num_rows, std::span<const std::uint32_t> groups,
                  std::size_t num_folds, SeededRandom& random) {
  if (!groups.empty()) return AssignGroups(num_rows, groups, num_folds, random);
  Folds folds(num_rows);
  for (std::size_t i = 0; i < num_rows; ++i) folds[i] = i % num_folds;
  random.Shuffle(folds);
  return folds;
}

RowNumbers RowsOf(std::size_t fold, const Folds& folds) {
  RowNumbers rows;
  for (std::size_t i = 0; i < folds.size(); ++i) {
    if (folds[i] == fold) rows.push_back(static_cast<std::uint32_t>(i));
  }
  return rows;
}

}  // namespace spuna::algorithms
