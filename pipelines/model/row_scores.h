#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/compute/execution.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/space/row_screen.h"
#include "pipelines/model/model.h"
#include "pipelines/run/decision.h"
#include "pipelines/run/row_counts.h"

namespace spuna {

/// What a model says of some rows.
struct RowScores {
  /// The classifier's.
  std::vector<float> scores;
  /// Which rows are odd, and their distances; both empty where the model can't tell.
  algorithms::RowScreen::Result screened;
  /// Those by which rows are decided about; empty where they are the classifier's.
  std::vector<float> joined;
  /// Where they were asked for.
  std::vector<double> p_values;

  const std::vector<float>& deciding() const { return joined.empty() ? scores : joined; }
  algorithms::OddRow OddAt(std::size_t row) const {
    return screened.odd.empty() ? algorithms::OddRow::kNo : screened.odd[row];
  }
  RowEvidence EvidenceOf(std::size_t row) const {
    return {deciding()[row], p_values.empty() ? 1.0 : p_values[row],
            OddAt(row) != algorithms::OddRow::kNo};
  }
};

/// What to find out about rows.
struct RowScoring {
  /// What happens to odd rows: where they are kept their own score decides.
  FarRows far = FarRows::kDrop;
  bool p_values = false;
  /// Whether the distances of rows that are not far are asked for too.
  bool distances = false;
};

/// Scores rows as they are: the one place that knows what a model does with them.
RowScores ScoreRows(const Model& model, const algorithms::EmbeddingsView& rows,
                    const RowScoring& scoring, const algorithms::Execution& execution);

/// Adds an odd row to the counts of its kind.
void Count(algorithms::OddRow odd, OddCounts& counts);

}  // namespace spuna
