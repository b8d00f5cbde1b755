#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <functional>
#include <memory>

namespace spuna::arrow_io {

/// The Arrow IPC stream on standard input. Errors name it. `should_stop`, which may be empty, is
/// asked while nothing comes; true ends the reading with Status::Cancelled.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadStandardInput(
    const std::function<bool()>& should_stop);

/// Writes all batches to standard output as an Arrow IPC stream. It ends with the format's mark of
/// the end only if all went well.
arrow::Status WriteStandardOutput(arrow::RecordBatchReader& rows);

}  // namespace spuna::arrow_io
