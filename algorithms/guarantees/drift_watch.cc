#include "algorithms/guarantees/drift_watch.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "algorithms/compute/format_number.h"

namespace spuna::algorithms {
namespace {

constexpr double kLargestLogit = 16;
constexpr double kBinsPerUnit = 64;
// More rows than any stream has, few enough for sums of them.
constexpr std::uint64_t kMaxRows = std::uint64_t{1} << 53;

void CheckScore(float score) {
  if (score >= 0 && score <= 1) return;
  throw std::invalid_argument("a score must lie within 0 and 1, but is " + FormatNumber(score));
}

void CheckTrusted(std::span<const float> scores) {
  if (scores.empty()) {
    throw std::invalid_argument("watching needs at least 1 trusted row for each classifier");
  }
  for (const float score : scores) CheckScore(score);
}

}  // namespace

double ClampedLogit(float score) {
  const double p = score;
  // 0 and 1 become infinite, which the clamp takes.
  return std::clamp(std::log(p) - std::log1p(-p), -kLargestLogit, kLargestLogit);
}

std::size_t LogitBin(double logit) {
  return static_cast<std::size_t>(std::lround((logit + kLargestLogit) * kBinsPerUnit));
}

void ScoreBag::Add(std::size_t bin, std::uint64_t count) {
  counts_[bin] += count;
  size_ += count;
  for (std::size_t i = bin + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += count;
}

std::uint64_t ScoreBag::CountAbove(std::size_t bin) const {
  std::uint64_t up_to = 0;
  for (std::size_t i = bin + 1; i > 0; i -= i & (~i + 1)) up_to += tree_[i];
  return size_ - up_to;
}

double ConformalPValue(const ScoreBag& bag, std::size_t bin, double u) {
  return (static_cast<double>(bag.CountAbove(bin)) +
          u * static_cast<double>(bag.CountIn(bin) + 1)) /
         static_cast<double>(bag.size() + 1);
}

void DriftMemory::Validate(std::size_t num_classifiers) const {
  auto fail = [](const std::string& what) {
    throw std::invalid_argument("the memory of the watch is damaged: " + what);
  };
  if (num_batches == 0 && num_rows == 0 && tracks.empty()) return;
  if (num_batches > kMaxRows || num_rows > kMaxRows) fail("too many rows");
  if (!std::isfinite(evidence) || evidence < 1) {
    fail("expected evidence of 1 or more but found " + FormatNumber(evidence));
  }
  if (tracks.size() != num_classifiers) {
    fail("expected " + std::to_string(num_classifiers) + " tracks but found " +
         std::to_string(tracks.size()));
  }
  for (const DriftTrack& track : tracks) {
    if (track.counts.size() != num_classifiers) {
      fail("expected " + std::to_string(num_classifiers) + " bags but found " +
           std::to_string(track.counts.size()));
    }
    std::uint64_t sum = 0;
    for (const std::vector<std::uint64_t>& bag : track.counts) {
      if (bag.size() != kNumScoreBins) fail("a bag has the wrong size");
      for (const std::uint64_t count : bag) {
        // So large a sum can't wrap around.
        if (count > kMaxRows || sum > kMaxRows) fail("too many rows");
        sum += count;
      }
    }
    if (sum != num_rows) {
      fail("expected " + std::to_string(num_rows) + " rows on a track but found " +
           std::to_string(sum));
    }
    for (const double capital : track.capitals) {
      if (!(capital >= 0 && capital <= DriftWatch::kMaxCapital)) {
        fail("a capital is " + FormatNumber(capital));
      }
    }
  }
}

DriftWatch::DriftWatch(std::span<const HeldOut> classifiers, std::uint64_t seed,
                       const DriftMemory& memory)
    : seed_(seed), random_(seed), memory_(memory) {
  const std::size_t num_classifiers = classifiers.size();
  if (num_classifiers == 0) throw std::invalid_argument("watching needs at least 1 classifier");
  memory.Validate(num_classifiers);
  std::vector<ScoreBag> trusted(num_classifiers);
  for (std::size_t k = 0; k < num_classifiers; ++k) {
    CheckTrusted(classifiers[k].scores);
    for (const float score : classifiers[k].scores) {
      trusted[k].Add(LogitBin(ClampedLogit(score)));
    }
  }
  bags_.assign(num_classifiers, trusted);
  memory_.tracks.resize(bags_.size());
  for (std::size_t t = 0; t < bags_.size(); ++t) {
    auto& counts = memory_.tracks[t].counts;
    counts.resize(bags_[t].size(), std::vector<std::uint64_t>(kNumScoreBins));
    for (std::size_t bag = 0; bag < counts.size(); ++bag) {
      for (std::size_t bin = 0; bin < kNumScoreBins; ++bin) {
        if (counts[bag][bin] > 0) bags_[t][bag].Add(bin, counts[bag][bin]);
      }
    }
  }
}

double DriftWatch::IdleAfter(std::uint64_t num_batches) {
  return 1 / (1 + std::log2(1 + static_cast<double>(num_batches)));
}

void DriftWatch::BeginBatch() {
  // Any odd number would do: it keeps the seeds of neighboring batches far apart.
  random_ = SeededRandom(seed_ + 0x9e3779b97f4a7c15U * memory_.num_rows);
  const double released = IdleAfter(memory_.num_batches) - IdleAfter(memory_.num_batches + 1);
  ++memory_.num_batches;
  for (DriftTrack& track : memory_.tracks) {
    for (double& capital : track.capitals) {
      capital = std::min(capital + released / static_cast<double>(kNumBets), kMaxCapital);
    }
  }
}

void DriftWatch::Bet(std::size_t track, std::size_t bag, std::size_t bin) {
  ScoreBag& compared = bags_[track][bag];
  const double p = ConformalPValue(compared, bin, random_.Uniform());
  std::size_t bet = 0;
  for (const double reach : kReaches) {
    const double won = p < reach ? 1 / reach : 0;
    for (const double stake : kStakes) {
      double& capital = memory_.tracks[track].capitals[bet++];
      capital = std::min(capital * (1 - stake + stake * won), kMaxCapital);
      // So little is worth nothing, and slow to compute with.
      if (capital < 1e-300) capital = 0;
    }
  }
  compared.Add(bin);
  ++memory_.tracks[track].counts[bag][bin];
}

void DriftWatch::AddRow(const std::vector<std::vector<float>>& scores, std::size_t row) {
  const std::size_t num_classifiers = scores.size();
  const std::size_t turn = memory_.num_rows % num_classifiers;
  for (std::size_t track = 0; track < num_classifiers; ++track) {
    const std::size_t k = (turn + track) % num_classifiers;
    Bet(track, k, LogitBin(ClampedLogit(scores[k][row])));
  }
  ++memory_.num_rows;
}

void DriftWatch::Add(const std::vector<std::vector<float>>& scores) {
  if (scores.size() != bags_.size()) {
    throw std::invalid_argument("expected scores of " + std::to_string(bags_.size()) +
                                " classifiers but found " + std::to_string(scores.size()));
  }
  for (const std::vector<float>& of_classifier : scores) {
    if (of_classifier.size() != scores[0].size()) {
      throw std::invalid_argument("expected " + std::to_string(scores[0].size()) +
                                  " scores of each classifier but found " +
                                  std::to_string(of_classifier.size()));
    }
    for (const float score : of_classifier) CheckScore(score);
  }
  for (std::size_t row = 0; row < scores[0].size(); ++row) {
    AddRow(scores, row);
    memory_.evidence = std::max(memory_.evidence, CurrentEvidence());
  }
}

double DriftWatch::CurrentEvidence() const {
  double won = 0;
  for (const DriftTrack& track : memory_.tracks) {
    won = std::accumulate(track.capitals.begin(), track.capitals.end(), won);
  }
  return IdleAfter(memory_.num_batches) + won / static_cast<double>(memory_.tracks.size());
}

}  // namespace spuna::algorithms
