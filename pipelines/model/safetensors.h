#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spuna {

/// The content of a safetensors file: named tensors of float32 or float64, and strings about them.
///
/// The format is an 8-byte little-endian length, a JSON header of that length with the type, shape
/// and place of every tensor, and the tensors' bytes. Reading it can execute nothing.
class Safetensors {
 public:
  std::map<std::string, std::string> metadata;

  void Add(const std::string& name, const std::vector<std::int64_t>& shape,
           std::span<const float> values);
  void Add(const std::string& name, const std::vector<std::int64_t>& shape,
           std::span<const double> values);

  bool Has(const std::string& name) const { return tensors_.contains(name); }

  /// The shape of a tensor; an error when there is none of that name.
  arrow::Result<std::vector<std::int64_t>> Shape(const std::string& name) const;
  /// The values of a tensor; an error when its type is another or there is none of that name.
  arrow::Result<std::vector<float>> Floats(const std::string& name) const;
  arrow::Result<std::vector<double>> Doubles(const std::string& name) const;

  /// Tensors lie in the order of their names; equal contents are equal bytes.
  std::string Serialize() const;

  /// Checks every length, offset and shape before use.
  static arrow::Result<Safetensors> Parse(std::string_view bytes);

 private:
  struct Tensor {
    std::string type;
    std::vector<std::int64_t> shape;
    std::string bytes;
  };

  template <typename T>
  void AddValues(const std::string& name, const std::vector<std::int64_t>& shape,
                 std::span<const T> values);
  template <typename T>
  arrow::Result<std::vector<T>> Values(const std::string& name) const;

  std::map<std::string, Tensor> tensors_;
};

}  // namespace spuna
