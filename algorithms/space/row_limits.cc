#include "algorithms/space/row_limits.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "algorithms/compute/vector_kernels.h"

namespace spuna::algorithms {
namespace {

constexpr float kSpreadsPerColumn = 7;
constexpr double kLongerThanTrusted = 1.5;
// No shift moves rows so many times as far.
constexpr float kBroken = 10;
constexpr double kOutermost = 0.005;
constexpr double kLongest = 0.01;
// More say no more about quantiles.
constexpr std::size_t kRowsForLimits = 20'000;
constexpr std::size_t kRowsPerBlock = 512;

// The value that a share of the values does not exceed. Reorders them.
float QuantileOf(std::vector<float>& values, double share) {
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// The limits made ready: no division a value.
class Limiter {
 public:
  explicit Limiter(const RowLimits& limits) : limits_(limits), inverse_(limits.spread.size()) {
    std::ranges::transform(limits.spread, inverse_.begin(), [](float spread) {
      return std::min(1 / spread, std::numeric_limits<float>::max());
    });
  }

  // Whether it lies so many times as far out as the limits.
  bool LiesBeyond(const float* row, float times = 1) const {
    float largest = 0;
    const double norm = Kernels().squared_norm_in_spreads(
        row, limits_.center.data(), inverse_.data(), inverse_.size(), &largest);
    const double largest_norm = times * limits_.largest_norm;
    return largest > times * kSpreadsPerColumn || norm > largest_norm * largest_norm;
  }

  void Clip(float* row) const {
    double norm = 0;
    for (std::size_t j = 0; j < inverse_.size(); ++j) norm += Square(Clamped(row, j));
    norm = std::sqrt(norm);
    const double factor = norm > limits_.largest_norm ? limits_.largest_norm / norm : 1;
    for (std::size_t j = 0; j < inverse_.size(); ++j) {
      row[j] = static_cast<float>(limits_.center[j] + factor * Clamped(row, j) * limits_.spread[j]);
    }
  }

 private:
  static double Square(double value) { return value * value; }

  // A value in spreads from the center, within the limit of its column.
  double Clamped(const float* row, std::size_t j) const {
    const double z = (static_cast<double>(row[j]) - limits_.center[j]) * inverse_[j];
    return std::clamp<double>(z, -kSpreadsPerColumn, kSpreadsPerColumn);
  }

  const RowLimits& limits_;
  std::vector<float> inverse_;
};

// Puts columns whose spread differs from the typical one by far in units alike.
void FindUnits(float typical, RowLimits& limits) {
  constexpr float kOtherUnits = 64;
  std::vector<float> units(limits.spread.size(), 1);
  bool all_alike = true;
  for (std::size_t j = 0; j < units.size(); ++j) {
    const float ratio = typical / limits.spread[j];
    if (ratio < kOtherUnits && ratio > 1 / kOtherUnits) continue;
    units[j] = std::exp2(std::clamp(std::round(std::log2(ratio)), -100.0F, 100.0F));
    all_alike = false;
  }
  if (all_alike) return;
  limits.units = std::move(units);
  limits.ToUnits(limits.center.data(), 1);
  limits.ToUnits(limits.spread.data(), 1);
}

}  // namespace

void RowLimits::ToUnits(float* rows, std::size_t num_rows) const {
  if (units.empty()) return;
  for (std::size_t i = 0; i < num_rows; ++i) {
    for (std::size_t j = 0; j < units.size(); ++j) rows[i * units.size() + j] *= units[j];
  }
}

void RowLimits::FromUnits(float* rows, std::size_t num_rows) const {
  if (units.empty()) return;
  for (std::size_t i = 0; i < num_rows; ++i) {
    for (std::size_t j = 0; j < units.size(); ++j) rows[i * units.size() + j] /= units[j];
  }
}

RowNumbers RowLimits::RowsBeyond(const EmbeddingsView& rows, const Execution& execution) const {
  const Limiter limiter(*this);
  const std::size_t num_blocks = (rows.num_rows + kRowsPerBlock - 1) / kRowsPerBlock;
  std::vector<RowNumbers> of_block(num_blocks);
  ParallelFor(num_blocks, execution, [&](std::size_t block, std::size_t) {
    const std::size_t end = std::min((block + 1) * kRowsPerBlock, rows.num_rows);
    for (std::size_t i = block * kRowsPerBlock; i < end; ++i) {
      if (limiter.LiesBeyond(rows.row(i))) of_block[block].push_back(static_cast<std::uint32_t>(i));
    }
  });
  RowNumbers beyond;
  for (const RowNumbers& some : of_block) beyond.insert(beyond.end(), some.begin(), some.end());
  return beyond;
}

RowLimits::Counts RowLimits::CountBeyond(const EmbeddingsView& rows,
                                         const Execution& execution) const {
  const Limiter limiter(*this);
  Counts counts;
  std::vector<float> row(rows.dimension);
  auto count = [&](const float* values) {
    std::copy_n(values, rows.dimension, row.begin());
    ToUnits(row.data(), 1);
    if (!limiter.LiesBeyond(row.data())) return;
    ++counts.beyond;
    if (limiter.LiesBeyond(row.data(), kBroken)) ++counts.broken;
  };
  if (units.empty()) {
    for (const std::uint32_t i : RowsBeyond(rows, execution)) count(rows.row(i));
  } else {
    for (std::size_t i = 0; i < rows.num_rows; ++i) count(rows.row(i));
  }
  return counts;
}

void RowLimits::Clip(float* matrix, const RowNumbers& rows, const Execution& execution) const {
  const Limiter limiter(*this);
  ParallelFor(rows.size(), execution,
              [&](std::size_t i, std::size_t) { limiter.Clip(matrix + rows[i] * center.size()); });
}

EmbeddingsView RowLimits::Clipped(const EmbeddingsView& rows, Matrix& copy,
                                  const Execution& execution) const {
  if (empty()) return rows;
  EmbeddingsView taken = rows;
  auto take_copy = [&] {
    copy = {{rows.values().begin(), rows.values().end()}, rows.dimension};
    ToUnits(copy.values.data(), rows.num_rows);
    taken = copy.view();
  };
  if (!units.empty()) take_copy();
  const RowNumbers beyond = RowsBeyond(taken, execution);
  if (beyond.empty()) return taken;
  if (units.empty()) take_copy();
  Clip(copy.values.data(), beyond, execution);
  return taken;
}

RowLimits FitRowLimits(const EmbeddingsView& trusted) {
  if (trusted.num_rows == 0) throw std::invalid_argument("there are no rows to take limits from");
  const std::size_t stride = trusted.num_rows / kRowsForLimits + 1;
  RowLimits limits;
  std::vector<float> values;
  for (std::size_t j = 0; j < trusted.dimension; ++j) {
    values.clear();
    for (std::size_t i = 0; i < trusted.num_rows; i += stride) values.push_back(trusted.row(i)[j]);
    const float median = QuantileOf(values, 0.5);
    limits.center.push_back(median);
    limits.spread.push_back(std::max(QuantileOf(values, 1 - kOutermost) - median,
                                     median - QuantileOf(values, kOutermost)));
  }
  std::vector<float> spreads;
  std::ranges::copy_if(limits.spread, std::back_inserter(spreads),
                       [](float spread) { return spread > 0 && std::isfinite(spread); });
  const float typical = spreads.empty() ? 1 : QuantileOf(spreads, 0.5);
  for (float& spread : limits.spread) {
    if (!(spread > 0 && std::isfinite(spread))) spread = typical;
  }
  FindUnits(typical, limits);
  // The longest rows, each value within its column's limit.
  limits.largest_norm = std::numeric_limits<double>::max();
  std::vector<float> norms;
  std::vector<float> row(trusted.dimension);
  const Limiter limiter(limits);
  for (std::size_t i = 0; i < trusted.num_rows; i += stride) {
    std::copy_n(trusted.row(i), trusted.dimension, row.begin());
    limits.ToUnits(row.data(), 1);
    limiter.Clip(row.data());
    double norm = 0;
    for (std::size_t j = 0; j < row.size(); ++j) {
      const double z = (row[j] - limits.center[j]) / limits.spread[j];
      norm += z * z;
    }
    norms.push_back(static_cast<float>(std::sqrt(norm)));
  }
  const double longest = QuantileOf(norms, 1 - kLongest);
  limits.largest_norm = kLongerThanTrusted * std::max(longest, 1.0);
  return limits;
}

}  // namespace spuna::algorithms
