#include "pipelines/report/pool_pass.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "arrow_io/embedding_column.h"
#include "arrow_io/parquet_input.h"
#include "pipelines/report/reasons.h"
#include "pipelines/score/label_columns.h"
#include "pipelines/score/row_scorer.h"
#include "pipelines/source/named_column.h"
#include "pipelines/source/row_ids.h"

namespace spuna {
namespace {

using arrow_io::ParquetInput;

// The columns of a file that are looked at.
struct Columns {
  NamedColumn embedding;
  std::optional<NamedColumn> id;
  std::vector<NamedColumn> groups;
  std::optional<NamedColumn> truth;

  std::vector<int> ToRead() const {
    std::vector<const NamedColumn*> all = {&embedding};
    if (id) all.push_back(&*id);
    if (truth) all.push_back(&*truth);
    for (const NamedColumn& group : groups) all.push_back(&group);
    return Positions(all);
  }
};

arrow::Result<Columns> FindColumns(const ParquetInput& parquet, const arrow_io::InputFile& file,
                                   const std::string& embedding, const std::string& id,
                                   const ExaminationOptions& options) {
  auto find = [&](const std::string& name, const char* option) {
    return NamedColumn::Find(*parquet.schema(), parquet.name(), file.partitions, name, option);
  };
  Columns columns;
  ARROW_ASSIGN_OR_RAISE(columns.embedding, find(embedding, "embedding"));
  if (!id.empty()) {
    ARROW_ASSIGN_OR_RAISE(columns.id, find(id, "id"));
  }
  for (const std::string& name : options.group_by) {
    ARROW_ASSIGN_OR_RAISE(NamedColumn column, find(name, "group-by"));
    columns.groups.push_back(std::move(column));
  }
  if (!options.truth.empty()) {
    ARROW_ASSIGN_OR_RAISE(columns.truth, find(options.truth, "truth"));
  }
  return columns;
}

// Looks at rows, a batch at a time.
class Examiner {
 public:
  Examiner(const FitResult& fit, const RowScorer& scorer, const ExaminationOptions& options,
           ReasonsWriter* reasons, StageClock& clock)
      : fit_(fit),
        scorer_(scorer),
        options_(options),
        labels_(fit.expansion, fit.pool_valid, nullptr),
        reasons_(reasons),
        clock_(clock),
        groups_(options.group_by.size()) {}

  arrow::Status Look(const arrow_io::InputFile& file, const ParquetInput& parquet,
                     const Columns& columns, const ParquetInput::Batch& batch) {
    const std::int64_t num_rows = batch.rows->num_rows();
    const std::string& embedding = columns.embedding.name;
    const arrow_io::ColumnLocation location{embedding, parquet.name(), batch.first_row};
    const auto values = batch.rows->GetColumnByName(embedding);
    ARROW_ASSIGN_OR_RAISE(const ScoredRows scored,
                          scorer_.Score(values, location, clock_.runtime()));
    const auto& scores = static_cast<const arrow::FloatArray&>(*scored.columns[0]);
    const auto& keep = static_cast<const arrow::BooleanArray&>(*scored.columns[1]);
    std::vector<std::shared_ptr<arrow::StringArray>> groups;
    for (const NamedColumn& column : columns.groups) {
      ARROW_ASSIGN_OR_RAISE(auto texts, column.Texts(*batch.rows));
      groups.push_back(std::move(texts));
    }
    std::shared_ptr<arrow::DoubleArray> truth;
    if (columns.truth) {
      ARROW_ASSIGN_OR_RAISE(truth, columns.truth->Numbers(*batch.rows, "a boolean or 0 or 1"));
    }
    std::vector<std::int64_t> dropped;
    for (std::int64_t i = 0; i < num_rows; ++i) {
      if (scores.IsNull(i)) continue;
      const float score = scores.Value(i);
      const bool is_dropped = !keep.Value(i);
      ++found_.scores[BinOf(score, Examination::kNumBins)];
      if (truth != nullptr && truth->IsValid(i)) {
        Examination::Bin& bin = found_.reliability[BinOf(score, found_.reliability.size())];
        ++bin.rows;
        bin.shifted += truth->Value(i) != 0 ? 1 : 0;
        bin.score_sum += score;
      }
      for (std::size_t g = 0; g < groups.size(); ++g) {
        groups_[g].Add(groups[g]->IsNull(i) ? "(null)" : groups[g]->GetString(i), is_dropped);
      }
      if (is_dropped) dropped.push_back(i);
    }
    found_.rows_dropped += static_cast<std::int64_t>(dropped.size());
    if (reasons_ != nullptr) {
      ARROW_RETURN_NOT_OK(Explain(file, columns, batch, location, values, scored, dropped));
    }
    next_row_ += num_rows;
    return arrow::Status::OK();
  }

  Examination Finish() && {
    for (const GroupCounts& counts : groups_) found_.groups.push_back(counts.Sorted());
    return std::move(found_);
  }

 private:
  static std::size_t BinOf(float score, std::size_t num_bins) {
    const auto bin = static_cast<std::size_t>(std::max(score, 0.0F) * static_cast<float>(num_bins));
    return std::min(bin, num_bins - 1);
  }

  arrow::Status Explain(const arrow_io::InputFile& file, const Columns& columns,
                        const ParquetInput::Batch& batch, const arrow_io::ColumnLocation& location,
                        const std::shared_ptr<arrow::Array>& values, const ScoredRows& scored,
                        const std::vector<std::int64_t>& dropped) {
    ARROW_ASSIGN_OR_RAISE(const arrow_io::EmbeddingRows rows,
                          arrow_io::ReadEmbeddings(values, fit_.model.dimension(), location));
    ARROW_ASSIGN_OR_RAISE(const LabelColumns::Run labels,
                          labels_.Rows(next_row_, batch.rows->num_rows(), location.file));
    const auto& rounds = static_cast<const arrow::Int32Array&>(*labels.columns[1]);
    const auto& scores = static_cast<const arrow::FloatArray&>(*scored.columns[0]);
    const auto* const p_values =
        scored.columns.size() > 2 ? static_cast<const arrow::FloatArray*>(scored.columns[2].get())
                                  : nullptr;
    std::shared_ptr<arrow::StringArray> ids;
    if (columns.id) {
      ARROW_ASSIGN_OR_RAISE(ids, columns.id->Texts(*batch.rows));
    }
    std::vector<DroppedRow> explained;
    algorithms::Matrix embeddings{{}, static_cast<std::size_t>(rows.dimension)};
    for (const std::int64_t i : dropped) {
      const float* const row = rows.values + i * rows.dimension;
      embeddings.values.insert(embeddings.values.end(), row, row + rows.dimension);
      const std::int64_t number = batch.first_row + i;
      explained.push_back(
          {ids != nullptr && ids->IsValid(i) ? ids->GetString(i) : PlaceOf(file, number),
           file.relative_path.string(), number, scores.Value(i),
           p_values != nullptr ? p_values->Value(i) : -1,
           rounds.IsValid(i) ? rounds.Value(i) : -1});
    }
    algorithms::Execution execution;
    execution.num_threads = clock_.runtime().num_threads;
    execution.should_stop = clock_.runtime().should_stop;
    return reasons_->Write(explained, embeddings.view(), execution);
  }

  const FitResult& fit_;
  const RowScorer& scorer_;
  const ExaminationOptions& options_;
  LabelColumns labels_;
  ReasonsWriter* reasons_;
  StageClock& clock_;
  Examination found_;
  std::vector<GroupCounts> groups_;
  // Among all rows of the pool.
  std::int64_t next_row_ = 0;
};

}  // namespace

arrow::Result<Examination> Examine(const FitRequest& request, const FitResult& fit,
                                   const ScoreOptions& scoring, const ExaminationOptions& options,
                                   const BadFiles& bad_files, StageClock& clock) {
  ScoreOptions own = scoring;
  own.p_values = !fit.model.calibration.empty();
  ARROW_ASSIGN_OR_RAISE(const RowScorer scorer, RowScorer::Make(fit.model, own));
  ARROW_ASSIGN_OR_RAISE(const std::string id, ResolveIdColumn(request.pool, options.id, bad_files));
  std::unique_ptr<ReasonsWriter> reasons;
  if (options.reasons) {
    const Findings& findings = *fit.findings;
    const BadFiles none(OnBadFile::kError);
    ARROW_ASSIGN_OR_RAISE(const std::string trusted_id, ResolveIdColumn(request.trusted, "", none));
    ARROW_ASSIGN_OR_RAISE(auto trusted_ids, ReadIds(request.trusted, findings.trusted_rows,
                                                    trusted_id, none, clock.runtime()));
    ARROW_ASSIGN_OR_RAISE(
        auto seed_ids, ReadIds(request.pool, PickRows(findings.pool_rows, findings.seed_rows), id,
                               bad_files, clock.runtime()));
    ARROW_ASSIGN_OR_RAISE(reasons,
                          ReasonsWriter::Create(*options.reasons, options.reasons_name, findings,
                                                std::move(trusted_ids), std::move(seed_ids)));
  }
  Examiner examiner(fit, scorer, options, reasons.get(), clock);
  std::int64_t rows_done = 0;
  for (const arrow_io::InputFile& file : request.pool.files) {
    if (bad_files.Has(file)) continue;
    auto look = [&]() -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(const auto parquet, ParquetInput::Open(file));
      ARROW_ASSIGN_OR_RAISE(const Columns columns,
                            FindColumns(*parquet, file, fit.model.options.embedding, id, options));
      return parquet->ForEachBatch(
          columns.ToRead(), [&](const ParquetInput::Batch& batch) -> arrow::Status {
            if (clock.runtime().ShouldStop()) return arrow::Status::Cancelled("interrupted");
            ARROW_RETURN_NOT_OK(examiner.Look(file, *parquet, columns, batch));
            rows_done += batch.rows->num_rows();
            clock.Report(
                "examine",
                static_cast<double>(rows_done) /
                    static_cast<double>(std::max<std::int64_t>(request.pool_survey.total_rows, 1)),
                rows_done);
            return arrow::Status::OK();
          });
    };
    ARROW_RETURN_NOT_OK(ReadUnchanged(file, look));
  }
  if (reasons) ARROW_RETURN_NOT_OK(reasons->Close());
  clock.Pause();
  return std::move(examiner).Finish();
}

}  // namespace spuna
