#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>

#include "arrow_io/parquet_input.h"

namespace spuna::arrow_io {

/// The length that all lists of a column have in a row group, if they are lists of float32 of one
/// length and none is null, as far as the footer can tell; otherwise 0.
std::int64_t UniformLength(const ParquetInput& input, int column, int row_group);

/// Reads the lists of a row group straight from Parquet's column reader: no list is built, and the
/// levels are only compared with those that lists of one length must have.
class DirectLists {
 public:
  /// Of a row group whose UniformLength is `length`. Lists of different row groups may be read at
  /// the same time. The input must outlive it.
  static arrow::Result<std::unique_ptr<DirectLists>> Open(const ParquetInput& input, int column,
                                                          int row_group, std::int64_t length);
  ~DirectLists();

  /// Reads the next lists into `values`, which has room for `num_rows` * length numbers. False if
  /// they are not of this length (or one is null), or the row group has more or fewer of them than
  /// the footer says; then it must be read the general way.
  arrow::Result<bool> Read(std::int64_t num_rows, float* values);

 private:
  struct State;
  explicit DirectLists(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// The same for all lists of a row group.
arrow::Result<bool> ReadListsDirectly(const ParquetInput& input, int column, int row_group,
                                      std::int64_t length, float* values);

}  // namespace spuna::arrow_io
