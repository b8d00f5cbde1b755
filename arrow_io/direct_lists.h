#pragma once

#include <arrow/result.h>

#include <cstdint>

#include "arrow_io/parquet_input.h"

namespace spuna::arrow_io {

/// The length that all lists of a column have in a row group, if they are lists of float32 of one
/// length and none is null, as far as the footer can tell; otherwise 0.
std::int64_t UniformLength(const ParquetInput& input, int column, int row_group);

/// Reads lists straight from Parquet's column reader into `values`, which has room for
/// rows * `length` numbers: no list is built, and the levels are only compared with those that
/// lists of this length must have. False if they differ (a null, a list of another length) or there
/// are fewer than the footer says; then the row group must be read the general way. Row groups may
/// be read at the same time.
arrow::Result<bool> ReadListsDirectly(const ParquetInput& input, int column, int row_group,
                                      std::int64_t length, float* values);

}  // namespace spuna::arrow_io
