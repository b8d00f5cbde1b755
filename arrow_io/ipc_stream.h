#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <memory>

namespace spuna::arrow_io {

/// The Arrow IPC stream on standard input. Errors name it.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadStandardInput();

/// Writes all batches to standard output as an Arrow IPC stream. It ends with the format's mark of
/// the end only if all went well.
arrow::Status WriteStandardOutput(arrow::RecordBatchReader& rows);

}  // namespace spuna::arrow_io
