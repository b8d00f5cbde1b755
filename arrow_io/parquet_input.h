#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow_io/input_files.h"

namespace parquet {
class FileMetaData;
class ParquetFileReader;
}  // namespace parquet
namespace parquet::arrow {
class FileReader;
}

namespace spuna::arrow_io {

/// A Parquet file opened for reading, a row group at a time and in batches of bounded size. The
/// sizes of the batches depend on the file alone.
class ParquetInput {
 public:
  /// Reads the footer. Errors name the file.
  static arrow::Result<std::unique_ptr<ParquetInput>> Open(const InputFile& file);
  static arrow::Result<std::unique_ptr<ParquetInput>> Open(const std::filesystem::path& path) {
    return Open(LocalFile(path));
  }
  ~ParquetInput();

  const std::string& name() const { return name_; }
  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  /// The hive partitions of its path.
  const std::vector<std::pair<std::string, std::string>>& partitions() const { return partitions_; }
  const parquet::FileMetaData& metadata() const;
  std::int64_t num_rows() const;
  int num_row_groups() const;
  std::int64_t RowsOf(int row_group) const;
  /// How many rows a batch has at most.
  std::int64_t rows_per_batch() const { return rows_per_batch_; }
  /// What lies below; row groups may be read from it at the same time.
  parquet::ParquetFileReader& file_reader() const;
  /// The bytes of the file.
  const std::shared_ptr<arrow::io::RandomAccessFile>& bytes() const { return bytes_; }

  /// The Parquet columns (leaves) that hold the given top-level columns, in the schema's order.
  std::vector<int> Leaves(const std::vector<int>& columns) const;

  /// A run of rows of the file.
  struct Batch {
    std::shared_ptr<arrow::RecordBatch> rows;
    /// Whether it is the first of its row group.
    bool starts_row_group = false;
    int row_group = 0;
    /// The number of its first row within the file.
    std::int64_t first_row = 0;
  };

  /// Reads the given top-level columns batch by batch, in the schema's order. The input must
  /// outlive it.
  class Cursor {
   public:
    Cursor(Cursor&&) noexcept;
    ~Cursor();

    /// The next batch; its rows are null at the end. An error names the file.
    arrow::Result<Batch> Next();

   private:
    friend class ParquetInput;
    Cursor(const ParquetInput& input, const std::vector<int>& columns, int begin, int end);

    const ParquetInput& input_;
    std::vector<int> leaves_;
    int next_row_group_;
    int end_;
    std::int64_t expected_rows_ = 0;
    std::int64_t next_row_ = 0;
    std::unique_ptr<arrow::RecordBatchReader> row_group_;
  };

  Cursor Read(const std::vector<int>& columns) const {
    return {*this, columns, 0, num_row_groups()};
  }
  /// The same for one row group; its rows are numbered from 0.
  Cursor ReadRowGroup(const std::vector<int>& columns, int row_group) const {
    return {*this, columns, row_group, row_group + 1};
  }

  /// Calls `visit` with every batch in order, holding the given top-level columns in the schema's
  /// order. Ends at the first error; an error of reading names the file.
  arrow::Status ForEachBatch(const std::vector<int>& columns,
                             const std::function<arrow::Status(const Batch&)>& visit) const;

  /// Puts the file's name before an error of reading it, and gives it its kind (failure.h).
  arrow::Status Explain(const arrow::Status& status) const;

 private:
  ParquetInput();

  std::string name_;
  std::vector<std::pair<std::string, std::string>> partitions_;
  std::shared_ptr<arrow::Schema> schema_;
  std::int64_t rows_per_batch_ = 1;
  std::shared_ptr<arrow::io::RandomAccessFile> bytes_;
  std::unique_ptr<parquet::arrow::FileReader> reader_;
};

/// How many rows of a file, at least one, take no more than so many bytes once they are decoded.
std::int64_t RowsWithin(const parquet::FileMetaData& metadata, std::int64_t num_bytes);

/// In place of an input's column: one that an output has of its own.
inline constexpr int kAppended = -1;

/// Every column of a schema, by position.
std::vector<int> AllColumns(const arrow::Schema& schema);

}  // namespace spuna::arrow_io
