#include "pipelines/fit/findings.h"

namespace spuna {

algorithms::Matrix Findings::Place(const algorithms::EmbeddingsView& rows,
                                   const algorithms::Execution& execution) const {
  if (whitening) return whitening->Apply(rows, execution);
  return {{rows.values().begin(), rows.values().end()}, rows.dimension};
}

}  // namespace spuna
