#include "arrow_io/direct_lists.h"

#include <parquet/column_reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace spuna::arrow_io {
namespace {

// Values at a time: their levels stay in the cache.
constexpr std::int64_t kValuesPerBatch = 32 << 10;

// Whether all levels are `expected`. Without an early exit this runs in vector registers.
bool AllEqual(const std::int16_t* levels, std::int64_t count, std::int16_t expected) {
  int different = 0;
  for (std::int64_t i = 0; i < count; ++i) different |= levels[i] ^ expected;
  return different == 0;
}

// Whether a list begins at every multiple of `length` and nowhere else. `position` is the number
// of the first value within the row group.
bool BeginsEvery(std::int64_t length, const std::int16_t* repetition, std::int64_t count,
                 std::int64_t position) {
  for (std::int64_t i = 0; i < count;) {
    const std::int64_t within = (position + i) % length;
    if (within == 0 && repetition[i] != 0) return false;
    const std::int64_t begin = within == 0 ? i + 1 : i;
    const std::int64_t end = std::min(count, i + length - within);
    if (!AllEqual(repetition + begin, end - begin, 1)) return false;
    i = end;
  }
  return true;
}

}  // namespace

std::int64_t UniformLength(const ParquetInput& input, int column, int row_group) {
  const std::vector<int> leaves = input.Leaves({column});
  if (leaves.size() != 1) return 0;
  const parquet::ColumnDescriptor& leaf = *input.metadata().schema()->Column(leaves[0]);
  if (leaf.physical_type() != parquet::Type::FLOAT || leaf.max_repetition_level() != 1) return 0;
  const auto metadata = input.metadata().RowGroup(row_group);
  const std::int64_t num_values = metadata->ColumnChunk(leaves[0])->num_values();
  if (metadata->num_rows() <= 0 || num_values % metadata->num_rows() != 0) return 0;
  return num_values / metadata->num_rows();
}

struct DirectLists::State {
  const ParquetInput& input;
  std::int64_t length;
  std::int64_t num_values;
  std::shared_ptr<parquet::FloatReader> reader;
  // How many values have been read.
  std::int64_t position = 0;
  std::vector<std::int16_t> definition = std::vector<std::int16_t>(kValuesPerBatch);
  std::vector<std::int16_t> repetition = std::vector<std::int16_t>(kValuesPerBatch);

  bool Read(std::int64_t count, float* values) {
    const std::int16_t present = reader->descr()->max_definition_level();
    const std::int64_t end = position + count;
    for (std::int64_t num_present = 0; position < end && reader->HasNext(); num_present = 0) {
      const std::int64_t num_levels =
          reader->ReadBatch(std::min(kValuesPerBatch, end - position), definition.data(),
                            repetition.data(), values, &num_present);
      if (num_levels == 0 || num_present != num_levels ||
          !AllEqual(definition.data(), num_levels, present) ||
          !BeginsEvery(length, repetition.data(), num_levels, position)) {
        return false;
      }
      position += num_levels;
      values += num_levels;
    }
    return position == end && (end < num_values || !reader->HasNext());
  }
};

DirectLists::DirectLists(std::unique_ptr<State> state) : state_(std::move(state)) {}
DirectLists::~DirectLists() = default;

arrow::Result<std::unique_ptr<DirectLists>> DirectLists::Open(const ParquetInput& input, int column,
                                                              int row_group, std::int64_t length) {
  auto state =
      std::unique_ptr<State>(new State{input, length, input.RowsOf(row_group) * length, nullptr});
  auto open = [&]() -> arrow::Status {
    BEGIN_PARQUET_CATCH_EXCEPTIONS
    state->reader = std::static_pointer_cast<parquet::FloatReader>(
        input.file_reader().RowGroup(row_group)->Column(input.Leaves({column}).front()));
    END_PARQUET_CATCH_EXCEPTIONS
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(input.Explain(open()));
  return std::unique_ptr<DirectLists>(new DirectLists(std::move(state)));
}

arrow::Result<bool> DirectLists::Read(std::int64_t num_rows, float* values) {
  bool is_uniform = false;
  auto read = [&]() -> arrow::Status {
    BEGIN_PARQUET_CATCH_EXCEPTIONS
    is_uniform = state_->Read(num_rows * state_->length, values);
    END_PARQUET_CATCH_EXCEPTIONS
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(state_->input.Explain(read()));
  return is_uniform;
}

arrow::Result<bool> ReadListsDirectly(const ParquetInput& input, int column, int row_group,
                                      std::int64_t length, float* values) {
  ARROW_ASSIGN_OR_RAISE(const auto lists, DirectLists::Open(input, column, row_group, length));
  return lists->Read(input.RowsOf(row_group), values);
}

}  // namespace spuna::arrow_io
