#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/compute/execution.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/ranking.h"

namespace spuna::algorithms {

/// How far out a row may be before it would outweigh others. Values far beyond those of trusted
/// rows, and rows far beyond them as a whole, are clipped to these limits before anything is
/// summed over them: a broken row then changes the fate of no other.
struct RowLimits {
  /// What every column is multiplied by first, a power of two; empty where all are in units alike.
  std::vector<float> units;
  /// Of every column: the median of the trusted rows, and how far from it the outermost half
  /// percent of them begins.
  std::vector<float> center;
  std::vector<float> spread;
  /// How long a row may be, in spreads from the center.
  double largest_norm = 0;

  bool empty() const { return center.empty(); }

  /// Puts the columns of rows in units alike, in place, and back: both are exact.
  void ToUnits(float* rows, std::size_t num_rows) const;
  void FromUnits(float* rows, std::size_t num_rows) const;

  /// The rows, in units alike, that lie beyond, ascending.
  RowNumbers RowsBeyond(const EmbeddingsView& rows, const Execution& execution) const;

  /// How many rows, as they are, lie beyond, and how many of them by ten times and more.
  struct Counts {
    std::size_t beyond = 0;
    std::size_t broken = 0;
  };
  Counts CountBeyond(const EmbeddingsView& rows, const Execution& execution) const;

  /// Clips some rows of a matrix in units alike, in place.
  void Clip(float* matrix, const RowNumbers& rows, const Execution& execution) const;

  /// Rows as they are taken by what was fitted: themselves where nothing is to be done, else a
  /// copy, kept in `copy`, in units alike and with those that lie beyond clipped.
  EmbeddingsView Clipped(const EmbeddingsView& rows, Matrix& copy,
                         const Execution& execution) const;
};

/// The limits that trusted rows set: seven spreads a column, and one and a half times the length
/// that one in a hundred of them exceeds. A column in which nearly all are equal gets the spread
/// that columns have. One whose spread is 64 times that, or a 64th, is in other units.
RowLimits FitRowLimits(const EmbeddingsView& trusted);

}  // namespace spuna::algorithms
