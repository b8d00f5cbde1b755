#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/compute/execution.h"
#include "algorithms/neighbors/nearest_distances.h"
#include "algorithms/neighbors/neighbor_index.h"
#include "algorithms/rows/embeddings_view.h"

namespace spuna::algorithms {

/// A part of a pool whose labels are expanded by many processes: rows without a label, their
/// numbers in the whole pool, and their distances to the banks so far.
///
/// Whoever leads the expansion (expansion.h says how it goes) ranks the scores of all parts, and
/// gives the rows that it labels to every part: to be merged, and to be removed where they lie. A
/// distance does not depend on where its rows lie, so the scores are, bit for bit, those of
/// ExpandLabels on the whole pool.
class ExpansionPartition {
 public:
  /// `numbers` are ascending, one for each row. Throws std::invalid_argument.
  ExpansionPartition(Matrix rows, std::vector<std::int64_t> numbers, std::size_t num_neighbors);

  std::size_t dimension() const { return rows_.dimension; }
  EmbeddingsView rows() const { return rows_.view(); }
  const std::vector<std::int64_t>& numbers() const { return numbers_; }

  /// Tells of rows that joined the bank of trusted and clean rows.
  void MergeClean(const EmbeddingsView& added, SearchKind search, const Execution& execution) {
    Merge(added, search, execution, to_clean_);
  }
  /// Tells of rows that joined the bank of shifted rows.
  void MergeShifted(const EmbeddingsView& added, SearchKind search, const Execution& execution) {
    Merge(added, search, execution, to_shifted_);
  }

  /// s_orig of every row: the distance to its nearest clean row.
  std::vector<double> SeedScores() const;
  /// s_t = d_N - d_P of every row.
  std::vector<double> RoundScores() const;

  /// Removes the rows with these numbers, ascending. Numbers of other parts are passed over.
  void Remove(std::span<const std::int64_t> numbers);

  /// All of it, for a process with the same byte order.
  std::string Serialize() const;
  /// Throws std::invalid_argument for what Serialize can't have written.
  static ExpansionPartition Parse(std::string_view bytes);

 private:
  void Merge(const EmbeddingsView& added, SearchKind search, const Execution& execution,
             NearestDistances& lists);

  Matrix rows_;
  std::vector<std::int64_t> numbers_;
  NearestDistances to_clean_;
  NearestDistances to_shifted_;
};

}  // namespace spuna::algorithms
