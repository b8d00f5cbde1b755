#include <cstring>

#include "algorithms/bank_rows_internal.h"

namespace spuna::algorithms {

BankRows::BankRows(const EmbeddingsView& embeddings, std::span<const std::uint32_t> rows)
    : num_rows_(rows.size()),
      dimension_(embeddings.dimension),
      values_(rows.size() * embeddings.dimension) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(values_.data() + i * dimension_, embeddings.row(rows[i]),
                dimension_ * sizeof(float));
  }
}

void BankRows::MergeDistances(const float* query, std::span<const std::uint32_t> bank_rows,
                              std::size_t list, std::vector<double>& scratch,
                              NearestDistances& lists) const {
  scratch.clear();
  for (const std::uint32_t row : bank_rows) {
    scratch.push_back(SquaredDistance(query, view().row(row), dimension_));
  }
  lists.Merge(list, scratch);
}

}  // namespace spuna::algorithms
