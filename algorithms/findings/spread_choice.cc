#include "algorithms/findings/spread_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace spuna::algorithms {
namespace {

// How many rows are looked at for each that is chosen, and how many are chosen at once: the time
// grows with the square of it.
constexpr std::size_t kCandidatesPerRow = 3;
constexpr std::size_t kRowsPerBlock = 250;
// Farther than this many times the usual distance is far enough.
constexpr double kFarEnough = 2;

double DistanceBetween(const float* a, const float* b, std::size_t dimension) {
  double sum = 0;
  for (std::size_t j = 0; j < dimension; ++j) {
    const double difference = static_cast<double>(a[j]) - b[j];
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

// The rows of a block, best first, with the distance of each to the nearest that was chosen.
class Block {
 public:
  Block(const EmbeddingsView& places) : places_(places), nearest_(places.num_rows, kNoneYet) {}

  // The best row that is left; as many rows as there are where none is.
  std::size_t FindBest() const {
    double unit = 1;
    if (num_chosen_ > 0) {
      unit = std::accumulate(nearest_.begin(), nearest_.end(), 0.0) /
             static_cast<double>(nearest_.size());
    }
    std::size_t best = nearest_.size();
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < nearest_.size(); ++i) {
      if (is_chosen_[i] != 0) continue;
      double value = -static_cast<double>(i) / static_cast<double>(nearest_.size());
      if (num_chosen_ > 0 && unit > 0) value += std::min(nearest_[i] / unit, kFarEnough);
      if (value <= highest) continue;
      highest = value;
      best = i;
    }
    return best;
  }

  void Choose(std::size_t row) {
    is_chosen_[row] = 1;
    ++num_chosen_;
    for (std::size_t i = 0; i < nearest_.size(); ++i) {
      nearest_[i] = std::min(nearest_[i],
                             DistanceBetween(places_.row(i), places_.row(row), places_.dimension));
    }
  }

 private:
  static constexpr double kNoneYet = std::numeric_limits<double>::max();

  EmbeddingsView places_;
  std::vector<double> nearest_;
  std::vector<std::uint8_t> is_chosen_ = std::vector<std::uint8_t>(nearest_.size());
  std::size_t num_chosen_ = 0;
};

RowNumbers HighestFirst(std::span<const float> scores) {
  RowNumbers order = AllRows(scores.size());
  std::ranges::stable_sort(order,
                           [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
  return order;
}

}  // namespace

RowNumbers ChooseSpread(const Candidates& candidates, std::size_t wanted,
                        const Whitening& whitening, const Execution& execution) {
  RowNumbers left = HighestFirst(candidates.scores);
  const auto num_counting =
      static_cast<double>(std::ranges::count(candidates.counts, std::uint8_t{1}));
  // Rows that do not count take places too.
  const double rows_per_counting =
      num_counting > 0 ? static_cast<double>(left.size()) / num_counting : 1;
  RowNumbers chosen;
  std::size_t num_chosen = 0;
  while (num_chosen < wanted && !left.empty()) {
    const std::size_t of_block = std::min(wanted - num_chosen, kRowsPerBlock);
    const auto size = std::min(
        left.size(), static_cast<std::size_t>(std::ceil(
                         static_cast<double>(kCandidatesPerRow * of_block) * rows_per_counting)));
    RowSet rows(candidates.rows.dimension());
    for (std::size_t i = 0; i < size; ++i) rows.Add(candidates.rows[left[i]]);
    const Matrix places = whitening.Apply(rows, execution);
    Block block(places.view());
    std::vector<std::uint8_t> is_chosen(left.size());
    for (std::size_t found = 0; found < of_block;) {
      execution.CheckStop();
      const std::size_t best = block.FindBest();
      if (best == size) break;
      block.Choose(best);
      is_chosen[best] = 1;
      chosen.push_back(left[best]);
      if (candidates.counts[left[best]] == 0) continue;
      ++found;
      ++num_chosen;
    }
    RowNumbers rest;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (is_chosen[i] == 0) rest.push_back(left[i]);
    }
    left = std::move(rest);
  }
  return chosen;
}

RowNumbers ChooseNear(const Candidates& candidates, double threshold, const RowNumbers& taken,
                      std::size_t wanted) {
  std::vector<std::uint8_t> is_taken(candidates.scores.size());
  for (const std::uint32_t row : taken) is_taken[row] = 1;
  RowNumbers order = AllRows(candidates.scores.size());
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return std::abs(candidates.scores[a] - threshold) < std::abs(candidates.scores[b] - threshold);
  });
  RowNumbers chosen;
  for (const std::uint32_t row : order) {
    if (wanted == 0) break;
    if (is_taken[row] != 0) continue;
    chosen.push_back(row);
    if (candidates.counts[row] != 0) --wanted;
  }
  return chosen;
}

}  // namespace spuna::algorithms
