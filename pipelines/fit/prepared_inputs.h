#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/expansion/expansion.h"
#include "algorithms/rows/ranking.h"
#include "algorithms/space/row_limits.h"
#include "algorithms/space/row_screen.h"
#include "pipelines/matrix/changed_rows.h"
#include "pipelines/matrix/fit_input.h"
#include "pipelines/model/model.h"
#include "pipelines/options/options.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// The inputs of a fit as it learns them, while this lives, and what its model holds rows against:
/// within limits, and without the pool's rows that are odd for what they are, not for where they
/// lie. All of it comes from the trusted rows that are learned as such. The paper's recipe learns
/// rows as they are.
class PreparedInputs {
 public:
  /// The rows of both inputs that lie beyond the limits.
  struct Beyond {
    algorithms::RowLimits::Counts trusted;
    algorithms::RowLimits::Counts pool;
  };

  PreparedInputs(FitInput& trusted, FitInput& pool, const FitOptions& options, StageClock& clock);

  /// What is known of the pool rows that are learned, as known of all pool rows, and back.
  algorithms::Expansion OfAllRows(algorithms::Expansion expansion) const;
  std::vector<double> OfAllRows(const std::vector<double>& neighbor_scores) const;
  algorithms::Expansion OfLearnedRows(algorithms::Expansion expansion) const;

  /// Gives a model that was fitted on them what it needs to take rows alike.
  void AddTo(Model& model) const;

 private:
  std::int64_t num_pool_rows_;
  std::optional<algorithms::RowScreen> screen_;
  algorithms::RowLimits limits_;
  Beyond beyond_;
  LeftOutRows left_out_;
  ClippedRows trusted_;
  ClippedRows pool_;
};

}  // namespace spuna
