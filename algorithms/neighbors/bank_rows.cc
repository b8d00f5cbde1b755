#include "algorithms/neighbors/bank_rows_internal.h"

namespace spuna::algorithms {

void BankRows::MergeDistances(const float* query, std::span<const std::uint32_t> bank_rows,
                              std::size_t list, std::vector<double>& scratch,
                              NearestDistances& lists) const {
  scratch.clear();
  for (const std::uint32_t bank_row : bank_rows) {
    scratch.push_back(SquaredDistance(query, row(bank_row), dimension()));
  }
  lists.Merge(list, scratch);
}

}  // namespace spuna::algorithms
