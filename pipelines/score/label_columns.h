#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/expansion/expansion.h"

namespace spuna {

/// What the expansion says of the pool rows, as columns. May be asked from several threads.
class LabelColumns {
 public:
  /// The columns of some rows.
  struct Run {
    arrow::ArrayVector columns;
    /// The one of rounds.
    std::shared_ptr<arrow::Int32Array> round;
    /// Which of the rows are valid.
    std::shared_ptr<arrow::BooleanArray> valid;
  };

  /// Label, round and, where asked for, the score without classifier.
  static arrow::FieldVector Fields(const std::string& prefix, bool neighbor_scores);

  /// `expansion` and `neighbor_scores`, which may be null, are about the rows that were fitted;
  /// `fitted` has a byte for every row of the pool, and so has `valid`: whether its embedding is.
  LabelColumns(const algorithms::Expansion& expansion, const std::vector<std::uint8_t>& fitted,
               const std::vector<double>* neighbor_scores, const std::vector<std::uint8_t>& valid);
  /// The same where rows that were not fitted count as not valid.
  LabelColumns(const algorithms::Expansion& expansion, const std::vector<std::uint8_t>& fitted,
               const std::vector<double>* neighbor_scores)
      : LabelColumns(expansion, fitted, neighbor_scores, fitted) {}

  /// The columns of `count` pool rows from `first_row` on; `file` is where they come from.
  arrow::Result<Run> Rows(std::int64_t first_row, std::int64_t count,
                          const std::string& file) const;

 private:
  // One entry a pool row.
  std::vector<std::uint8_t> valid_;
  std::vector<algorithms::PseudoLabel> labels_;
  std::vector<std::int32_t> rounds_;
  // Not a number where there is none; empty without neighbor scores.
  std::vector<float> scores_;
  bool has_scores_;
};

/// The label of a row as the column has it; `label` must not be kNone.
const char* ToString(algorithms::PseudoLabel label);

/// Whether a column can hold labels: strings, dictionaries of them among these.
bool HoldsLabels(const arrow::DataType& type);

/// The labels of the pool's valid rows, read back from their column. `pool_valid` has a byte for
/// every row of the batches. `where` is what messages call the input.
arrow::Result<algorithms::Expansion> ReadLabels(const arrow::RecordBatchVector& batches,
                                                const std::string& column, const std::string& where,
                                                const std::vector<std::uint8_t>& pool_valid);

}  // namespace spuna
