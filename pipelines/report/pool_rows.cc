#include "pipelines/report/pool_rows.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "arrow_io/parquet_input.h"
#include "pipelines/fit/stream_fit.h"
#include "pipelines/report/pictures.h"
#include "pipelines/source/named_column.h"

namespace spuna {
namespace {

using arrow_io::ParquetInput;

class FilePart : public PoolPart {
 public:
  FilePart(const arrow_io::InputFile& file, const ParquetInput& parquet)
      : file_(file), parquet_(parquet) {}

  std::string name() const override { return file_.name; }
  std::string path() const override { return file_.relative_path.string(); }
  const arrow::Schema& schema() const override { return *parquet_.schema(); }
  const std::vector<std::pair<std::string, std::string>>& hive_keys() const override {
    return parquet_.partitions();
  }
  std::string PlaceOf(std::int64_t row) const override { return spuna::PlaceOf(file_, row); }

  arrow::Status ForEachBatch(const std::vector<int>& columns, const Visit& visit) const override {
    return parquet_.ForEachBatch(columns, [&](const ParquetInput::Batch& batch) {
      return visit(*batch.rows, batch.first_row);
    });
  }

  arrow::Result<std::vector<std::string>> Pictures(std::span<const std::int64_t> rows,
                                                   const std::string& column) const override {
    ARROW_ASSIGN_OR_RAISE(const auto found,
                          NamedColumn::FindIfThere(*parquet_.schema(), parquet_.name(),
                                                   parquet_.partitions(), column));
    // A file that lacks the column has no pictures.
    if (!found) return std::vector<std::string>(rows.size());
    std::vector<std::string> pictures;
    for (const std::int64_t row : rows) {
      ARROW_ASSIGN_OR_RAISE(std::string uri, ReadPicture(file_, parquet_, row, column));
      pictures.push_back(std::move(uri));
    }
    return pictures;
  }

 private:
  const arrow_io::InputFile& file_;
  const ParquetInput& parquet_;
};

class StreamPart : public PoolPart {
 public:
  StreamPart(std::string name, const OpenRows& open, const arrow::Schema& schema)
      : name_(std::move(name)), open_(open), schema_(schema) {}

  std::string name() const override { return name_; }
  std::string path() const override { return ""; }
  const arrow::Schema& schema() const override { return schema_; }
  const std::vector<std::pair<std::string, std::string>>& hive_keys() const override {
    return no_keys_;
  }
  std::string PlaceOf(std::int64_t row) const override { return PlaceInStream(row); }

  // A stream brings all of its columns.
  arrow::Status ForEachBatch(const std::vector<int>&, const Visit& visit) const override {
    ARROW_ASSIGN_OR_RAISE(const auto rows, open_());
    if (!rows->schema()->Equals(schema_, /*check_metadata=*/false)) {
      return arrow::Status::Invalid(name_, ": its columns changed between two readings");
    }
    std::int64_t first = 0;
    while (true) {
      std::shared_ptr<arrow::RecordBatch> batch;
      ARROW_RETURN_NOT_OK(rows->ReadNext(&batch));
      if (batch == nullptr) return arrow::Status::OK();
      ARROW_RETURN_NOT_OK(visit(*batch, first));
      first += batch->num_rows();
    }
  }

  arrow::Result<std::vector<std::string>> Pictures(std::span<const std::int64_t> rows,
                                                   const std::string& column) const override {
    std::vector<std::string> pictures(rows.size());
    if (rows.empty()) return pictures;
    ARROW_ASSIGN_OR_RAISE(const NamedColumn found,
                          NamedColumn::Find(schema_, name_, {}, column, "report-image"));
    std::size_t next = 0;
    ARROW_RETURN_NOT_OK(ForEachBatch({}, [&](const arrow::RecordBatch& batch, std::int64_t first) {
      for (; next < rows.size() && rows[next] < first + batch.num_rows(); ++next) {
        pictures[next] = PictureAt(batch.column(found.position), rows[next] - first, "");
      }
      return arrow::Status::OK();
    }));
    return pictures;
  }

 private:
  std::string name_;
  const OpenRows& open_;
  const arrow::Schema& schema_;
  std::vector<std::pair<std::string, std::string>> no_keys_;
};

}  // namespace

arrow::Status FilePool::ForEachPart(const Visit& visit, const Runtime& runtime) const {
  for (std::size_t number = 0; number < source_.files().size(); ++number) {
    if (!source_.IsRead(number)) continue;
    const arrow_io::InputFile& file = source_.files()[number];
    auto visit_part = [&](std::size_t, const ParquetInput& parquet) {
      return visit(number, FilePart(file, parquet));
    };
    const arrow::Status read = source_.ReadFile(number, visit_part, runtime);
    if (read.ok()) continue;
    if (may_skip_) ARROW_RETURN_NOT_OK(source_.bad_files().Take(file, read));
    return read;
  }
  return arrow::Status::OK();
}

std::string StreamPool::name() const { return kPoolStream; }

arrow::Status StreamPool::ForEachPart(const Visit& visit, const Runtime&) const {
  return visit(0, StreamPart(name(), open_, *schema_));
}

}  // namespace spuna
