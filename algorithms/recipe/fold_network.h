#pragma once

#include <vector>

#include "algorithms/classifier/soft_network.h"
#include "algorithms/compute/execution.h"
#include "algorithms/rows/row_set.h"
#include "algorithms/space/whitening.h"

namespace spuna::algorithms {

/// A network of the cross-fitting, and the coordinates it has learned in.
struct FoldNetwork {
  SoftNetwork network;
  Whitening whitening;

  /// Of rows that are whitened a block at a time.
  std::vector<double> Logits(const RowSet& rows, const Execution& execution) const;
};

/// Trains a network on some rows in the whitening of those among them that are trusted. It is
/// smaller than the options say and learns faster: it need not be kept, only rank. Holds the rows
/// whitened, in bfloat16. Single-threaded, as TrainSoftNetwork.
FoldNetwork TrainFoldNetwork(const RowSet& trusted, const RowSet& rows, const RowTargets& lesson,
                             const SoftNetworkOptions& options, const Execution& execution);

}  // namespace spuna::algorithms
