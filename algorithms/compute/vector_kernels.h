#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace spuna::algorithms {

/// Rows that may be among the nearest of a query: a list in three arrays of equal length.
struct CandidateArrays {
  /// The ends of an interval that holds the squared distance. The upper ends are kept as the bits
  /// of non-negative floats, which are ordered as the floats are.
  float* lower;
  std::uint32_t* upper_bits;
  std::uint32_t* row;
};

/// What the rounding of a product can be off by: `relative` of the two squared norms, and
/// `absolute`.
struct ProductError {
  float relative;
  float absolute;
};

/// The numbers of a step of Adam.
struct AdamStep {
  float mean_part;
  float square_part;
  float rate;
  float shrink;
  float smallest;
};

/// What rows are put in spreads by: (row - center) * inverse, within ±`largest`.
struct RowSpreads {
  const float* center;
  const float* inverse;
  float largest;
  std::size_t dimension;
};

/// The inner loops that want wide registers, one table for each instruction set. All tables are
/// compiled from the same source (vector_kernels_internal.h) without contracting or reordering any
/// sum, so they give the same bits.
struct VectorKernels {
  const char* instruction_set;

  /// The squared Euclidean distances from `query` to some rows, summed in float64.
  void (*squared_distances)(const float* query, const float* const* rows, std::size_t num_rows,
                            std::size_t dimension, double* distances);

  /// The sum of squares, in float64.
  double (*squared_norm)(const float* row, std::size_t dimension);

  /// Writes row * scale - center.
  void (*center)(const float* row, const float* center, float scale, std::size_t dimension,
                 float* centered);

  /// Writes (row - mean) * inverse, clamped to ±largest.
  void (*standardize)(const float* row, const double* mean, const double* inverse, double largest,
                      std::size_t dimension, float* standardized);

  /// Appends the rows first, first + 1, … whose interval around
  /// `query_norm + bank_norms[j] + products[j]` reaches down to `limit`, in order. Returns the new
  /// length of the list, which must have room for `count` + 16 more.
  std::size_t (*append_near)(const float* products, const float* bank_norms, std::size_t count,
                             std::uint32_t first, float query_norm, ProductError error, float limit,
                             const CandidateArrays& list, std::size_t length);

  /// Drops the candidates whose interval begins beyond `limit`, in order. Returns the new length.
  std::size_t (*keep_near)(const CandidateArrays& list, std::size_t length, float limit);

  /// A number that at least `num_least` and, ties aside, at most `num_most` of the values do not
  /// exceed. There are at least `num_least` values.
  std::uint32_t (*select)(const std::uint32_t* values, std::size_t count, std::size_t num_least,
                          std::size_t num_most);

  /// One step of Adam: the moments move towards the gradient and its square by these parts, and
  /// parameter = parameter * shrink - rate * mean / (sqrt(square) + smallest).
  void (*adam_step)(const float* gradient, std::size_t count, const AdamStep& step, float* mean,
                    float* square, float* parameters);

  /// Adds weight * max(activation, 0) to every sum.
  void (*add_rectified)(const float* activations, float weight, std::size_t count, double* sums);

  /// The sum of squares of (row - center) * inverse, in float32 by lanes, and the largest of their
  /// sizes.
  double (*squared_norm_in_spreads)(const float* row, const float* center, const float* inverse,
                                    std::size_t dimension, float* largest);

  /// The products of some rows in spreads with the weights, in float32 by lanes.
  void (*products_in_spreads)(const float* const* rows, std::size_t num_rows,
                              const RowSpreads& spreads, const float* weights, float* products);

  /// Adds some rows in spreads, each times its factor, to the sums, one row after the other.
  void (*add_in_spreads)(const float* const* rows, std::size_t num_rows, const RowSpreads& spreads,
                         const float* factors, float* sums);
};

/// The widest that this CPU has.
const VectorKernels& Kernels();

/// All that this CPU has, the portable ones first.
std::span<const VectorKernels* const> AvailableKernels();

}  // namespace spuna::algorithms
