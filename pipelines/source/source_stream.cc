#include "pipelines/source/source_stream.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <utility>

#include "arrow_io/input_files.h"

namespace spuna {

arrow::Result<std::shared_ptr<arrow::Schema>> ColumnsOfStream(const Source& source) {
  std::vector<arrow_io::FileColumns> columns;
  for (const std::size_t file : source.GivenOrder()) {
    if (source.IsBad(file)) continue;
    columns.push_back(arrow_io::ColumnsInStream(source.files()[file], source.SchemaOf(file)));
  }
  return arrow_io::UniteColumns(columns);
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> OpenSourceStream(const Source& source) {
  arrow_io::InputFiles good;
  for (const std::size_t file : source.GivenOrder()) {
    if (source.IsBad(file)) continue;
    ARROW_RETURN_NOT_OK(source.files()[file].CheckUnchanged());
    good.files.push_back(source.files()[file]);
  }
  ARROW_ASSIGN_OR_RAISE(auto schema, ColumnsOfStream(source));
  SourceStreamOptions options;
  options.embedding = source.embedding();
  return arrow_io::StreamParquet(good, options, std::move(schema));
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> OpenSourceStream(
    const arrow_io::InputListing& listing, const SourceStreamOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const auto files, arrow_io::ListInputFiles(listing));
  return arrow_io::StreamParquet(files, options);
}

}  // namespace spuna
