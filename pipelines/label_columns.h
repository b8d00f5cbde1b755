#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/expansion.h"

namespace spuna {

/// What the expansion says of the pool rows, as columns, a run of rows after the other.
class LabelColumns {
 public:
  /// The columns of some rows.
  struct Run {
    arrow::ArrayVector columns;
    /// Which of the rows are valid.
    std::shared_ptr<arrow::BooleanArray> valid;
  };

  /// Label, round and, where asked for, the score without classifier.
  static arrow::FieldVector Fields(const std::string& prefix, bool neighbor_scores);

  /// `expansion` and `neighbor_scores`, which may be null, are about the pool's valid rows;
  /// `pool_valid` has a byte for every row. `expansion` and `pool_valid` must outlive this.
  LabelColumns(const algorithms::Expansion& expansion, const std::vector<std::uint8_t>& pool_valid,
               const std::vector<double>* neighbor_scores);

  /// The columns of the next `count` pool rows, which come from `file`.
  arrow::Result<Run> Next(std::int64_t count, const std::string& file);

 private:
  const algorithms::Expansion& expansion_;
  const std::vector<std::uint8_t>& pool_valid_;
  bool has_scores_;
  std::vector<float> scores_;
  std::size_t next_row_ = 0;
  std::size_t next_valid_ = 0;
};

/// The label of a row as the column has it; `label` must not be kNone.
const char* ToString(algorithms::PseudoLabel label);

}  // namespace spuna
