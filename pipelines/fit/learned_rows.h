#pragma once

#include <cstdint>
#include <optional>

#include "pipelines/fit/fit_input.h"
#include "pipelines/options/options.h"
#include "pipelines/run/fit_summary.h"

namespace spuna {

/// The trusted rows that a fit learns from: those given, each once. A row that equals an earlier
/// one is left out, with its class and its id; the paper's recipe takes all as they are given.
class LearnedRows {
 public:
  /// `given` must outlive it.
  LearnedRows(const FitInput& given, Recipe recipe);

  const FitInput& rows() const { return distinct_ ? *distinct_ : given_; }

  /// The number of a learned row among all that are given, from 0, invalid ones too.
  std::int64_t NumberOf(std::uint32_t row) const;

  /// Lets a summary of the rows learned count those given.
  void Describe(FitSummary& summary) const;

 private:
  const FitInput& given_;
  // Of the valid rows.
  algorithms::RowNumbers chosen_;
  std::optional<FitInput> distinct_;
  std::int64_t num_repeated_ = 0;
};

}  // namespace spuna
