#include "algorithms/rows/ranking.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace spuna::algorithms {
namespace {

constexpr int kBitsPerDigit = 11;
constexpr std::uint32_t kNumDigits = 1U << kBitsPerDigit;
constexpr int kHighestDigit = 2 * kBitsPerDigit;

struct KeyedRow {
  // Ascends as the values do.
  std::uint32_t key;
  std::uint32_t row;
};

using DigitCounts = std::array<std::uint32_t, kNumDigits>;

std::uint32_t DigitOf(std::uint32_t key, int shift) { return (key >> shift) % kNumDigits; }

std::uint32_t KeyOf(float value) {
  constexpr std::uint32_t kSign = 1U << 31;
  // Both zeros are one.
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

// Sorts by one digit, in the order they have where it is equal.
void SortByDigit(std::span<const KeyedRow> rows, int shift, std::span<KeyedRow> sorted) {
  DigitCounts begin{};
  for (const KeyedRow& row : rows) ++begin[DigitOf(row.key, shift)];
  std::exclusive_scan(begin.begin(), begin.end(), begin.begin(), 0U);
  for (const KeyedRow& row : rows) sorted[begin[DigitOf(row.key, shift)]++] = row;
}

}  // namespace

RowNumbers AllRows(std::size_t count) {
  constexpr std::size_t kMaxRows = std::numeric_limits<std::uint32_t>::max();
  if (count > kMaxRows) {
    throw std::invalid_argument("expected at most " + std::to_string(kMaxRows) +
                                " rows but found " + std::to_string(count));
  }
  RowNumbers rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

RowNumbers AscendingOrder(std::span<const double> scores) {
  RowNumbers order = AllRows(scores.size());
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return scores[a] != scores[b] ? scores[a] < scores[b] : a < b;
  });
  return order;
}

RowNumbers HighestRows(std::span<const float> values, std::size_t count) {
  std::vector<std::uint32_t> keys(values.size());
  DigitCounts counts{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    keys[i] = KeyOf(values[i]);
    ++counts[DigitOf(keys[i], kHighestDigit)];
  }
  // Only rows whose highest digit may be among the highest are sorted.
  std::uint32_t least = kNumDigits;
  for (std::size_t above = 0; least > 0 && above < count;) above += counts[--least];
  std::vector<KeyedRow> rows;
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    if (DigitOf(keys[i], kHighestDigit) >= least) rows.push_back({keys[i], i});
  }
  std::vector<KeyedRow> sorted(rows.size());
  for (int shift = 0; shift <= kHighestDigit; shift += kBitsPerDigit) {
    SortByDigit(rows, shift, sorted);
    rows.swap(sorted);
  }
  RowNumbers highest;
  highest.reserve(count);
  for (std::size_t i = rows.size(); i > 0 && highest.size() < count; --i) {
    highest.push_back(rows[i - 1].row);
  }
  return highest;
}

}  // namespace spuna::algorithms
