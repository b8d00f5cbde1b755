#include "algorithms/rows/ranking.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace spuna::algorithms {

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

}  // namespace spuna::algorithms
