#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/compute/execution.h"
#include "algorithms/rows/embeddings_view.h"

namespace spuna::algorithms {

/// The row of a bank that lies nearest, and how far.
struct NearestRow {
  std::uint32_t row = 0;
  double distance = 0;
};

/// For every query the nearest of the bank's rows, of which there is at least one; the first of
/// equals, but for rounding. The distance is measured in float64.
std::vector<NearestRow> FindNearestRows(const EmbeddingsView& bank, const EmbeddingsView& queries,
                                        const Execution& execution);

}  // namespace spuna::algorithms
