#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "arrow_io/parquet_input.h"

namespace spuna::arrow_io {

/// A copy of a Parquet file, or of some of its columns, with columns appended. What is taken is
/// copied as it is, pages and statistics included, without being decoded: only the new columns are
/// encoded. Bloom filters and page indexes are left out.
class AnnotatedCopy {
 public:
  /// Whether a file can be copied like this: its chunks lie where the footer says, are not
  /// encrypted, and a column has one codec throughout.
  static bool CanCopy(const ParquetInput& input);

  /// Creates the file; messages call it `name`. `sources` says which column of the input each field
  /// of `schema` is, or kAppended; fields beyond its end are appended too. At least one must be.
  /// They are compressed as the last one taken, or as the last of the input where none is. The
  /// input must outlive it.
  static arrow::Result<std::unique_ptr<AnnotatedCopy>> Create(
      const std::filesystem::path& path, const std::string& name, const ParquetInput& input,
      const std::shared_ptr<arrow::Schema>& schema, const std::vector<int>& sources);
  ~AnnotatedCopy();

  /// Starts a row group, to which the taken columns of one of the input are copied. An error of
  /// reading the input names the input, and InputFailed tells it from one of writing.
  arrow::Status StartRowGroup(int row_group);
  bool InputFailed() const;

  /// Copies the part of the taken columns that so many further rows are of the row group: whoever
  /// does this with every batch has the copying done beside the rest of the work.
  arrow::Status CopyRows(std::int64_t num_rows);

  /// Ends the row group: copies what is left of the taken columns, and writes the appended ones in
  /// their order, as many rows as it has.
  arrow::Status AppendColumns(const arrow::ChunkedArrayVector& columns);

  /// Writes the footer and closes the file.
  arrow::Status Close();

 private:
  struct State;
  explicit AnnotatedCopy(std::unique_ptr<State> state);
  arrow::Status Explain(const arrow::Status& status) const;

  std::unique_ptr<State> state_;
};

}  // namespace spuna::arrow_io
