#include "pipelines/model/row_scores.h"

#include "algorithms/guarantees/conformal.h"

namespace spuna {

using algorithms::OddRow;

RowScores ScoreRows(const Model& model, const algorithms::EmbeddingsView& rows,
                    const RowScoring& scoring, const algorithms::Execution& execution) {
  RowScores found;
  algorithms::Matrix copy;
  found.scores = model.classifier.Score(model.limits.Clipped(rows, copy, execution), execution);
  if (model.screen) found.screened = model.screen->Check(rows, execution, scoring.distances);
  const bool joins = model.screen && scoring.far != FarRows::kKeep;
  if (joins) {
    found.joined.reserve(rows.num_rows);
    for (std::size_t i = 0; i < rows.num_rows; ++i) {
      found.joined.push_back(found.screened.Joined(i, found.scores[i]));
    }
  }
  if (scoring.p_values) {
    found.p_values =
        algorithms::PValues(model.calibration, rows, found.deciding(), execution, joins);
  }
  return found;
}

void Count(OddRow odd, OddCounts& counts) {
  switch (odd) {
    case OddRow::kNo:
      break;
    case OddRow::kFar:
      ++counts.far;
      break;
    case OddRow::kZero:
      ++counts.zero;
      break;
    case OddRow::kConstant:
      ++counts.constant;
      break;
    case OddRow::kRepeated:
      ++counts.repeated;
      break;
  }
}

}  // namespace spuna
