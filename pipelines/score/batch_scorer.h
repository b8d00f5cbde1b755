#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/expansion/neighbor_score.h"
#include "arrow_io/embedding_column.h"
#include "pipelines/model/model.h"
#include "pipelines/model/row_scores.h"
#include "pipelines/options/options.h"
#include "pipelines/run/decision.h"
#include "pipelines/run/row_counts.h"
#include "pipelines/run/runtime.h"
#include "pipelines/score/output_columns.h"
#include "pipelines/source/placed_reviews.h"

namespace spuna {

/// A model and the options of scoring, made ready. Stateless; may be shared by threads.
class PreparedModel {
 public:
  /// The model must outlive it. An error where the model can't do what the options ask for.
  static arrow::Result<std::shared_ptr<const PreparedModel>> Make(const Model& model,
                                                                  const ScoreOptions& options);
  /// The same, and keeps the model alive.
  static arrow::Result<std::shared_ptr<const PreparedModel>> Make(
      std::shared_ptr<const Model> model, const ScoreOptions& options);

  const Model& model() const { return *model_; }
  const ScoreOptions& options() const { return options_; }
  /// Which rows are kept.
  const Decision& decision() const { return decision_; }

  /// What the model says of rows, and their p-values where something asks for them.
  RowScores Score(const algorithms::EmbeddingsView& rows,
                  const algorithms::Execution& execution) const;

 private:
  PreparedModel() = default;

  std::shared_ptr<const Model> model_;
  ScoreOptions options_;
  Decision decision_;
  std::optional<algorithms::NeighborScorer> neighbor_scorer_;
};

/// How scoring with these options decides. An error where the model can't.
arrow::Result<Decision> DecideFor(const Model& model, const ScoreOptions& options);

/// A batch of rows that was scored.
struct ScoredBatch {
  /// The score; without the classifier the neighbor score.
  std::shared_ptr<arrow::FloatArray> score;
  /// Null without the classifier.
  std::shared_ptr<arrow::BooleanArray> keep;
  /// Null where they were not asked for.
  std::shared_ptr<arrow::FloatArray> p_value;
  std::shared_ptr<arrow::FloatArray> distance;
  std::shared_ptr<arrow::FloatArray> distance_p_value;
  /// Which rows are odd; empty where the model can't tell.
  std::vector<algorithms::OddRow> odd;
  /// What a person said of rows, by number in the batch: those that it decides.
  std::map<std::size_t, algorithms::RowVerdict> verdicts;
  /// Which rows go to the output; null when all do.
  std::shared_ptr<arrow::BooleanArray> selected;
  /// Which rows are valid and dropped; null without the classifier.
  std::shared_ptr<arrow::BooleanArray> dropped;
  /// Which rows `drop` leaves out: those, and invalid ones that are not left out in any case; null
  /// without the classifier.
  std::shared_ptr<arrow::BooleanArray> left_out;
  RowCounts counts;
  /// The embeddings as they were read. They may lie in the batch's memory.
  arrow_io::EmbeddingRows rows;

  /// Our columns, those of ScoreFields.
  arrow::ArrayVector Columns() const;
};

/// Scores batches of one schema: the one way from a batch to its scores, for files, streams, nodes,
/// functions, the monitor and the report. Stateless: batches may be scored in any order, and on
/// several threads.
class BatchScorer {
 public:
  /// What messages call the input, and a batch of it where that is called otherwise.
  struct Names {
    std::string input;
    std::string batch;
  };

  /// Resolves the embedding column: the given one, else the one that was asked for, else the
  /// model's. ArrangeColumns decides about the columns of the output.
  static arrow::Result<BatchScorer> Make(std::shared_ptr<const PreparedModel> model,
                                         const arrow::Schema& input, const Names& names,
                                         const std::string& embedding = "");

  /// One that only scores, for rows of which nothing but the embedding column is known. Messages
  /// call a batch `name`.
  static BatchScorer MakeForColumn(std::shared_ptr<const PreparedModel> model,
                                   const std::string& name, const std::string& embedding);

  const PreparedModel& model() const { return *model_; }
  const std::string& embedding() const { return embedding_; }
  /// The columns of the output; empty, and the schema null, for one that only scores.
  const OutputColumns& columns() const { return columns_; }
  const std::shared_ptr<arrow::Schema>& schema() const { return columns_.schema; }
  /// The columns of the input that it needs for this, and the embedding, in the input's order.
  const std::vector<int>& needed() const { return needed_; }

  /// Lets what a person said of rows, by their number in the input, decide about them. It must
  /// outlive the scorer; null for nothing.
  void DecideBy(const FileReviews* reviews) { reviews_ = reviews; }

  /// Scores a batch that has the embedding column, and perhaps others. Messages count its rows from
  /// `first_row`.
  arrow::Result<ScoredBatch> Score(const arrow::RecordBatch& batch, std::int64_t first_row,
                                   const Runtime& runtime) const;

  /// The columns of the output for a batch with the needed columns alone, and only the selected
  /// rows; null selects all.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Append(
      const arrow::RecordBatch& batch, const ScoredBatch& scored,
      const std::shared_ptr<arrow::BooleanArray>& selected) const;

  /// Both, for a batch with all columns of the input: the rows that go to the output.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Append(const arrow::RecordBatch& batch,
                                                            std::int64_t first_row,
                                                            const Runtime& runtime,
                                                            RowCounts* counts = nullptr) const;

 private:
  BatchScorer(std::shared_ptr<const PreparedModel> model, std::string batch_name,
              std::string embedding)
      : model_(std::move(model)),
        batch_name_(std::move(batch_name)),
        embedding_(std::move(embedding)) {}

  std::shared_ptr<const PreparedModel> model_;
  std::string batch_name_;
  std::string embedding_;
  OutputColumns columns_;
  std::vector<int> needed_;
  bool needs_all_ = false;
  const FileReviews* reviews_ = nullptr;
};

/// Whether ArrangeColumns can make the columns of an output from these.
arrow::Status CheckScoreColumns(const arrow::Schema& schema, const std::string& where,
                                const ScoreOptions& options, const HiveKeys& keys = {});

}  // namespace spuna
