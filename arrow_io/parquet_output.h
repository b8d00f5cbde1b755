#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "arrow_io/parquet_input.h"

namespace parquet::arrow {
class FileWriter;
}

namespace spuna::arrow_io {

/// A Parquet file being written in the likeness of another: column by column the compression codec,
/// and dictionary or byte-stream-split encoding, of its first row group; the same key-value
/// metadata; and row groups where the caller starts them, or sooner: a row group is held in memory
/// until it is complete, so none gets larger than about 64 MB.
class ParquetOutput {
 public:
  /// The most that the rows of a row group may take. Its buffers double as they grow, so in memory
  /// it can be three times as much before it is written.
  static constexpr std::int64_t kMaxRowGroupBytes = 64 << 20;

  /// Creates the file; messages call it `name`. `sources` says which column of `like` each field of
  /// `schema` is, or kAppended; fields beyond its end are appended too. Those are compressed as the
  /// last one taken, or as the last of `like` where none is; not at all where `sources` is empty.
  static arrow::Result<std::unique_ptr<ParquetOutput>> Create(
      const std::filesystem::path& path, const std::string& name, const ParquetInput& like,
      const std::vector<int>& sources, const std::shared_ptr<arrow::Schema>& schema,
      std::int64_t max_row_group_bytes = kMaxRowGroupBytes);
  ~ParquetOutput();

  /// Starts the next row group with the next Write; a row group without rows is never written.
  void StartRowGroup() { starts_row_group_ = true; }
  arrow::Status Write(const arrow::RecordBatch& batch);

  /// Writes the footer and closes the file.
  arrow::Status Close();

 private:
  ParquetOutput();

  arrow::Status Explain(const arrow::Status& status) const;

  std::string name_;
  std::shared_ptr<arrow::io::OutputStream> file_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
  bool starts_row_group_ = true;
  std::int64_t rows_in_group_ = 0;
  std::int64_t max_rows_in_group_ = 0;
};

}  // namespace spuna::arrow_io
