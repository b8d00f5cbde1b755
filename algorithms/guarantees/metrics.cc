#include "algorithms/guarantees/metrics.h"

#include <cstddef>
#include <stdexcept>
#include <string>

#include "algorithms/rows/ranking.h"

namespace spuna::algorithms {

DetectionMetrics EvaluateDetection(std::span<const double> scores,
                                   std::span<const std::uint8_t> shifted) {
  std::size_t num_shifted = 0;
  for (const std::uint8_t is_shifted : shifted) num_shifted += is_shifted != 0 ? 1 : 0;
  const std::size_t num_clean = shifted.size() - num_shifted;
  if (num_shifted == 0 || num_clean == 0) {
    throw std::invalid_argument("expected rows of both classes but found " +
                                std::to_string(num_clean) + " clean and " +
                                std::to_string(num_shifted) + " shifted rows");
  }

  const auto total_shifted = static_cast<double>(num_shifted);
  const auto total_clean = static_cast<double>(num_clean);
  DetectionMetrics metrics;
  const RowNumbers order = AscendingOrder(scores);
  // From the highest score down, a group of equal scores at a time.
  std::size_t shifted_above = 0;
  std::size_t clean_above = 0;
  bool caught_95 = false;
  for (std::size_t end = order.size(); end > 0;) {
    std::size_t begin = end;
    std::size_t group_shifted = 0;
    while (begin > 0 && scores[order[begin - 1]] == scores[order[end - 1]]) {
      group_shifted += shifted[order[--begin]] != 0 ? 1 : 0;
    }
    const std::size_t group_clean = end - begin - group_shifted;
    metrics.auroc += static_cast<double>(group_clean) *
                     (static_cast<double>(shifted_above) + static_cast<double>(group_shifted) / 2);
    shifted_above += group_shifted;
    clean_above += group_clean;
    metrics.aupr += static_cast<double>(group_shifted) * static_cast<double>(shifted_above) /
                    static_cast<double>(shifted_above + clean_above);
    // In whole numbers: shifted_above / num_shifted >= 95 / 100.
    if (!caught_95 && shifted_above * 100 >= num_shifted * 95) {
      caught_95 = true;
      metrics.fpr95 = static_cast<double>(clean_above) / total_clean;
    }
    end = begin;
  }
  metrics.auroc /= total_shifted * total_clean;
  metrics.aupr /= total_shifted;
  return metrics;
}

}  // namespace spuna::algorithms
