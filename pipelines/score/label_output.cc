#include "pipelines/score/label_output.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "arrow_io/embedding_column.h"
#include "arrow_io/hive_columns.h"
#include "arrow_io/parquet_input.h"
#include "arrow_io/parquet_output.h"
#include "pipelines/score/appended_columns.h"
#include "pipelines/score/label_columns.h"

namespace spuna {
namespace {

using arrow_io::ParquetInput;
using arrow_io::ParquetOutput;

// What of a file of the pool goes to the labels.
struct LabeledFile {
  const std::string* name = nullptr;
  /// All columns but the embedding.
  std::vector<int> columns;
  /// The keys of its hive partitions.
  arrow_io::HiveColumns hive;
  /// How many columns stand before ours.
  std::size_t num_theirs = 0;
  /// The columns, the keys and ours.
  std::shared_ptr<arrow::Schema> schema;

  static arrow::Result<LabeledFile> Of(const Source& pool, std::size_t number,
                                       const LabelOptions& options) {
    const arrow_io::InputFile& file = pool.files()[number];
    const arrow::Schema& schema = pool.SchemaOf(number);
    LabeledFile labeled;
    labeled.name = &file.name;
    ARROW_ASSIGN_OR_RAISE(const int embedding,
                          arrow_io::FindEmbeddingColumn(schema, pool.embedding(), file.name));
    labeled.columns = arrow_io::AllColumns(schema);
    labeled.columns.erase(labeled.columns.begin() + embedding);
    labeled.hive = arrow_io::HiveColumns(file, schema);
    arrow::FieldVector appended = labeled.hive.Fields();
    labeled.num_theirs = labeled.columns.size() + appended.size();
    const arrow::FieldVector ours = LabelColumns::Fields(options.prefix, /*neighbor_scores=*/true);
    appended.insert(appended.end(), ours.begin(), ours.end());
    ARROW_ASSIGN_OR_RAISE(labeled.schema,
                          AppendFields(schema, labeled.columns, appended, file.name));
    return labeled;
  }
};

// All labels go to one file, so all files of the pool must have the columns of the first.
arrow::Status CheckSameColumns(const LabeledFile& first, const LabeledFile& other) {
  const arrow::Schema& expected = *first.schema;
  const arrow::Schema& found = *other.schema;
  // Our columns stand behind those of the file and its path.
  auto describe = [](const LabeledFile& file, int i) {
    const bool is_ours = i >= static_cast<int>(file.num_theirs);
    return is_ours ? "none" : "'" + file.schema->field(i)->ToString() + "'";
  };
  for (int i = 0; i < std::max(expected.num_fields(), found.num_fields()); ++i) {
    if (i < expected.num_fields() && i < found.num_fields() &&
        expected.field(i)->Equals(*found.field(i), /*check_metadata=*/false)) {
      continue;
    }
    return arrow::Status::Invalid("`labels`: ", *other.name, ": expected the columns of ",
                                  *first.name,
                                  ", since all labels go to one file: ", describe(first, i),
                                  " but found ", describe(other, i));
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Status CheckLabelColumns(const Source& pool, const LabelOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const LabeledFile first, LabeledFile::Of(pool, pool.FirstGood(), options));
  for (std::size_t i = 0; i < pool.files().size(); ++i) {
    if (pool.IsBad(i)) continue;
    ARROW_ASSIGN_OR_RAISE(const LabeledFile other, LabeledFile::Of(pool, i, options));
    ARROW_RETURN_NOT_OK(CheckSameColumns(first, other));
  }
  return arrow::Status::OK();
}

arrow::Status WriteLabels(const Source& pool, const FitResult& fit, const LabelOptions& options,
                          const arrow_io::StagedOutput& output, StageClock& clock) {
  if (!fit.neighbor_scores) {
    return arrow::Status::Invalid("labels need a fit with neighbor scores");
  }
  clock.Report("write");
  ARROW_ASSIGN_OR_RAISE(const LabeledFile first, LabeledFile::Of(pool, pool.FirstGood(), options));
  const LabelColumns labels(fit.expansion, fit.pool_valid, &*fit.neighbor_scores);
  std::unique_ptr<ParquetOutput> labels_file;
  std::int64_t first_row = 0;
  ARROW_RETURN_NOT_OK(pool.ForEachFile(
      [&](std::size_t number, const ParquetInput& parquet) -> arrow::Status {
        if (labels_file == nullptr) {
          ARROW_ASSIGN_OR_RAISE(
              labels_file, ParquetOutput::Create(output.path(), output.target().string(), parquet,
                                                 first.columns, first.schema));
        }
        ARROW_ASSIGN_OR_RAISE(const LabeledFile file, LabeledFile::Of(pool, number, options));
        return parquet.ForEachBatch(
            file.columns, [&](const ParquetInput::Batch& batch) -> arrow::Status {
              ARROW_RETURN_NOT_OK(clock.runtime().CheckStop());
              const std::int64_t num_rows = batch.rows->num_rows();
              ARROW_ASSIGN_OR_RAISE(arrow::ArrayVector appended, file.hive.Arrays(num_rows));
              ARROW_ASSIGN_OR_RAISE(const LabelColumns::Run run,
                                    labels.Rows(first_row, num_rows, parquet.name()));
              first_row += num_rows;
              appended.insert(appended.end(), run.columns.begin(), run.columns.end());
              const auto selected = options.invalid == InvalidRows::kDrop ? run.valid : nullptr;
              ARROW_ASSIGN_OR_RAISE(const auto rows,
                                    AppendColumns(*batch.rows, first.schema, appended, selected));
              if (batch.starts_row_group) labels_file->StartRowGroup();
              return labels_file->Write(*rows);
            });
      },
      clock.runtime()));
  ARROW_RETURN_NOT_OK(labels_file->Close());
  clock.Pause();
  return arrow::Status::OK();
}

}  // namespace spuna
