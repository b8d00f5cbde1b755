#include "arrow_io/embedding_column.h"

#include <arrow/array.h>
#include <arrow/extension_type.h>
#include <arrow/type.h>
#include <arrow/util/float16.h>

#include <algorithm>
#include <bit>

namespace spuna::arrow_io {
namespace {

// fixed_shape_tensor is read through its storage.
const arrow::DataType& StorageType(const arrow::DataType& type) {
  if (type.id() != arrow::Type::EXTENSION) return type;
  return *static_cast<const arrow::ExtensionType&>(type).storage_type();
}

std::string Where(const ColumnLocation& location) {
  return "column '" + location.column + "' of " + location.file;
}

std::vector<int> EmbeddingColumns(const arrow::Schema& schema) {
  std::vector<int> columns;
  for (int i = 0; i < schema.num_fields(); ++i) {
    if (IsEmbeddingType(*schema.field(i)->type())) columns.push_back(i);
  }
  return columns;
}

// Where the values of a row start and how many there are, for any of the list types.
class ListLayout {
 public:
  explicit ListLayout(const arrow::Array& lists) : lists_(lists) {}

  std::int64_t Start(std::int64_t i) const {
    switch (lists_.type_id()) {
      case arrow::Type::FIXED_SIZE_LIST:
        return Cast<arrow::FixedSizeListArray>().value_offset(i);
      case arrow::Type::LARGE_LIST:
        return Cast<arrow::LargeListArray>().value_offset(i);
      default:
        return Cast<arrow::ListArray>().value_offset(i);
    }
  }
  std::int64_t Length(std::int64_t i) const {
    switch (lists_.type_id()) {
      case arrow::Type::FIXED_SIZE_LIST:
        return Cast<arrow::FixedSizeListArray>().list_type()->list_size();
      case arrow::Type::LARGE_LIST:
        return Cast<arrow::LargeListArray>().value_length(i);
      default:
        return Cast<arrow::ListArray>().value_length(i);
    }
  }
  const arrow::Array& values() const {
    switch (lists_.type_id()) {
      case arrow::Type::FIXED_SIZE_LIST:
        return *Cast<arrow::FixedSizeListArray>().values();
      case arrow::Type::LARGE_LIST:
        return *Cast<arrow::LargeListArray>().values();
      default:
        return *Cast<arrow::ListArray>().values();
    }
  }

 private:
  template <typename ArrayType>
  const ArrayType& Cast() const {
    return static_cast<const ArrayType&>(lists_);
  }

  const arrow::Array& lists_;
};

void CopyAsFloat(const arrow::Array& values, std::int64_t start, std::int64_t count, float* out) {
  switch (values.type_id()) {
    case arrow::Type::HALF_FLOAT: {
      const std::uint16_t* in =
          static_cast<const arrow::HalfFloatArray&>(values).raw_values() + start;
      std::transform(in, in + count, out, [](std::uint16_t bits) {
        return arrow::util::Float16::FromBits(bits).ToFloat();
      });
      return;
    }
    case arrow::Type::DOUBLE: {
      const double* in = static_cast<const arrow::DoubleArray&>(values).raw_values() + start;
      std::transform(in, in + count, out, [](double value) { return static_cast<float>(value); });
      return;
    }
    default:
      std::copy_n(static_cast<const arrow::FloatArray&>(values).raw_values() + start, count, out);
  }
}

bool AllFinite(const float* values, std::int64_t count) {
  // All bits of the exponent are set in what is infinite or not a number. Without an early exit
  // this runs in vector registers.
  constexpr std::uint32_t kExponent = 0x7f800000;
  std::uint32_t found = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    found |= (std::bit_cast<std::uint32_t>(values[i]) & kExponent) == kExponent ? 1U : 0U;
  }
  return found == 0;
}

bool HasNull(const arrow::Array& values, std::int64_t start, std::int64_t count) {
  if (values.null_count() == 0) return false;
  for (std::int64_t i = start; i < start + count; ++i) {
    if (values.IsNull(i)) return true;
  }
  return false;
}

// Unmarks the valid rows that hold a number that is not finite, and counts the invalid ones.
void MarkInvalid(EmbeddingRows& rows) {
  for (std::int64_t i = 0; i < rows.num_rows; ++i) {
    std::uint8_t& valid = rows.valid[static_cast<std::size_t>(i)];
    valid = valid != 0 && AllFinite(rows.values + i * rows.dimension, rows.dimension) ? 1 : 0;
    rows.num_invalid += valid == 0 ? 1 : 0;
  }
}

}  // namespace

std::string QuotedNames(const arrow::Schema& schema, const std::vector<int>& columns) {
  std::string names;
  for (const int i : columns) {
    names += (names.empty() ? "'" : ", '") + schema.field(i)->name() + "'";
  }
  return names;
}

bool IsEmbeddingType(const arrow::DataType& type) {
  if (type.id() == arrow::Type::EXTENSION &&
      static_cast<const arrow::ExtensionType&>(type).extension_name() !=
          "arrow.fixed_shape_tensor") {
    return false;
  }
  const arrow::DataType& storage = StorageType(type);
  switch (storage.id()) {
    case arrow::Type::FIXED_SIZE_LIST:
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
      return arrow::is_floating(storage.field(0)->type()->id());
    default:
      return false;
  }
}

arrow::Result<int> FindEmbeddingColumn(const arrow::Schema& schema, const std::string& name,
                                       const std::string& file) {
  const std::vector<int> candidates = EmbeddingColumns(schema);
  const std::string expected = "a list of float16, float32 or float64";
  const std::string found = candidates.empty()
                                ? "no column of this file is one"
                                : "columns of this kind: " + QuotedNames(schema, candidates);
  const std::string wanted = name.empty() ? "embedding" : name;
  const std::vector<int> named = schema.GetAllFieldIndices(wanted);
  if (named.size() > 1) {
    return arrow::Status::Invalid(file, ": ", named.size(), " columns are called '", wanted,
                                  "'; rename all but one");
  }
  if (named.size() == 1 && std::ranges::find(candidates, named[0]) != candidates.end()) {
    return named[0];
  }
  if (name.empty() && candidates.size() == 1) return candidates[0];
  if (!name.empty() && named.empty()) {
    return arrow::Status::Invalid(file, ": there is no column '", name, "'; expected ", expected,
                                  "; ", found);
  }
  if (named.size() == 1 && (!name.empty() || candidates.empty())) {
    return arrow::Status::Invalid("column '", wanted, "' of ", file, ": expected ", expected,
                                  " but found ", schema.field(named[0])->type()->ToString(), "; ",
                                  found);
  }
  if (candidates.empty()) {
    return arrow::Status::Invalid(file, ": there is no embedding column; expected ", expected);
  }
  return arrow::Status::Invalid(file, ": several columns could hold the embeddings (",
                                QuotedNames(schema, candidates), "); choose one with `embedding`");
}

EmbeddingRows CheckRows(const float* values, std::int64_t num_rows, std::int64_t dimension) {
  EmbeddingRows rows;
  rows.values = values;
  rows.num_rows = num_rows;
  rows.dimension = dimension;
  rows.valid.assign(static_cast<std::size_t>(num_rows), 1);
  rows.is_view = true;
  MarkInvalid(rows);
  return rows;
}

arrow::Result<EmbeddingRows> ReadEmbeddings(const std::shared_ptr<arrow::Array>& column,
                                            std::int64_t dimension,
                                            const ColumnLocation& location) {
  if (!IsEmbeddingType(*column->type())) {
    return arrow::Status::Invalid(Where(location),
                                  ": expected a list of float16, float32 or float64 but found ",
                                  column->type()->ToString());
  }
  std::shared_ptr<arrow::Array> lists = column;
  if (column->type_id() == arrow::Type::EXTENSION) {
    lists = static_cast<const arrow::ExtensionArray&>(*column).storage();
  }
  const ListLayout layout(*lists);
  const arrow::Array& values = layout.values();

  EmbeddingRows rows;
  rows.num_rows = lists->length();
  rows.valid.assign(static_cast<std::size_t>(rows.num_rows), 1);
  const bool fixed_size = lists->type_id() == arrow::Type::FIXED_SIZE_LIST;
  if (dimension == 0 && fixed_size) {
    dimension = static_cast<const arrow::FixedSizeListType&>(*lists->type()).list_size();
  }
  // A view needs the rows to lie one after the other: of a fixed-size list they always do.
  bool contiguous = values.type_id() == arrow::Type::FLOAT;
  for (std::int64_t i = 0; i < rows.num_rows; ++i) {
    if (lists->IsNull(i)) {
      rows.valid[static_cast<std::size_t>(i)] = 0;
      contiguous = contiguous && fixed_size;
      continue;
    }
    const std::int64_t length = layout.Length(i);
    if (dimension == 0) dimension = length;
    if (length != dimension || length == 0) {
      return arrow::Status::Invalid(Where(location), ": expected dimension ",
                                    std::max<std::int64_t>(dimension, 1), " but found ", length,
                                    " at row ", location.first_row + i);
    }
    if (HasNull(values, layout.Start(i), length)) rows.valid[static_cast<std::size_t>(i)] = 0;
  }
  rows.dimension = dimension;
  if (fixed_size && rows.num_rows > 0 && layout.Length(0) != dimension) {
    // Only null rows: their values have another size than what is expected of them.
    contiguous = false;
  }

  if (contiguous && rows.num_rows > 0) {
    rows.values = static_cast<const arrow::FloatArray&>(values).raw_values() + layout.Start(0);
    rows.owner = lists;
    rows.is_view = true;
  } else {
    auto copy =
        std::make_shared<std::vector<float>>(static_cast<std::size_t>(rows.num_rows * dimension));
    for (std::int64_t i = 0; i < rows.num_rows; ++i) {
      if (rows.valid[static_cast<std::size_t>(i)] == 0) continue;
      CopyAsFloat(values, layout.Start(i), dimension, copy->data() + i * dimension);
    }
    rows.values = copy->data();
    rows.owner = std::move(copy);
  }
  MarkInvalid(rows);
  return rows;
}

}  // namespace spuna::arrow_io
