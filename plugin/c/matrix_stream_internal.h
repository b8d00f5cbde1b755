#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>

namespace spuna::c {

/// A matrix of float32, row by row, as batches with one column `embedding`. Nothing is copied:
/// `owner` is held as long as anything refers to the values.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeMatrixStream(
    const float* values, std::int64_t num_rows, std::int64_t dimension,
    std::shared_ptr<void> owner);

}  // namespace spuna::c
