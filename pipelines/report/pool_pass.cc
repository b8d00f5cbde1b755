#include "pipelines/report/pool_pass.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "arrow_io/parquet_input.h"
#include "pipelines/report/group_counts.h"
#include "pipelines/report/pictures.h"
#include "pipelines/report/reasons.h"
#include "pipelines/score/batch_scorer.h"
#include "pipelines/score/label_columns.h"
#include "pipelines/source/named_column.h"
#include "pipelines/source/row_texts.h"

namespace spuna {
namespace {

using arrow_io::ParquetInput;

constexpr const char* kTruths = "a boolean or 0 or 1";

// The columns of a file that are looked at.
struct Columns {
  NamedColumn embedding;
  std::optional<NamedColumn> id;
  std::vector<NamedColumn> groups;
  std::optional<NamedColumn> truth;

  static arrow::Result<Columns> Find(const ParquetInput& parquet, const std::string& embedding,
                                     const IdColumn& id, const PoolPassOptions& options) {
    auto find = [&](const std::string& name, const char* option) {
      return NamedColumn::Find(*parquet.schema(), parquet.name(), parquet.partitions(), name,
                               option);
    };
    Columns columns;
    ARROW_ASSIGN_OR_RAISE(columns.embedding, find(embedding, "embedding"));
    if (id.IsIn(*parquet.schema())) {
      ARROW_ASSIGN_OR_RAISE(columns.id, find(id.name, "id"));
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

  std::vector<int> ToRead() const {
    std::vector<const NamedColumn*> all = {&embedding};
    if (id) all.push_back(&*id);
    if (truth) all.push_back(&*truth);
    for (const NamedColumn& group : groups) all.push_back(&group);
    return Positions(all);
  }
};

// A batch of a file of the pool, and what belongs to it.
struct PoolBatch {
  const arrow_io::InputFile& file;
  /// Where the file begins among the rows of the pool that was fitted.
  std::int64_t first_row_of_file;
  const Columns& columns;
  const ParquetInput::Batch& batch;
  const ScoredBatch& scored;
};

// Counts rows and explains those that are dropped, a batch at a time.
class PoolObserver {
 public:
  PoolObserver(const FitResult& fit, const PoolPassOptions& options, ReasonsWriter* reasons,
               const Runtime& runtime)
      : labels_(fit.expansion, fit.pool_valid, nullptr),
        reasons_(reasons),
        runtime_(runtime),
        groups_(options.group_by.size()) {}

  arrow::Status Add(const PoolBatch& pool) {
    ARROW_RETURN_NOT_OK(CountTruth(pool));
    ARROW_RETURN_NOT_OK(CountGroups(pool));
    const ScoredBatch& scored = pool.scored;
    for (std::int64_t i = 0; i < scored.score->length(); ++i) {
      if (scored.score->IsNull(i)) continue;
      ++result_.scores[BinOf(scored.score->Value(i), PoolPassResult::kNumBins)];
    }
    if (reasons_ != nullptr) ARROW_RETURN_NOT_OK(Explain(pool));
    return arrow::Status::OK();
  }

  PoolPassResult Finish() && {
    for (const GroupCounts& counts : groups_) result_.groups.push_back(counts.Sorted());
    return std::move(result_);
  }

 private:
  static std::size_t BinOf(float score, std::size_t num_bins) {
    const auto bin = static_cast<std::size_t>(std::max(score, 0.0F) * static_cast<float>(num_bins));
    return std::min(bin, num_bins - 1);
  }

  arrow::Status CountTruth(const PoolBatch& pool) {
    if (!pool.columns.truth) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const auto truth, pool.columns.truth->Numbers(*pool.batch.rows, kTruths));
    const arrow::FloatArray& scores = *pool.scored.score;
    for (std::int64_t i = 0; i < scores.length(); ++i) {
      if (scores.IsNull(i) || truth->IsNull(i)) continue;
      PoolPassResult::Bin& bin =
          result_.reliability[BinOf(scores.Value(i), result_.reliability.size())];
      ++bin.rows;
      bin.shifted += truth->Value(i) != 0 ? 1 : 0;
      bin.score_sum += scores.Value(i);
    }
    return arrow::Status::OK();
  }

  arrow::Status CountGroups(const PoolBatch& pool) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      ARROW_ASSIGN_OR_RAISE(const auto texts, pool.columns.groups[g].Texts(*pool.batch.rows));
      for (std::int64_t i = 0; i < texts->length(); ++i) {
        if (pool.scored.score->IsNull(i)) continue;
        groups_[g].Add(texts->IsNull(i) ? "(null)" : texts->GetString(i),
                       pool.scored.dropped->Value(i));
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status Explain(const PoolBatch& pool) {
    const arrow::RecordBatch& rows = *pool.batch.rows;
    ARROW_ASSIGN_OR_RAISE(const LabelColumns::Run labels,
                          labels_.Rows(pool.first_row_of_file + pool.batch.first_row,
                                       rows.num_rows(), pool.file.name));
    std::shared_ptr<arrow::StringArray> ids;
    if (pool.columns.id) {
      ARROW_ASSIGN_OR_RAISE(ids, pool.columns.id->Texts(rows));
    }
    const ScoredBatch& scored = pool.scored;
    std::vector<DroppedRow> explained;
    algorithms::Matrix embeddings{{}, static_cast<std::size_t>(scored.rows.dimension)};
    for (std::int64_t i = 0; i < rows.num_rows(); ++i) {
      if (!scored.dropped->Value(i)) continue;
      const float* const row = scored.rows.values + i * scored.rows.dimension;
      embeddings.values.insert(embeddings.values.end(), row, row + scored.rows.dimension);
      const std::int64_t number = pool.batch.first_row + i;
      explained.push_back(
          {ids != nullptr && ids->IsValid(i) ? ids->GetString(i) : PlaceOf(pool.file, number),
           pool.file.relative_path.string(), number, scored.score->Value(i),
           scored.p_value != nullptr ? scored.p_value->Value(i) : -1,
           labels.round->IsValid(i) ? labels.round->Value(i) : -1});
    }
    return reasons_->Write(explained, embeddings.view(), runtime_.MakeExecution());
  }

  LabelColumns labels_;
  ReasonsWriter* reasons_;
  const Runtime& runtime_;
  PoolPassResult result_;
  std::vector<GroupCounts> groups_;
};

// Reads the pictures of typical rows as their files come by.
class TypicalPictures {
 public:
  TypicalPictures(const Findings& findings, std::string column) : column_(std::move(column)) {
    if (column_.empty()) return;
    for (const auto& kind : findings.typical_rows) {
      for (const Findings::TypicalRow& typical : kind) rows_.push_back(typical.row);
    }
    std::ranges::sort(rows_);
    const auto repeated = std::ranges::unique(rows_);
    rows_.erase(repeated.begin(), repeated.end());
    places_ = PickRows(findings.pool_rows, rows_);
    std::size_t next = 0;
    for (const std::vector<std::int64_t>& rows : places_.rows) {
      first_.push_back(next);
      next += rows.size();
    }
  }

  arrow::Status Read(std::size_t file, const arrow_io::InputFile& input,
                     const ParquetInput& parquet, std::map<std::uint32_t, std::string>& pictures) {
    if (column_.empty()) return arrow::Status::OK();
    std::size_t next = first_[file];
    for (const std::int64_t row : places_.rows[file]) {
      ARROW_ASSIGN_OR_RAISE(std::string uri, ReadPicture(input, parquet, row, column_));
      if (!uri.empty()) pictures[rows_[next]] = std::move(uri);
      ++next;
    }
    return arrow::Status::OK();
  }

 private:
  std::string column_;
  std::vector<std::uint32_t> rows_;
  RowSample places_;
  // Where the rows of each file begin in `rows_`: files before it may have become bad since the
  // fit, and are not read then.
  std::vector<std::size_t> first_;
};

}  // namespace

arrow::Result<PoolPassResult> RunPoolPass(const FitRequest& request, const FitResult& fit,
                                          const ScoreOptions& scoring,
                                          const PoolPassOptions& options, StageClock& clock) {
  if (!fit.findings) return arrow::Status::Invalid("a pass over the pool needs findings");
  ScoreOptions own = scoring;
  own.p_values = !fit.model.calibration.empty();
  ARROW_ASSIGN_OR_RAISE(const auto model, PreparedModel::Make(fit.model, own));
  const IdColumn id = ResolveIdColumn(request.pool, options.id);
  std::unique_ptr<ReasonsWriter> reasons;
  if (options.reasons) {
    ARROW_ASSIGN_OR_RAISE(
        reasons, ReasonsWriter::Create(*options.reasons, options.reasons_name, *fit.findings));
  }
  PoolObserver observer(fit, options, reasons.get(), clock.runtime());
  TypicalPictures typical(*fit.findings, options.image);
  std::map<std::uint32_t, std::string> pictures;
  const auto num_rows = static_cast<double>(std::max<std::int64_t>(request.pool.num_rows(), 1));
  std::int64_t rows_done = 0;
  ARROW_RETURN_NOT_OK(request.pool.ForEachFile([&](std::size_t number,
                                                   const ParquetInput& parquet) -> arrow::Status {
    const arrow_io::InputFile& file = request.pool.files()[number];
    ARROW_ASSIGN_OR_RAISE(const Columns columns,
                          Columns::Find(parquet, request.pool.embedding(), id, options));
    const BatchScorer scorer =
        BatchScorer::MakeForColumn(model, parquet.name(), request.pool.embedding());
    ARROW_RETURN_NOT_OK(typical.Read(number, file, parquet, pictures));
    return parquet.ForEachBatch(
        columns.ToRead(), [&](const ParquetInput::Batch& batch) -> arrow::Status {
          ARROW_RETURN_NOT_OK(clock.runtime().CheckStop());
          ARROW_ASSIGN_OR_RAISE(const ScoredBatch scored,
                                scorer.Score(*batch.rows, batch.first_row, clock.runtime()));
          ARROW_RETURN_NOT_OK(observer.Add({file, fit.first_rows[number], columns, batch, scored}));
          rows_done += batch.rows->num_rows();
          clock.Report("examine", static_cast<double>(rows_done) / num_rows, rows_done);
          return arrow::Status::OK();
        });
  }));
  if (reasons) ARROW_RETURN_NOT_OK(reasons->Close());
  clock.Pause();
  PoolPassResult result = std::move(observer).Finish();
  result.pictures = std::move(pictures);
  return result;
}

arrow::Status CheckPoolPassColumns(const ParquetInput& file, const PoolPassOptions& options) {
  auto find = [&](const std::string& name, const char* option) {
    return NamedColumn::Find(*file.schema(), file.name(), file.partitions(), name, option);
  };
  for (const std::string& name : options.group_by) {
    ARROW_RETURN_NOT_OK(find(name, "group-by").status());
  }
  if (!options.id.empty()) ARROW_RETURN_NOT_OK(find(options.id, "id").status());
  if (!options.truth.empty()) {
    ARROW_ASSIGN_OR_RAISE(const NamedColumn truth, find(options.truth, "truth"));
    ARROW_RETURN_NOT_OK(truth.CheckNumbers(*file.schema(), kTruths));
  }
  if (options.image.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const NamedColumn image, find(options.image, "report-image"));
  return CheckPictureColumn(*file.schema(), image);
}

}  // namespace spuna
