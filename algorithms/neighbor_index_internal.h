#pragma once

#include <memory>

#include "algorithms/bank_rows_internal.h"
#include "algorithms/neighbor_index.h"

namespace spuna::algorithms {

std::unique_ptr<NeighborIndex> MakeKdTreeIndex(BankRows bank);
std::unique_ptr<NeighborIndex> MakeProductIndex(BankRows bank);

}  // namespace spuna::algorithms
