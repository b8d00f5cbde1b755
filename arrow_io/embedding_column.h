#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace spuna::arrow_io {

/// Whether a column of this type can hold embeddings: a fixed_size_list, list or large_list of
/// float16, float32 or float64, or an arrow.fixed_shape_tensor of them.
bool IsEmbeddingType(const arrow::DataType& type);

/// The position of the embedding column: the one called `name`; without a name the one called
/// "embedding", else the only one of a fitting type. `file` is for the message.
arrow::Result<int> FindEmbeddingColumn(const arrow::Schema& schema, const std::string& name,
                                       const std::string& file);

/// The names of columns for a message: "'a', 'b'".
std::string QuotedNames(const arrow::Schema& schema, const std::vector<int>& columns);

/// Where a run of rows comes from; error messages name it.
struct ColumnLocation {
  std::string column;
  std::string file;
  /// The number of the first row within the file.
  std::int64_t first_row = 0;
};

/// The embeddings of some rows as float32, one after the other.
struct EmbeddingRows {
  /// Points into the Arrow array where its bytes allow it, else into a converted copy. Rows that
  /// are not valid have unspecified values.
  const float* values = nullptr;
  std::int64_t num_rows = 0;
  /// 0 when no row has an embedding to tell it from.
  std::int64_t dimension = 0;
  /// One byte a row: 1 if the embedding is there and all its values are finite in float32.
  std::vector<std::uint8_t> valid;
  std::int64_t num_invalid = 0;
  /// Keeps `values` alive.
  std::shared_ptr<void> owner;
  /// Whether `values` is the array's own memory.
  bool is_view = false;
};

/// Rows of float32 that lie in memory already and are all there: marks those that are not finite.
EmbeddingRows CheckRows(const float* values, std::int64_t num_rows, std::int64_t dimension);

/// Reads an embedding column, whatever its type, offset and nulls. `dimension` is what every row
/// must have; 0 takes that of the first row. A row that is null, holds a null or a value that is
/// not finite is marked invalid; a row of another dimension is an error.
arrow::Result<EmbeddingRows> ReadEmbeddings(const std::shared_ptr<arrow::Array>& column,
                                            std::int64_t dimension, const ColumnLocation& location);

}  // namespace spuna::arrow_io
