#include "pipelines/score/row_scorer.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/type.h>

#include <utility>
#include <vector>

#include "pipelines/matrix/embedding_matrix.h"
#include "pipelines/run/exception_status.h"

namespace spuna {

RowCounts& RowCounts::operator+=(const RowCounts& other) {
  in += other.in;
  kept += other.kept;
  dropped += other.dropped;
  invalid += other.invalid;
  return *this;
}

arrow::FieldVector RowScorer::Fields(const ScoreOptions& options) {
  if (options.by == ScoreBy::kNeighbors) {
    return {arrow::field(options.prefix + "neighbor_score", arrow::float32())};
  }
  arrow::FieldVector fields = {arrow::field(options.prefix + "score", arrow::float32()),
                               arrow::field(options.prefix + "keep", arrow::boolean())};
  if (options.p_values) {
    fields.push_back(arrow::field(options.prefix + "p_value", arrow::float32()));
  }
  return fields;
}

arrow::Result<Decision> RowScorer::DecideFor(const Model& model, const ScoreOptions& options) {
  if (options.p_values && model.calibration.empty()) {
    return arrow::Status::Invalid(
        "`p-values` needs a model with calibration rows, and this one has none; fit with "
        "`calibration` split or cross");
  }
  if (options.max_clean_loss) return DecideByCleanLoss(*options.max_clean_loss, model.calibration);
  if (!options.threshold) return model.decision;
  DecisionOptions chosen;
  chosen.threshold = options.threshold;
  return Decide(chosen, model.calibration, {});
}

arrow::Result<RowScorer> RowScorer::Make(const Model& model, const ScoreOptions& options) {
  ARROW_RETURN_NOT_OK(options.Validate());
  RowScorer scorer(model, options);
  scorer.fields_ = Fields(options);
  ARROW_ASSIGN_OR_RAISE(scorer.decision_, DecideFor(model, options));
  if (options.by == ScoreBy::kClassifier) return scorer;
  if (!model.banks) {
    return arrow::Status::Invalid(
        "scoring by neighbors needs the banks, and this model has none; keep the banks when "
        "fitting");
  }
  scorer.neighbor_scorer_.emplace(model.banks->clean.view(), model.banks->shifted.view(),
                                  static_cast<std::size_t>(model.summary.choices.k),
                                  options.neighbors);
  return scorer;
}

arrow::Result<ScoredRows> RowScorer::Score(const std::shared_ptr<arrow::Array>& embeddings,
                                           const arrow_io::ColumnLocation& location,
                                           const Runtime& runtime) const {
  ARROW_ASSIGN_OR_RAISE(const arrow_io::EmbeddingRows rows,
                        arrow_io::ReadEmbeddings(embeddings, model_->dimension(), location));
  ARROW_RETURN_NOT_OK(CheckInvalidRows(rows, options_.invalid, location));
  const algorithms::EmbeddingsView view{rows.values, static_cast<std::size_t>(rows.num_rows),
                                        static_cast<std::size_t>(rows.dimension)};
  algorithms::Execution execution;
  execution.num_threads = runtime.num_threads;
  execution.should_stop = runtime.should_stop;
  ARROW_ASSIGN_OR_RAISE(
      const std::vector<float> scores, CatchExceptions([&]() -> arrow::Result<std::vector<float>> {
        if (!neighbor_scorer_) return model_->classifier.Score(view, execution);
        return algorithms::RoundToFloats(neighbor_scorer_->Score(view, execution));
      }));

  std::vector<double> p_values;
  if (options_.p_values || decision_.p_value_cutoff) {
    ARROW_ASSIGN_OR_RAISE(p_values, CatchExceptions([&]() -> arrow::Result<std::vector<double>> {
                            return algorithms::PValues(model_->calibration, view, scores,
                                                       execution);
                          }));
  }

  ScoredRows scored;
  scored.counts.in = rows.num_rows;
  scored.counts.invalid = rows.num_invalid;
  arrow::FloatBuilder score_column;
  arrow::BooleanBuilder keep_column;
  arrow::BooleanBuilder selected;
  if (rows.num_rows > 0) {
    ARROW_RETURN_NOT_OK(score_column.AppendValues(scores.data(), rows.num_rows, rows.valid.data()));
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const bool valid = rows.valid[i] != 0;
    const bool passes = decision_.p_value_cutoff ? p_values[i] > *decision_.p_value_cutoff
                                                 : scores[i] < decision_.threshold;
    const bool keep = valid && passes;
    ARROW_RETURN_NOT_OK(valid ? keep_column.Append(keep) : keep_column.AppendNull());
    ARROW_RETURN_NOT_OK(
        selected.Append(valid ? keep || !options_.drop : options_.invalid != InvalidRows::kDrop));
    scored.counts.kept += keep ? 1 : 0;
  }
  scored.counts.dropped = scored.counts.in - scored.counts.invalid - scored.counts.kept;
  scored.columns.resize(fields_.size());
  ARROW_RETURN_NOT_OK(score_column.Finish(&scored.columns[0]));
  if (!neighbor_scorer_) ARROW_RETURN_NOT_OK(keep_column.Finish(&scored.columns[1]));
  if (options_.p_values) {
    const std::vector<float> rounded(p_values.begin(), p_values.end());
    arrow::FloatBuilder p_value_column;
    ARROW_RETURN_NOT_OK(
        p_value_column.AppendValues(rounded.data(), rows.num_rows, rows.valid.data()));
    ARROW_RETURN_NOT_OK(p_value_column.Finish(&scored.columns[2]));
  }
  ARROW_RETURN_NOT_OK(selected.Finish(&scored.selected));
  if (scored.selected->true_count() == rows.num_rows) scored.selected = nullptr;
  return scored;
}

}  // namespace spuna
