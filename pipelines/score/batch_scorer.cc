#include "pipelines/score/batch_scorer.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "arrow_io/parquet_input.h"
#include "pipelines/matrix/embedding_matrix.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/score/appended_columns.h"
#include "pipelines/source/source.h"

namespace spuna {
namespace {

// Floats with nulls where rows are not valid.
arrow::Result<std::shared_ptr<arrow::FloatArray>> MakeFloats(const std::vector<float>& values,
                                                             const arrow_io::EmbeddingRows& rows) {
  arrow::FloatBuilder builder;
  if (rows.num_rows > 0) {
    ARROW_RETURN_NOT_OK(builder.AppendValues(values.data(), rows.num_rows, rows.valid.data()));
  }
  std::shared_ptr<arrow::FloatArray> floats;
  ARROW_RETURN_NOT_OK(builder.Finish(&floats));
  return floats;
}

// What a person said of the rows of a batch, held against what the model says of them.
void TakeReviews(const Decision& decision, const RowScores& found, const FileReviews& reviews,
                 std::int64_t first_row, ScoredBatch& scored) {
  ReviewCounts& counts = scored.counts.reviewed;
  const auto end = reviews.lower_bound(first_row + scored.rows.num_rows);
  for (auto review = reviews.lower_bound(first_row); review != end; ++review) {
    const auto row = static_cast<std::size_t>(review->first - first_row);
    if (scored.rows.valid[row] == 0) continue;
    const PlacedReview& said = review->second;
    if (said.answer == Answer::kUnsure) {
      ++counts.unsure;
      continue;
    }
    const bool is_shifted = said.answer == Answer::kShifted;
    LookCounts& looks = decision.Drops(found.EvidenceOf(row)) ? counts.dropped : counts.kept;
    if (said.probability) {
      looks.AddLook(*said.probability, is_shifted);
    } else {
      looks.AddKnown(is_shifted);
    }
    scored.verdicts[row] =
        is_shifted ? algorithms::RowVerdict::kShifted : algorithms::RowVerdict::kClean;
  }
}

// The decision on every row, and what follows from it.
arrow::Status DecideRows(const PreparedModel& model, const RowScores& found, ScoredBatch& scored) {
  const ScoreOptions& options = model.options();
  const Decision& decision = model.decision();
  const bool decides = options.by == ScoreBy::kClassifier;
  arrow::BooleanBuilder keep_column;
  arrow::BooleanBuilder selected;
  arrow::BooleanBuilder dropped;
  arrow::BooleanBuilder left_out;
  for (std::size_t i = 0; i < found.scores.size(); ++i) {
    const bool valid = scored.rows.valid[i] != 0;
    RowEvidence evidence = found.EvidenceOf(i);
    if (const auto said = scored.verdicts.find(i); said != scored.verdicts.end()) {
      evidence.verdict = said->second;
    }
    const bool is_open = valid && decision.LeavesOpen(evidence);
    const bool is_dropped = valid && decision.Drops(evidence);
    const bool keep = valid && !is_open && !is_dropped;
    ARROW_RETURN_NOT_OK(keep || is_dropped ? keep_column.Append(keep) : keep_column.AppendNull());
    const bool is_wanted = valid || options.invalid != InvalidRows::kDrop;
    const bool is_left_out = options.drop && is_wanted && (is_dropped || !valid);
    ARROW_RETURN_NOT_OK(selected.Append(is_wanted && !is_left_out));
    ARROW_RETURN_NOT_OK(dropped.Append(is_dropped));
    ARROW_RETURN_NOT_OK(left_out.Append(is_left_out));
    scored.counts.kept += keep ? 1 : 0;
    scored.counts.dropped += is_dropped ? 1 : 0;
    scored.counts.undecided += is_open ? 1 : 0;
    if (valid) Count(found.OddAt(i), scored.counts.odd);
  }
  scored.counts.in = scored.rows.num_rows;
  scored.counts.invalid = scored.rows.num_invalid;
  ARROW_RETURN_NOT_OK(selected.Finish(&scored.selected));
  if (scored.selected->true_count() == scored.rows.num_rows) scored.selected = nullptr;
  if (!decides) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(keep_column.Finish(&scored.keep));
  ARROW_RETURN_NOT_OK(left_out.Finish(&scored.left_out));
  return dropped.Finish(&scored.dropped);
}

// The columns that were asked for beyond score and decision.
arrow::Status AddMeasures(const PreparedModel& model, const RowScores& found, ScoredBatch& scored) {
  if (model.options().p_values) {
    ARROW_ASSIGN_OR_RAISE(scored.p_value,
                          MakeFloats({found.p_values.begin(), found.p_values.end()}, scored.rows));
  }
  if (!model.options().distances) return arrow::Status::OK();
  std::vector<float> p_values;
  for (const float distance : found.screened.distances) {
    p_values.push_back(static_cast<float>(model.model().screen->distance->PValue(distance)));
  }
  ARROW_ASSIGN_OR_RAISE(scored.distance, MakeFloats(found.screened.distances, scored.rows));
  ARROW_ASSIGN_OR_RAISE(scored.distance_p_value, MakeFloats(p_values, scored.rows));
  return arrow::Status::OK();
}

// Whether the model can do what is asked for about far rows.
arrow::Status CheckDistance(const Model& model, const ScoreOptions& options) {
  const bool measures = model.screen && model.screen->distance;
  const bool asks = options.distances || (options.far && *options.far != FarRows::kKeep);
  if (!asks || measures) return arrow::Status::OK();
  return arrow::Status::Invalid(
      options.distances ? "`distances`" : "`far` drop and null",
      " need a model with a distance, and this one has none: ",
      model.screen ? "its fit had too few trusted rows for one"
                   : "fit it again, in `recipe` paper with `far` drop, keep or null");
}

}  // namespace

arrow::Result<std::shared_ptr<const PreparedModel>> PreparedModel::Make(
    const Model& model, const ScoreOptions& options) {
  // It owns nothing: a shared pointer without a deleter.
  return Make(std::shared_ptr<const Model>(std::shared_ptr<const Model>(), &model), options);
}

arrow::Result<std::shared_ptr<const PreparedModel>> PreparedModel::Make(
    std::shared_ptr<const Model> model, const ScoreOptions& options) {
  ARROW_RETURN_NOT_OK(options.Validate());
  std::shared_ptr<PreparedModel> prepared(new PreparedModel());
  prepared->model_ = std::move(model);
  prepared->options_ = options;
  ARROW_ASSIGN_OR_RAISE(prepared->decision_, DecideFor(*prepared->model_, options));
  if (options.by == ScoreBy::kClassifier) return prepared;
  const std::optional<algorithms::Banks>& banks = prepared->model_->banks;
  if (!banks) {
    return arrow::Status::Invalid(
        "scoring by neighbors needs the banks, and this model has none; keep the banks when "
        "fitting");
  }
  prepared->neighbor_scorer_.emplace(banks->clean.view(), banks->shifted.view(),
                                     static_cast<std::size_t>(prepared->model_->summary.choices.k),
                                     options.neighbors);
  return prepared;
}

RowScores PreparedModel::Score(const algorithms::EmbeddingsView& rows,
                               const algorithms::Execution& execution) const {
  if (neighbor_scorer_) {
    RowScores found;
    algorithms::Matrix copy;
    const algorithms::RowLimits& limits = model_->limits;
    found.scores = algorithms::RoundToFloats(
        neighbor_scorer_->Score(limits.Clipped(rows, copy, execution), execution));
    return found;
  }
  const bool p_values = options_.p_values || decision_.NeedsPValues();
  return ScoreRows(*model_, rows, {decision_.far, p_values, options_.distances}, execution);
}

arrow::Result<Decision> DecideFor(const Model& model, const ScoreOptions& options) {
  if (options.p_values && model.calibration.empty()) {
    return arrow::Status::Invalid(
        "`p-values` needs a model with calibration rows, and this one has none; fit with "
        "`calibration` split or cross");
  }
  ARROW_RETURN_NOT_OK(CheckDistance(model, options));
  Decision decision = model.decision;
  if (options.max_clean_loss) {
    ARROW_ASSIGN_OR_RAISE(decision, DecideByCleanLoss(*options.max_clean_loss, model.calibration));
  } else if (options.threshold) {
    DecisionOptions chosen;
    chosen.threshold = options.threshold;
    decision = Decide(chosen, model.calibration, {});
  }
  decision.far = options.far.value_or(model.decision.far);
  return decision;
}

arrow::ArrayVector ScoredBatch::Columns() const {
  arrow::ArrayVector columns = {score};
  if (keep != nullptr) columns.push_back(keep);
  if (p_value != nullptr) columns.push_back(p_value);
  if (distance != nullptr) columns.insert(columns.end(), {distance, distance_p_value});
  return columns;
}

arrow::Result<BatchScorer> BatchScorer::Make(std::shared_ptr<const PreparedModel> model,
                                             const arrow::Schema& input, const Names& names,
                                             const std::string& embedding) {
  const std::string& asked = embedding.empty() ? model->options().embedding : embedding;
  ARROW_ASSIGN_OR_RAISE(
      std::string column,
      ResolveEmbeddingColumn(input, names.input, {asked, model->model().options.embedding}));
  ARROW_ASSIGN_OR_RAISE(OutputColumns columns,
                        ArrangeColumns(input, model->options(), names.input));
  BatchScorer scorer(std::move(model), names.batch.empty() ? names.input : names.batch,
                     std::move(column));
  scorer.needed_ = columns.sources;
  scorer.needed_.push_back(input.GetFieldIndex(scorer.embedding_));
  std::erase(scorer.needed_, arrow_io::kAppended);
  std::ranges::sort(scorer.needed_);
  const auto repeated = std::ranges::unique(scorer.needed_);
  scorer.needed_.erase(repeated.begin(), repeated.end());
  scorer.needs_all_ = scorer.needed_ == arrow_io::AllColumns(input);
  scorer.columns_ = std::move(columns);
  return scorer;
}

BatchScorer BatchScorer::MakeForColumn(std::shared_ptr<const PreparedModel> model,
                                       const std::string& name, const std::string& embedding) {
  return {std::move(model), name, embedding};
}

arrow::Result<ScoredBatch> BatchScorer::Score(const arrow::RecordBatch& batch,
                                              std::int64_t first_row,
                                              const Runtime& runtime) const {
  return CatchExceptions([&]() -> arrow::Result<ScoredBatch> {
    const arrow_io::ColumnLocation location{embedding_, batch_name_, first_row};
    ScoredBatch scored;
    ARROW_ASSIGN_OR_RAISE(scored.rows,
                          arrow_io::ReadEmbeddings(batch.GetColumnByName(embedding_),
                                                   model_->model().dimension(), location));
    ARROW_RETURN_NOT_OK(CheckInvalidRows(scored.rows, model_->options().invalid, location));
    const algorithms::EmbeddingsView view = ViewOf(scored.rows);
    const algorithms::Execution execution = runtime.MakeExecution();
    RowScores found = model_->Score(view, execution);
    if (reviews_ != nullptr && model_->options().by == ScoreBy::kClassifier) {
      TakeReviews(model_->decision(), found, *reviews_, first_row, scored);
    }
    ARROW_RETURN_NOT_OK(DecideRows(*model_, found, scored));
    ARROW_ASSIGN_OR_RAISE(scored.score, MakeFloats(found.scores, scored.rows));
    ARROW_RETURN_NOT_OK(AddMeasures(*model_, found, scored));
    scored.odd = std::move(found.screened.odd);
    return scored;
  });
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> BatchScorer::Append(
    const arrow::RecordBatch& batch, const ScoredBatch& scored,
    const std::shared_ptr<arrow::BooleanArray>& selected) const {
  const arrow::ArrayVector ours = columns_.ChooseOurs(scored.Columns());
  auto next_of_ours = ours.begin();
  arrow::ArrayVector columns;
  for (const int source : columns_.sources) {
    if (source == arrow_io::kAppended) {
      columns.push_back(*next_of_ours++);
      continue;
    }
    const auto place = std::ranges::lower_bound(needed_, source) - needed_.begin();
    columns.push_back(batch.column(static_cast<int>(place)));
  }
  return MakeBatch(columns_.schema, batch.num_rows(), std::move(columns), selected);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> BatchScorer::Append(
    const arrow::RecordBatch& batch, std::int64_t first_row, const Runtime& runtime,
    RowCounts* counts) const {
  ARROW_ASSIGN_OR_RAISE(const ScoredBatch scored, Score(batch, first_row, runtime));
  if (counts != nullptr) *counts += scored.counts;
  if (needs_all_) return Append(batch, scored, scored.selected);
  ARROW_ASSIGN_OR_RAISE(const auto needed, batch.SelectColumns(needed_));
  return Append(*needed, scored, scored.selected);
}

arrow::Status CheckScoreColumns(const arrow::Schema& schema, const std::string& where,
                                const ScoreOptions& options, const HiveKeys& keys) {
  return ArrangeColumns(schema, options, where, keys).status();
}

}  // namespace spuna
