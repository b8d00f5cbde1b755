#include "pipelines/label_output.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow_io/embedding_column.h"
#include "arrow_io/parquet_input.h"
#include "arrow_io/parquet_output.h"
#include "pipelines/appended_columns_internal.h"

namespace spuna {
namespace {

using arrow_io::ParquetInput;
using arrow_io::ParquetOutput;

// Our columns of the labels file, row by row.
class LabelColumns {
 public:
  static arrow::FieldVector Fields(const std::string& prefix) {
    return {arrow::field(prefix + "label", arrow::utf8()),
            arrow::field(prefix + "round", arrow::int32()),
            arrow::field(prefix + "neighbor_score", arrow::float32())};
  }

  explicit LabelColumns(const FitResult& fit) : fit_(fit) {}

  // The columns of the next `count` pool rows. `selected` gets false for invalid rows.
  arrow::Result<arrow::ArrayVector> Next(std::int64_t count, arrow::BooleanBuilder& selected) {
    arrow::StringBuilder labels;
    arrow::Int32Builder rounds;
    arrow::FloatBuilder scores;
    for (std::int64_t i = 0; i < count; ++i) {
      const bool valid = fit_.pool_valid[next_row_++] != 0;
      ARROW_RETURN_NOT_OK(selected.Append(valid));
      const algorithms::PseudoLabel label =
          valid ? fit_.expansion.labels[next_valid_] : algorithms::PseudoLabel::kNone;
      if (label == algorithms::PseudoLabel::kNone) {
        ARROW_RETURN_NOT_OK(labels.AppendNull());
        ARROW_RETURN_NOT_OK(rounds.AppendNull());
      } else {
        ARROW_RETURN_NOT_OK(
            labels.Append(label == algorithms::PseudoLabel::kClean ? "clean" : "shifted"));
        ARROW_RETURN_NOT_OK(rounds.Append(fit_.expansion.rounds[next_valid_]));
      }
      const double score = valid ? (*fit_.neighbor_scores)[next_valid_] : std::nan("");
      ARROW_RETURN_NOT_OK(std::isnan(score) ? scores.AppendNull()
                                            : scores.Append(static_cast<float>(score)));
      next_valid_ += valid ? 1 : 0;
    }
    arrow::ArrayVector columns(3);
    ARROW_RETURN_NOT_OK(labels.Finish(&columns[0]));
    ARROW_RETURN_NOT_OK(rounds.Finish(&columns[1]));
    ARROW_RETURN_NOT_OK(scores.Finish(&columns[2]));
    return columns;
  }

 private:
  const FitResult& fit_;
  std::size_t next_row_ = 0;
  std::size_t next_valid_ = 0;
};

using Partitions = std::vector<std::pair<std::string, std::string>>;

// The keys that are in the path alone; some writers put them into the file as well.
Partitions PathOnlyPartitions(const arrow_io::InputFile& file, const arrow::Schema& schema) {
  Partitions partitions;
  for (const auto& partition : file.partitions) {
    if (schema.GetAllFieldIndices(partition.first).empty()) partitions.push_back(partition);
  }
  return partitions;
}

arrow::Result<arrow::ArrayVector> PartitionColumns(const Partitions& partitions,
                                                   std::int64_t num_rows) {
  arrow::ArrayVector columns;
  for (const auto& [key, value] : partitions) {
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(),
                          arrow::MakeArrayFromScalar(arrow::StringScalar(value), num_rows));
  }
  return columns;
}

arrow::FieldVector PartitionFields(const Partitions& partitions) {
  arrow::FieldVector fields;
  for (const auto& [key, value] : partitions) fields.push_back(arrow::field(key, arrow::utf8()));
  return fields;
}

}  // namespace

arrow::Status WriteLabels(const arrow_io::InputFiles& pool, const FitResult& fit,
                          const ScoreOptions& options, const arrow_io::StagedOutput& output,
                          StageClock& clock) {
  clock.Report("write");
  LabelColumns labels(fit);
  std::unique_ptr<ParquetOutput> labels_file;
  std::shared_ptr<arrow::Schema> schema;
  for (const arrow_io::InputFile& file : pool.files) {
    ARROW_ASSIGN_OR_RAISE(const auto parquet, ParquetInput::Open(file.path));
    ARROW_ASSIGN_OR_RAISE(
        const int embedding,
        arrow_io::FindEmbeddingColumn(*parquet->schema(), options.embedding, parquet->name()));
    std::vector<int> columns = arrow_io::AllColumns(*parquet->schema());
    columns.erase(columns.begin() + embedding);
    const Partitions partitions = PathOnlyPartitions(file, *parquet->schema());
    arrow::FieldVector appended = PartitionFields(partitions);
    const arrow::FieldVector ours = LabelColumns::Fields(options.prefix);
    appended.insert(appended.end(), ours.begin(), ours.end());
    ARROW_ASSIGN_OR_RAISE(const auto file_schema,
                          AppendFields(*parquet->schema(), columns, appended, parquet->name()));
    if (schema == nullptr) {
      schema = file_schema;
      ARROW_ASSIGN_OR_RAISE(labels_file,
                            ParquetOutput::Create(output.path(), *parquet, columns, schema));
    } else if (!schema->Equals(*file_schema, /*check_metadata=*/false)) {
      return arrow::Status::Invalid("`labels`: ", parquet->name(), ": expected the columns of ",
                                    pool.files.front().path.string(),
                                    ", since all labels go to one file, but found others");
    }
    labels_file->StartRowGroup();
    int row_group = 0;
    ARROW_RETURN_NOT_OK(
        parquet->ForEachBatch(columns, [&](const ParquetInput::Batch& batch) -> arrow::Status {
          if (clock.runtime().ShouldStop()) return arrow::Status::Cancelled("interrupted");
          ARROW_ASSIGN_OR_RAISE(arrow::ArrayVector added,
                                PartitionColumns(partitions, batch.rows->num_rows()));
          arrow::BooleanBuilder valid;
          ARROW_ASSIGN_OR_RAISE(const arrow::ArrayVector our_columns,
                                labels.Next(batch.rows->num_rows(), valid));
          added.insert(added.end(), our_columns.begin(), our_columns.end());
          std::shared_ptr<arrow::BooleanArray> selected;
          ARROW_RETURN_NOT_OK(valid.Finish(&selected));
          if (options.invalid != InvalidRows::kDrop) selected = nullptr;
          ARROW_ASSIGN_OR_RAISE(const auto rows,
                                AppendColumns(*batch.rows, schema, added, selected));
          if (batch.row_group != row_group) labels_file->StartRowGroup();
          row_group = batch.row_group;
          return labels_file->Write(*rows);
        }));
  }
  ARROW_RETURN_NOT_OK(labels_file->Close());
  clock.Pause();
  return arrow::Status::OK();
}

}  // namespace spuna
