#include "pipelines/model/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

namespace spuna {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMaxHeaderBytes = 100'000'000;
constexpr std::size_t kAlignment = 8;
constexpr const char* kMetadataKey = "__metadata__";

template <typename T>
constexpr const char* kTypeName = sizeof(T) == 4 ? "F32" : "F64";

arrow::Status Damaged(const std::string& what) {
  return arrow::Status::Invalid("not a sound safetensors file: ", what);
}

// The bytes of one element; 0 for types that are not ours.
std::size_t ElementBytes(const std::string& type) {
  if (type == "F32") return 4;
  return type == "F64" ? 8 : 0;
}

}  // namespace

template <typename T>
void Safetensors::AddValues(const std::string& name, const std::vector<std::int64_t>& shape,
                            std::span<const T> values) {
  tensors_[name] = {kTypeName<T>, shape,
                    std::string(reinterpret_cast<const char*>(values.data()), values.size_bytes())};
}

void Safetensors::Add(const std::string& name, const std::vector<std::int64_t>& shape,
                      std::span<const float> values) {
  AddValues(name, shape, values);
}

void Safetensors::Add(const std::string& name, const std::vector<std::int64_t>& shape,
                      std::span<const double> values) {
  AddValues(name, shape, values);
}

arrow::Result<std::vector<std::int64_t>> Safetensors::Shape(const std::string& name) const {
  const auto it = tensors_.find(name);
  if (it == tensors_.end()) return Damaged("the tensor '" + name + "' is missing");
  return it->second.shape;
}

template <typename T>
arrow::Result<std::vector<T>> Safetensors::Values(const std::string& name) const {
  const auto it = tensors_.find(name);
  if (it == tensors_.end()) return Damaged("the tensor '" + name + "' is missing");
  if (it->second.type != kTypeName<T>) {
    return Damaged("expected the tensor '" + name + "' to be " + kTypeName<T> + " but found " +
                   it->second.type);
  }
  std::vector<T> values(it->second.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), it->second.bytes.data(), it->second.bytes.size());
  return values;
}

arrow::Result<std::vector<float>> Safetensors::Floats(const std::string& name) const {
  return Values<float>(name);
}

arrow::Result<std::vector<double>> Safetensors::Doubles(const std::string& name) const {
  return Values<double>(name);
}

std::string Safetensors::Serialize() const {
  nlohmann::json header = nlohmann::json::object();
  if (!metadata.empty()) header[kMetadataKey] = metadata;
  std::size_t offset = 0;
  for (const auto& [name, tensor] : tensors_) {
    header[name] = {{"dtype", tensor.type},
                    {"shape", tensor.shape},
                    {"data_offsets", {offset, offset + tensor.bytes.size()}}};
    offset += tensor.bytes.size();
  }
  std::string text = header.dump();
  // Spaces after the header keep the tensors aligned.
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');

  std::string bytes(kLengthBytes, '\0');
  const std::uint64_t length = text.size();
  std::memcpy(bytes.data(), &length, kLengthBytes);
  bytes.reserve(kLengthBytes + text.size() + offset);
  bytes += text;
  for (const auto& [name, tensor] : tensors_) bytes += tensor.bytes;
  return bytes;
}

arrow::Result<Safetensors> Safetensors::Parse(std::string_view bytes) {
  if (bytes.size() < kLengthBytes) return Damaged("it is shorter than 8 bytes");
  std::uint64_t header_length = 0;
  std::memcpy(&header_length, bytes.data(), kLengthBytes);
  if (header_length > kMaxHeaderBytes || header_length > bytes.size() - kLengthBytes) {
    return Damaged("its header would have " + std::to_string(header_length) + " bytes");
  }
  const std::string_view data = bytes.substr(kLengthBytes + header_length);
  const nlohmann::json header =
      nlohmann::json::parse(bytes.substr(kLengthBytes, header_length), nullptr, false);
  if (!header.is_object()) return Damaged("its header is not a JSON object");

  Safetensors file;
  // The bytes that start at each offset.
  std::map<std::size_t, std::size_t> places;
  std::size_t total = 0;
  for (const auto& [name, entry] : header.items()) {
    if (!entry.is_object()) return Damaged("the entry '" + name + "' is not an object");
    if (name == kMetadataKey) {
      for (const auto& [key, value] : entry.items()) {
        if (!value.is_string()) return Damaged("the metadata '" + key + "' is not a string");
        file.metadata[key] = value.get<std::string>();
      }
      continue;
    }
    const auto type = entry.find("dtype");
    const auto shape = entry.find("shape");
    const auto offsets = entry.find("data_offsets");
    auto is_counts = [](const nlohmann::json& values) {
      return values.is_array() && std::all_of(values.begin(), values.end(), [](const auto& value) {
               return value.is_number_unsigned();
             });
    };
    if (type == entry.end() || !type->is_string() || shape == entry.end() || !is_counts(*shape) ||
        offsets == entry.end() || !is_counts(*offsets) || offsets->size() != 2) {
      return Damaged("the entry '" + name + "' does not describe a tensor");
    }
    Tensor tensor;
    tensor.type = type->get<std::string>();
    std::size_t expected = ElementBytes(tensor.type);
    if (expected == 0) return Damaged("the tensor '" + name + "' is of type " + tensor.type);
    for (const auto& extent : *shape) {
      const auto count = extent.get<std::uint64_t>();
      // No tensor has more bytes than the file, which also rules out an overflow.
      if (count != 0 && expected > data.size() / count) {
        return Damaged("the tensor '" + name + "' is larger than the file");
      }
      expected *= count;
      tensor.shape.push_back(static_cast<std::int64_t>(count));
    }
    const auto begin = (*offsets)[0].get<std::uint64_t>();
    const auto end = (*offsets)[1].get<std::uint64_t>();
    if (begin > end || end > data.size() || end - begin != expected) {
      return Damaged("the tensor '" + name + "' should lie at bytes " + std::to_string(begin) +
                     " to " + std::to_string(end) + " of " + std::to_string(data.size()));
    }
    total += expected;
    if (total > data.size()) return Damaged("its tensors overlap");
    if (expected > 0 && !places.emplace(begin, expected).second) {
      return Damaged("its tensors overlap or leave holes");
    }
    tensor.bytes = data.substr(begin, expected);
    file.tensors_[name] = std::move(tensor);
  }
  // One after the other, without holes: no byte is in two tensors.
  std::size_t next = 0;
  for (const auto& [begin, size] : places) {
    if (begin != next) return Damaged("its tensors overlap or leave holes");
    next += size;
  }
  if (next != data.size()) {
    return Damaged("its tensors have " + std::to_string(next) + " bytes but " +
                   std::to_string(data.size()) + " follow the header");
  }
  return file;
}

}  // namespace spuna
