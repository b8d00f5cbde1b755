#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <limits>
#include <utility>

#include "plugin/c/matrix_stream_internal.h"

namespace spuna::c {
namespace {

// So that whoever reads can stop, or show how far it is.
constexpr std::int64_t kRowsPerBatch = 16'384;

// Memory of someone else, held by its owner.
class OwnedBuffer : public arrow::Buffer {
 public:
  OwnedBuffer(const float* values, std::int64_t count, std::shared_ptr<void> owner)
      : Buffer(reinterpret_cast<const std::uint8_t*>(values),
               count * static_cast<std::int64_t>(sizeof(float))),
        owner_(std::move(owner)) {}

 private:
  std::shared_ptr<void> owner_;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeMatrixStream(
    const float* values, std::int64_t num_rows, std::int64_t dimension,
    std::shared_ptr<void> owner) {
  if (num_rows < 0 || dimension < 1 || dimension > std::numeric_limits<std::int32_t>::max() ||
      (num_rows > 0 && values == nullptr) ||
      num_rows > std::numeric_limits<std::int64_t>::max() / 4 / dimension) {
    return arrow::Status::Invalid("expected a matrix but found ", num_rows, " rows of dimension ",
                                  dimension);
  }
  const auto type = arrow::fixed_size_list(arrow::float32(), static_cast<std::int32_t>(dimension));
  const auto buffer = std::make_shared<OwnedBuffer>(values, num_rows * dimension, std::move(owner));
  const auto floats = std::make_shared<arrow::FloatArray>(num_rows * dimension, buffer);
  const auto lists = std::make_shared<arrow::FixedSizeListArray>(type, num_rows, floats);
  const auto schema = arrow::schema({arrow::field("embedding", type)});
  arrow::RecordBatchVector batches;
  for (std::int64_t row = 0; row < num_rows; row += kRowsPerBatch) {
    const auto part = lists->Slice(row, kRowsPerBatch);
    batches.push_back(arrow::RecordBatch::Make(schema, part->length(), {part}));
  }
  return arrow::RecordBatchReader::Make(std::move(batches), schema);
}

}  // namespace spuna::c
