#pragma once

#include <arrow/c/abi.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <memory>

namespace spuna::c {

/// What the only column is called where there is no name.
inline constexpr const char* kColumn = "embedding";

/// The rows of an array: a struct's fields, or one column.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> RowsOfArray(
    const std::shared_ptr<arrow::Array>& array, const std::shared_ptr<arrow::Schema>& schema);

/// Takes a stream of the caller over, whatever happens: its `release` becomes null. Its arrays may
/// be slices, and need not be structs. `name` is for messages.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> TakeStream(ArrowArrayStream* stream,
                                                                    const char* name);

/// Hands a stream out. No exception leaves it.
arrow::Status GiveStream(std::shared_ptr<arrow::RecordBatchReader> rows, ArrowArrayStream* out);

}  // namespace spuna::c
