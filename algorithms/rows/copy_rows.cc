#include "algorithms/rows/copy_rows.h"

namespace spuna::algorithms {

Matrix CopyRows(const EmbeddingsView& rows, const RowNumbers& chosen) {
  Matrix copy;
  AppendRows(rows, chosen, copy);
  return copy;
}

void AppendRows(const EmbeddingsView& rows, const RowNumbers& chosen, Matrix& to) {
  to.dimension = rows.dimension;
  to.values.reserve(to.values.size() + chosen.size() * rows.dimension);
  for (const std::uint32_t number : chosen) {
    const float* const row = rows.row(number);
    to.values.insert(to.values.end(), row, row + rows.dimension);
  }
}

}  // namespace spuna::algorithms
