// registration_internal.h declares what this adds to the module.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/python/capsules_internal.h"
#include "plugin/python/numpy_internal.h"
#include "plugin/python/registration_internal.h"

namespace spuna::python {
namespace {

// nanobind turns std::invalid_argument into ValueError.

// A schema or an array of the Arrow C interface, released with its holder.
template <typename T>
class Held {
 public:
  Held() = default;
  ~Held() {
    if (value_.release != nullptr) value_.release(&value_);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  T* get() { return &value_; }

 private:
  T value_{};
};

// A column that was asked for: the child of a batch that holds it, and the values read so far.
struct Column {
  std::int64_t child = 0;
  bool is_boolean = false;
  std::unique_ptr<std::vector<float>> values = std::make_unique<std::vector<float>>();
};

std::string Quoted(const char* text) {
  return "'" + std::string(text == nullptr ? "" : text) + "'";
}

[[noreturn]] void ThrowMissing(const std::string& name, const ArrowSchema& schema) {
  std::string message = "there is no column " + Quoted(name.c_str());
  if (schema.n_children == 0) throw std::invalid_argument(message + "; the stream has no columns");
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    message += (i == 0 ? "; the columns are " : ", ") + Quoted(schema.children[i]->name);
  }
  throw std::invalid_argument(message);
}

Column FindColumn(const ArrowSchema& schema, const std::string& name) {
  Column column;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    const char* const other = schema.children[i]->name;
    if (name != (other == nullptr ? "" : other)) continue;
    column.child = i;
    ++count;
  }
  if (count == 0) ThrowMissing(name, schema);
  const std::string place = "column " + Quoted(name.c_str());
  if (count > 1) {
    throw std::invalid_argument(place + ": expected it once but found it " + std::to_string(count) +
                                " times");
  }
  const char* const format = schema.children[column.child]->format;
  column.is_boolean = std::string_view(format) == "b";
  if (std::string_view(format) != "f" && !column.is_boolean) {
    throw std::invalid_argument(place + ": expected float32 or boolean but found Arrow format " +
                                Quoted(format));
  }
  return column;
}

// Fails with what the stream says of its last call.
[[noreturn]] void ThrowLastError(ArrowArrayStream* stream) {
  const char* const reason = stream->get_last_error(stream);
  throw std::invalid_argument(reason == nullptr ? "the stream can't be read" : reason);
}

std::vector<Column> FindColumns(ArrowArrayStream* stream, const std::vector<std::string>& names) {
  if (stream->release == nullptr) {
    throw std::invalid_argument("the stream has been read already; open it again");
  }
  Held<ArrowSchema> held;
  if (stream->get_schema(stream, held.get()) != 0) ThrowLastError(stream);
  const ArrowSchema& schema = *held.get();
  if (std::string_view(schema.format) != "+s") {
    throw std::invalid_argument(
        "expected a stream of record batches but found arrays of Arrow format " +
        Quoted(schema.format));
  }
  std::vector<Column> columns;
  columns.reserve(names.size());
  for (const std::string& name : names) columns.push_back(FindColumn(schema, name));
  return columns;
}

bool IsSet(const void* bits, std::int64_t i) {
  return ((static_cast<const std::uint8_t*>(bits)[i / 8] >> (i % 8)) & 1) != 0;
}

bool IsValid(const ArrowArray& array, std::int64_t i) {
  return array.buffers[0] == nullptr || IsSet(array.buffers[0], i);
}

// Appends a column of a batch; not a number where it is null. The offset of the batch comes on top
// of that of the column, as for every struct array.
void Append(const ArrowArray& batch, Column& column) {
  const ArrowArray& array = *batch.children[column.child];
  const void* const data = array.buffers[1];
  for (std::int64_t row = batch.offset; row < batch.offset + batch.length; ++row) {
    const std::int64_t i = array.offset + row;
    float value = std::numeric_limits<float>::quiet_NaN();
    if (IsValid(batch, row) && IsValid(array, i)) {
      value = column.is_boolean ? static_cast<float>(IsSet(data, i))
                                : static_cast<const float*>(data)[i];
    }
    column.values->push_back(value);
  }
}

// Reads the next batch of the stream. False at its end.
bool AppendBatch(ArrowArrayStream* stream, std::vector<Column>& columns) {
  Held<ArrowArray> batch;
  if (stream->get_next(stream, batch.get()) != 0) ThrowLastError(stream);
  if (batch.get()->release == nullptr) return false;
  for (Column& column : columns) Append(*batch.get(), column);
  return true;
}

// Reads a stream to its end, and returns these columns as arrays of float32. Schema and batches are
// taken and released without the GIL, which the stream's owner may need on another thread.
nb::list ReadColumns(const nb::object& capsule, const std::vector<std::string>& names) {
  auto* const stream = Unwrap<ArrowArrayStream>(capsule, kStreamCapsule);
  std::vector<Column> columns;
  {
    const nb::gil_scoped_release released;
    columns = FindColumns(stream, names);
  }
  for (bool at_end = false; !at_end;) {
    // Between batches Ctrl-C is heard.
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    const nb::gil_scoped_release released;
    at_end = !AppendBatch(stream, columns);
  }
  nb::list arrays;
  for (Column& column : columns) {
    const std::size_t size = column.values->size();
    arrays.append(OwnedArray(std::move(column.values), size));
  }
  return arrays;
}

}  // namespace

void RegisterColumns(nb::module_& module) { module.def("read_columns", &ReadColumns); }

}  // namespace spuna::python
