#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/classifier/held_out.h"
#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {

/// Scores are told apart by their logit, from -16 to 16 in steps of 1/64.
inline constexpr std::size_t kNumScoreBins = 2049;

/// The logit of a score within -16 and 16.
double ClampedLogit(float score);

/// The bin of a logit within -16 and 16.
std::size_t LogitBin(double logit);

/// Counts of scores by bin.
class ScoreBag {
 public:
  ScoreBag() : counts_(kNumScoreBins), tree_(kNumScoreBins + 1) {}

  void Add(std::size_t bin, std::uint64_t count = 1);

  std::uint64_t size() const { return size_; }
  std::uint64_t CountIn(std::size_t bin) const { return counts_[bin]; }
  std::uint64_t CountAbove(std::size_t bin) const;

 private:
  std::vector<std::uint64_t> counts_;
  // A Fenwick tree over the counts: sums of the first bins in a few steps.
  std::vector<std::uint64_t> tree_;
  std::uint64_t size_ = 0;
};

/// The conformal p-value of a score against a bag that it is not in yet,
///
///     p = (number in the bag with a higher bin + u (number in the same bin + 1)) / (size + 1)
///
/// If the score and the bag are exchangeable and `u` is uniform in (0, 1), p is uniform, and
/// independent of the p-values of all that was added to the bag before (Vovk, Gammerman and Shafer,
/// "Algorithmic Learning in a Random World", 2005). Small where the score is high.
double ConformalPValue(const ScoreBag& bag, std::size_t bin, double u);

/// How many bets a watch makes on each track.
inline constexpr std::size_t kNumBets = 8;

/// What a watch remembers of one way to compare the rows.
struct DriftTrack {
  /// The rows of the stream by bag and bin.
  std::vector<std::vector<std::uint64_t>> counts;
  std::array<double, kNumBets> capitals{};
};

/// All that a watch remembers.
struct DriftMemory {
  std::uint64_t num_batches = 0;
  std::uint64_t num_rows = 0;
  /// The most that was ever won.
  double evidence = 1;
  /// See DriftWatch; none before the first batch.
  std::vector<DriftTrack> tracks;

  /// Throws std::invalid_argument where it is not one that a watch of so many classifiers could
  /// have.
  void Validate(std::size_t num_classifiers) const;
};

/// Watches a stream of rows for shift: how much money could be made by betting that they score
/// higher than trusted rows.
///
/// The scores of trusted rows that a classifier has not seen are a bag, to which rows of the stream
/// are added one by one. As long as the rows come from where the trusted rows came from, their
/// p-values against the bag are independent and uniform, and a bet that multiplies capital by
///
///     f(p) = 1 - λ + λ [p < τ] / τ
///
/// is fair. There is one capital for each of 8 pairs (λ, τ), and a part that is not bet yet, of
/// which some is put on the bets before each batch: so a change after a long quiet time is found
/// with money that was not lost in it. The sum is a nonnegative martingale that starts at 1.
///
/// With K classifiers there are K such tracks. On each of them every row goes to one bag only, on
/// track t the row i to that of classifier (i + t) mod K: so the bags fill with shifted rows K
/// times as slowly as if every row went to all (Mondrian conformal prediction; the p-values are as
/// independent and uniform as before). A mean of martingales is one, whatever their dependence. By
/// Ville's inequality it ever reaches 1 / level with a probability of at most `level`, however
/// often and whenever one looks.
class DriftWatch {
 public:
  static constexpr std::array<double, 4> kReaches = {0.01, 0.05, 0.15, 0.35};
  static constexpr std::array<double, 2> kStakes = {0.1, 0.3};
  static_assert(kReaches.size() * kStakes.size() == kNumBets);
  /// What a bet can win at most; what it wins beyond is given away.
  static constexpr double kMaxCapital = 1e30;

  /// Starts or resumes. Throws std::invalid_argument without classifiers or trusted scores, where a
  /// score is not within 0 and 1, and where the memory is not one that a watch of as many
  /// classifiers could have.
  DriftWatch(std::span<const HeldOut> classifiers, std::uint64_t seed,
             const DriftMemory& memory = {});

  /// Puts money on the bets. Each batch begins with it.
  void BeginBatch();

  /// Bets on rows of the batch, in order. `scores` has the scores of all rows for each classifier.
  /// Throws std::invalid_argument where a score is not within 0 and 1; then the watch has seen
  /// none of the rows.
  void Add(const std::vector<std::vector<float>>& scores);

  /// What there is now, with 1 at the start.
  double CurrentEvidence() const;
  /// The most there ever was. Stays.
  double Evidence() const { return memory_.evidence; }
  /// The p-value of "no row of the stream ever was shifted", valid whenever one looks.
  double PValue() const { return 1 / memory_.evidence; }
  bool Finds(double level) const { return memory_.evidence * level >= 1; }

  const DriftMemory& memory() const { return memory_; }

  /// The part that is not on any bet after so many batches.
  static double IdleAfter(std::uint64_t num_batches);

 private:
  void AddRow(const std::vector<std::vector<float>>& scores, std::size_t row);
  void Bet(std::size_t track, std::size_t bag, std::size_t bin);

  std::uint64_t seed_;
  SeededRandom random_;
  DriftMemory memory_;
  // By track.
  std::vector<std::vector<ScoreBag>> bags_;
};

}  // namespace spuna::algorithms
