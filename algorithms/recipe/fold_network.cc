#include "algorithms/recipe/fold_network.h"

#include <algorithm>
#include <cmath>

#include "algorithms/recipe/soft_distillation.h"
#include "algorithms/rows/half_rows.h"

namespace spuna::algorithms {
namespace {

// So many units are never spared.
constexpr std::size_t kLeastHidden = 64;

// Calls `visit(first row, rows)` with the rows whitened, a block at a time.
template <typename Visit>
void ForEachWhitenedBlock(const Whitening& whitening, const RowSet& rows,
                          const Execution& execution, Visit visit) {
  constexpr std::size_t kRowsPerBlock = 1024;
  for (std::size_t begin = 0; begin < rows.size(); begin += kRowsPerBlock) {
    RowSet block(rows.dimension());
    for (std::size_t i = begin; i < std::min(begin + kRowsPerBlock, rows.size()); ++i) {
      block.Add(rows[i]);
    }
    visit(begin, whitening.Apply(block, execution).view());
  }
}

// A quarter of the units at twice the rate ranks no case of docs/quality.md worse than all of them,
// in a quarter of the time.
SoftNetworkOptions MakeSmaller(SoftNetworkOptions options) {
  const std::size_t least = std::min(options.hidden, kLeastHidden);
  const std::size_t hidden = std::max(HiddenOfPart(options.hidden), least);
  options.learning_rate *=
      std::sqrt(static_cast<double>(options.hidden) / static_cast<double>(hidden));
  options.hidden = hidden;
  return options;
}

HalfRows WhitenInHalf(const Whitening& whitening, const RowSet& rows, const Execution& execution) {
  HalfRows whitened(rows.size(), rows.dimension());
  ForEachWhitenedBlock(whitening, rows, execution,
                       [&](std::size_t first, const EmbeddingsView& block) {
                         for (std::size_t i = 0; i < block.num_rows; ++i) {
                           whitened.Set(first + i, block.row(i));
                         }
                       });
  return whitened;
}

}  // namespace

std::vector<double> FoldNetwork::Logits(const RowSet& rows, const Execution& execution) const {
  std::vector<double> logits;
  ForEachWhitenedBlock(whitening, rows, execution, [&](std::size_t, const EmbeddingsView& block) {
    const std::vector<double> some = network.Logits(block);
    logits.insert(logits.end(), some.begin(), some.end());
  });
  return logits;
}

FoldNetwork TrainFoldNetwork(const RowSet& trusted, const RowSet& rows, const RowTargets& lesson,
                             const SoftNetworkOptions& options, const Execution& execution) {
  FoldNetwork fitted{{}, FitWhitening(trusted)};
  fitted.network = TrainSoftNetwork(WhitenInHalf(fitted.whitening, rows, execution), lesson,
                                    MakeSmaller(options), execution);
  return fitted;
}

}  // namespace spuna::algorithms
