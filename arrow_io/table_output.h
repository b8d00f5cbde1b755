#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <filesystem>
#include <memory>
#include <string>

namespace parquet::arrow {
class FileWriter;
}

namespace spuna::arrow_io {

/// A new Parquet file, compressed with zstd, that grows batch by batch.
class TableOutput {
 public:
  /// Creates the file; messages call it `name`.
  static arrow::Result<std::unique_ptr<TableOutput>> Create(
      const std::filesystem::path& path, const std::string& name,
      const std::shared_ptr<arrow::Schema>& schema);
  ~TableOutput();

  arrow::Status Write(const arrow::RecordBatch& batch);

  /// Writes the footer and closes the file.
  arrow::Status Close();

 private:
  TableOutput();
  arrow::Status Explain(const arrow::Status& status) const;

  std::string name_;
  std::shared_ptr<arrow::io::OutputStream> file_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
};

}  // namespace spuna::arrow_io
