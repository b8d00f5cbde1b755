#include "tests/support/random_rows.h"

#include <algorithm>

#include "algorithms/rows/seeded_random.h"

namespace spuna::test {

Rows Matrix::rows() const {
  Rows result;
  for (std::size_t i = 0; i < num_rows; ++i) {
    result.emplace_back(view().row(i), view().row(i) + dimension);
  }
  return result;
}

Matrix RandomRows(std::size_t num_rows, std::size_t dimension, std::uint64_t seed, double mean,
                  double spread) {
  algorithms::SeededRandom random(seed);
  Matrix matrix{num_rows, dimension, std::vector<float>(num_rows * dimension)};
  for (float& value : matrix.values) value = static_cast<float>(mean + spread * random.Normal());
  return matrix;
}

Matrix HardRows(std::size_t num_rows, std::size_t dimension, std::uint64_t seed) {
  Matrix matrix = RandomRows(num_rows, dimension, seed);
  for (std::size_t i = 0; i < num_rows; ++i) {
    if (i % 7 == 3) std::copy_n(matrix.row(i - 1), dimension, matrix.row(i));
    if (i % 11 == 5) {
      for (std::size_t j = 0; j < dimension; ++j) matrix.row(i)[j] *= 100;
    }
    matrix.row(i)[0] = 3;
  }
  return matrix;
}

Matrix ShiftedPool(std::size_t num_rows, std::size_t dimension, std::uint64_t seed, double shift) {
  Matrix matrix = RandomRows(num_rows, dimension, seed);
  for (std::size_t i = 1; i < num_rows; i += 2) {
    for (std::size_t j = 0; j < dimension; ++j) matrix.row(i)[j] += static_cast<float>(shift);
  }
  return matrix;
}

}  // namespace spuna::test
