#include "algorithms/classifier/held_out.h"

namespace spuna::algorithms {

std::vector<float> HeldOut::Score(const EmbeddingsView& rows, const Execution& execution,
                                  bool joined) const {
  Matrix copy;
  std::vector<float> scored = classifier.Score(limits.Clipped(rows, copy, execution), execution);
  if (!screen || !joined) return scored;
  const RowScreen::Result checked = screen->Check(rows, execution);
  for (std::size_t i = 0; i < scored.size(); ++i) {
    scored[i] = checked.Joined(i, scored[i]);
  }
  return scored;
}

}  // namespace spuna::algorithms
