#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/rows/ranking.h"
#include "pipelines/matrix/fit_input.h"
#include "pipelines/options/options.h"
#include "pipelines/run/fit_summary.h"

namespace spuna {

/// The trusted rows that a fit learns from: those given, each once. A row that equals an earlier
/// one is left out, with its class, its group and its id; the paper's recipe takes all as they are
/// given.
class LearnedRows {
 public:
  LearnedRows(FitInput given, Recipe recipe);

  FitInput& rows() { return rows_; }
  const FitInput& rows() const { return rows_; }

  /// The number of a learned row among all that are given, from 0, invalid ones too.
  std::int64_t NumberOf(std::uint32_t row) const;

  /// Lets a summary of the rows learned count those given.
  void Describe(FitSummary& summary) const;

 private:
  FitInput rows_;
  // Of all rows that are given, whether each is valid.
  std::vector<std::uint8_t> valid_;
  std::int64_t num_invalid_;
  std::int64_t num_repeated_ = 0;
  // The learned rows among the valid ones; empty where all are learned.
  algorithms::RowNumbers chosen_;
};

}  // namespace spuna
