#include "pipelines/source/source_stream.h"

#include <arrow/record_batch.h>

#include "arrow_io/input_files.h"

namespace spuna {

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> OpenSourceStream(
    const std::vector<std::string>& paths, const std::string& option,
    const SourceStreamOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const auto files, arrow_io::ListInputFiles(paths, option));
  return arrow_io::StreamParquet(files, options);
}

}  // namespace spuna
