#include "algorithms/rows/folds.h"

#include <cstdint>

namespace spuna::algorithms {

Folds AssignFolds(std::size_t num_rows, std::size_t num_folds, SeededRandom& random) {
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
