// Inlined into loops: no source file.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <utility>

namespace spuna::algorithms {

/// Random numbers that are the same for the same seed in every standard library: the engine is
/// specified to the bit by the C++ standard, its distributions are not, so these are written out.
class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in (0, 1).
  double Uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }

  /// Standard normal, by Box and Muller.
  double Normal() {
    const double radius = std::sqrt(-2 * std::log(Uniform()));
    return radius * std::cos(2 * std::numbers::pi * Uniform());
  }

  /// Uniform in 0 … bound - 1, without bias; `bound` is at least 1.
  std::uint64_t Below(std::uint64_t bound) {
    const std::uint64_t unfair = (UINT64_MAX % bound + 1) % bound;
    std::uint64_t value = engine_();
    while (value > UINT64_MAX - unfair) value = engine_();
    return value % bound;
  }

  template <typename Container>
  void Shuffle(Container& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[Below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace spuna::algorithms
