#include "algorithms/rows/evenly_taken.h"

#include <algorithm>

namespace spuna::algorithms {

RowNumbers EvenlyTaken(std::size_t count, std::size_t most) {
  const std::size_t taken = std::min(count, most);
  RowNumbers rows(taken);
  for (std::size_t i = 0; i < taken; ++i) {
    rows[i] = static_cast<std::uint32_t>(i * count / taken);
  }
  return rows;
}

RowSet EvenlyTaken(const RowSet& rows, std::size_t most) {
  RowSet taken(rows.dimension());
  for (const std::uint32_t row : EvenlyTaken(rows.size(), most)) taken.Add(rows[row]);
  return taken;
}

}  // namespace spuna::algorithms
