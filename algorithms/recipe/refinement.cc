#include "algorithms/recipe/refinement.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/classifier/linear_discriminant.h"
#include "algorithms/compute/blas.h"
#include "algorithms/compute/moments.h"
#include "algorithms/expansion/spectral_entropy.h"
#include "algorithms/recipe/soft_distillation.h"
#include "algorithms/rows/copy_rows.h"
#include "algorithms/rows/folds.h"
#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kNumFolds = 4;
// By how much the entropy falls without the shifted rows becoming fewer kinds.
constexpr double kWavering = 0.025;
// The labels need a ranking, not the regression's minimum: more change no label that matters.
constexpr std::size_t kLinearIterations = 3;
// Seeds of different rounds lie apart by more than there are folds.
constexpr std::uint64_t kSeedsPerRound = 64;

// Adds the scores of some rows, in deviations from their mean, times a weight.
void AddInDeviations(const std::vector<double>& scores, double weight, const RowNumbers& rows,
                     std::vector<double>& to) {
  const Moments moments = MomentsOf(scores);
  const double unit = moments.deviation > 0 ? moments.deviation : 1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    to[rows[i]] += weight * (scores[i] - moments.mean) / unit;
  }
}

class Refiner {
 public:
  Refiner(const EmbeddingsView& trusted, const EmbeddingsView& pool, const Strata& strata,
          const Groups& groups, std::span<const RowVerdict> verdicts, const Whitening& whitening,
          const RefinementOptions& options, const Execution& execution)
      : trusted_(trusted),
        pool_(pool),
        strata_(strata),
        groups_(groups),
        verdicts_(verdicts),
        whitening_(whitening),
        options_(options),
        execution_(execution),
        plain_(trusted) {
    plain_.Add(pool);
    if (Refines()) whitened_ = whitening.Apply(plain_, execution);
  }

  Expansion Run(std::span<const double> first_scores, const ExpansionRecord& record) {
    Expansion result;
    if (record.begin) {
      result = *record.begin;
    } else {
      result = NoLabels(pool_.num_rows);
      const std::vector<double> curve = CurveOf(pool_.num_rows, {first_scores});
      Relabel(Refines() ? ScoreOutOfFold(TargetsOfLogits(curve, options_.share), 0) : curve, 0,
              result);
      result.entropy = {EntropyOf(result)};
    }
    result.stopped_by = StoppedBy::kRounds;
    result.num_rounds = result.entropy.size() - 1;
    while (Refines() && result.num_rounds < options_.max_rounds) {
      if (record.on_round) record.on_round(result);
      Expansion before = result;
      ++result.num_rounds;
      Relabel(ScoreOutOfFold(TargetsOfLabels(result.labels, options_.share), result.num_rounds),
              result.num_rounds, result);
      result.entropy.push_back(EntropyOf(result));
      if (result.entropy.back() - before.entropy.back() >= options_.epsilon - kWavering) continue;
      if (options_.on_stop == OnStop::kRollback) {
        result.labels = std::move(before.labels);
        result.rounds = std::move(before.rounds);
      }
      result.stopped_by = StoppedBy::kEntropy;
      break;
    }
    return result;
  }

 private:
  bool Refines() const { return options_.max_rounds > 0 && options_.share < kLargestRefinedShare; }

  EmbeddingsView WhitenedPool() const {
    return {whitened_.view().row(trusted_.num_rows), pool_.num_rows, pool_.dimension};
  }

  // The pool's scores, each by models that learned the other folds.
  std::vector<double> ScoreOutOfFold(PoolTargets targets, std::size_t round) {
    LearnVerdicts(verdicts_, targets);
    const std::uint64_t seed = options_.network.seed * kSeedsPerRound + round;
    SeededRandom random(seed);
    const std::size_t num_folds = std::min(kNumFolds, CountGroups(groups_.pool, pool_.num_rows));
    const Folds folds = AssignFolds(pool_.num_rows, groups_.pool, num_folds, random);
    const std::vector<float> offsets = StratumOffsets(strata_, targets.network);
    SharedProgress progress(Stage::kExpand, num_folds * options_.network.epochs, execution_);
    std::vector<double> scores(pool_.num_rows);
    ParallelFor(num_folds, execution_, [&](std::size_t fold, std::size_t worker) {
      ScoreFold(targets, offsets, folds, fold, seed * kNumFolds + fold, progress.Within(worker),
                scores);
    });
    return scores;
  }

  void ScoreFold(const PoolTargets& targets, const std::vector<float>& offsets, const Folds& folds,
                 std::size_t fold, std::uint64_t seed, const Execution& execution,
                 std::vector<double>& scores) const {
    RowSet whitened(pool_.dimension);
    RowSet plain(pool_.dimension);
    PoolTargets learned;
    std::vector<float> learned_offsets;
    auto learn = [&](std::size_t row, float network, float linear) {
      whitened.Add(whitened_.view().row(row));
      plain.Add(plain_[row]);
      learned.network.push_back(network);
      learned.linear.push_back(linear);
      if (!offsets.empty()) learned_offsets.push_back(offsets[row]);
    };
    std::vector<float>& counts = learned.counts;
    if (!targets.counts.empty()) counts.assign(trusted_.num_rows, 1.0F);
    for (std::size_t row = 0; row < trusted_.num_rows; ++row) learn(row, 0, 0);
    for (std::size_t row = 0; row < pool_.num_rows; ++row) {
      if (folds[row] == fold) continue;
      learn(trusted_.num_rows + row, targets.network[row], targets.linear[row]);
      if (!targets.counts.empty()) counts.push_back(targets.counts[row]);
    }
    const RowNumbers inside = RowsOf(fold, folds);
    SoftNetworkOptions own = options_.network;
    own.hidden = HiddenOfPart(options_.network.hidden);
    own.seed = seed;
    const SoftNetwork network =
        TrainSoftNetwork(whitened, {learned.network, learned_offsets, counts}, own, execution);
    const double weight = options_.network_weight;
    AddInDeviations(network.Logits(CopyRows(WhitenedPool(), inside).view()), weight, inside,
                    scores);
    if (weight == 1) return;
    const LinearDiscriminant linear = FitLinearDiscriminant(
        plain, {learned.linear, learned_offsets, counts}, execution, kLinearIterations);
    RowSet rest(pool_.dimension);
    for (const std::uint32_t row : inside) rest.Add(pool_.row(row));
    AddInDeviations(linear.Logits(rest), 1 - weight, inside, scores);
  }

  // Labels all rows anew; those that keep their label keep its round.
  void Relabel(const std::vector<double>& scores, std::size_t round, Expansion& result) const {
    std::vector<PseudoLabel> labels = LabelByRank(scores, options_.share, verdicts_);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == result.labels[i]) continue;
      result.rounds[i] = labels[i] == PseudoLabel::kNone ? -1 : static_cast<std::int32_t>(round);
    }
    result.labels = std::move(labels);
  }

  double EntropyOf(const Expansion& labeled) const {
    const RowNumbers shifted = labeled.RowsWith(PseudoLabel::kShifted);
    if (shifted.empty()) return 0;
    RowSet rows(pool_.dimension);
    for (const std::uint32_t row : shifted) rows.Add(pool_.row(row));
    const Matrix whitened = whitening_.Apply(rows, execution_);
    SpectralEntropy entropy(pool_.dimension);
    entropy.Add(whitened.view(), AllRows(shifted.size()));
    return entropy.Value();
  }

  const EmbeddingsView trusted_;
  const EmbeddingsView pool_;
  const Strata& strata_;
  const Groups& groups_;
  const std::span<const RowVerdict> verdicts_;
  const Whitening& whitening_;
  const RefinementOptions& options_;
  const Execution& execution_;
  RowSet plain_;
  // Both inputs; empty where nothing is learned.
  Matrix whitened_;
};

}  // namespace

Expansion RefineLabels(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                       const Strata& strata, const Groups& groups,
                       std::span<const RowVerdict> verdicts, const Whitening& whitening,
                       std::span<const double> first_scores, const RefinementOptions& options,
                       const Execution& execution, const ExpansionRecord& record) {
  const SingleThreadedBlas single_threaded;
  return Refiner(trusted, pool, strata, groups, verdicts, whitening, options, execution)
      .Run(first_scores, record);
}

}  // namespace spuna::algorithms
