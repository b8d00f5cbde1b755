#pragma once

#include <memory>

#include "algorithms/neighbors/bank_rows_internal.h"
#include "algorithms/neighbors/neighbor_index.h"

namespace spuna::algorithms {

std::unique_ptr<NeighborIndex> MakeKdTreeIndex(BankRows bank);
std::unique_ptr<NeighborIndex> MakeProductIndex(BankRows bank);

}  // namespace spuna::algorithms
