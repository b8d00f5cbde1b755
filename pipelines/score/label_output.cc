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

// One file of the pool, and what of it goes to the labels.
struct LabeledFile {
  std::unique_ptr<ParquetInput> parquet;
  /// All columns but the embedding.
  std::vector<int> columns;
  /// The keys of its hive partitions.
  arrow_io::HiveColumns hive;
  /// How many columns stand before ours.
  std::size_t num_theirs = 0;
  /// The columns, the keys and ours.
  std::shared_ptr<arrow::Schema> schema;

  static arrow::Result<LabeledFile> Open(const arrow_io::InputFile& file,
                                         const LabelOptions& options) {
    LabeledFile opened;
    ARROW_ASSIGN_OR_RAISE(opened.parquet, ParquetInput::Open(file));
    const arrow::Schema& schema = *opened.parquet->schema();
    ARROW_ASSIGN_OR_RAISE(const int embedding,
                          arrow_io::FindEmbeddingColumn(schema, options.embedding, opened.name()));
    opened.columns = arrow_io::AllColumns(schema);
    opened.columns.erase(opened.columns.begin() + embedding);
    opened.hive = arrow_io::HiveColumns(file, schema);
    arrow::FieldVector appended = opened.hive.Fields();
    opened.num_theirs = opened.columns.size() + appended.size();
    const arrow::FieldVector ours = LabelColumns::Fields(options.prefix, /*neighbor_scores=*/true);
    appended.insert(appended.end(), ours.begin(), ours.end());
    ARROW_ASSIGN_OR_RAISE(opened.schema,
                          AppendFields(schema, opened.columns, appended, opened.name()));
    return opened;
  }

  const std::string& name() const { return parquet->name(); }
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
    return arrow::Status::Invalid("`labels`: ", other.name(), ": expected the columns of ",
                                  first.name(),
                                  ", since all labels go to one file: ", describe(first, i),
                                  " but found ", describe(other, i));
  }
  return arrow::Status::OK();
}

// There is one: a pool without any can't be surveyed.
const arrow_io::InputFile& FirstGood(const arrow_io::InputFiles& pool, const BadFiles& bad_files) {
  return *std::ranges::find_if(
      pool.files, [&](const arrow_io::InputFile& file) { return !bad_files.Has(file); });
}

}  // namespace

arrow::Status CheckLabelColumns(const arrow_io::InputFiles& pool, const LabelOptions& options,
                                const BadFiles& bad_files) {
  ARROW_ASSIGN_OR_RAISE(const LabeledFile first,
                        LabeledFile::Open(FirstGood(pool, bad_files), options));
  for (const arrow_io::InputFile& file : pool.files) {
    if (bad_files.Has(file)) continue;
    ARROW_ASSIGN_OR_RAISE(const LabeledFile other, LabeledFile::Open(file, options));
    ARROW_RETURN_NOT_OK(CheckSameColumns(first, other));
  }
  return arrow::Status::OK();
}

arrow::Status WriteLabels(const arrow_io::InputFiles& pool, const FitResult& fit,
                          const LabelOptions& options, const BadFiles& bad_files,
                          const arrow_io::StagedOutput& output, StageClock& clock) {
  if (!fit.neighbor_scores) {
    return arrow::Status::Invalid("labels need a fit with neighbor scores");
  }
  clock.Report("write");
  ARROW_ASSIGN_OR_RAISE(const LabeledFile first,
                        LabeledFile::Open(FirstGood(pool, bad_files), options));
  ARROW_ASSIGN_OR_RAISE(const auto labels_file,
                        ParquetOutput::Create(output.path(), output.target().string(),
                                              *first.parquet, first.columns, first.schema));
  const LabelColumns labels(fit.expansion, fit.pool_valid, &*fit.neighbor_scores);
  std::int64_t first_row = 0;
  for (const arrow_io::InputFile& pool_file : pool.files) {
    if (bad_files.Has(pool_file)) continue;
    auto write = [&]() -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(const LabeledFile file, LabeledFile::Open(pool_file, options));
      ARROW_RETURN_NOT_OK(CheckSameColumns(first, file));
      return file.parquet->ForEachBatch(
          file.columns, [&](const ParquetInput::Batch& batch) -> arrow::Status {
            if (clock.runtime().ShouldStop()) return arrow::Status::Cancelled("interrupted");
            const std::int64_t num_rows = batch.rows->num_rows();
            ARROW_ASSIGN_OR_RAISE(arrow::ArrayVector appended, file.hive.Arrays(num_rows));
            ARROW_ASSIGN_OR_RAISE(const LabelColumns::Run run,
                                  labels.Rows(first_row, num_rows, file.name()));
            first_row += num_rows;
            appended.insert(appended.end(), run.columns.begin(), run.columns.end());
            const auto selected = options.invalid == InvalidRows::kDrop ? run.valid : nullptr;
            ARROW_ASSIGN_OR_RAISE(const auto rows,
                                  AppendColumns(*batch.rows, first.schema, appended, selected));
            if (batch.starts_row_group) labels_file->StartRowGroup();
            return labels_file->Write(*rows);
          });
    };
    ARROW_RETURN_NOT_OK(ReadUnchanged(pool_file, write));
  }
  ARROW_RETURN_NOT_OK(labels_file->Close());
  clock.Pause();
  return arrow::Status::OK();
}

}  // namespace spuna
