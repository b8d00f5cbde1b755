#include "algorithms/recipe/discriminant.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "algorithms/classifier/classifier_builder.h"
#include "algorithms/classifier/linear_discriminant.h"
#include "algorithms/compute/blas.h"
#include "algorithms/compute/moments.h"
#include "algorithms/guarantees/shift_test.h"
#include "algorithms/recipe/fold_network.h"
#include "algorithms/recipe/soft_targets.h"
#include "algorithms/rows/copy_rows.h"
#include "algorithms/rows/folds.h"
#include "algorithms/rows/ranking.h"
#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kNumFolds = 5;
// Proportions that are compared, and how close to the best AUROC one must come to tie with it.
constexpr int kNumProportions = 20;
constexpr double kTieInStandardErrors = 0.25;
constexpr std::size_t kFoldsWithNetwork = 2;
// Scores farther out say no more.
constexpr double kLargestScore = 8;

// Out-of-fold scores of one kind.
struct Scores {
  std::vector<double> trusted;
  std::vector<double> pool;
};

void AddRows(const EmbeddingsView& from, const Folds& folds, std::size_t fold, bool in_fold,
             RowSet& to) {
  for (std::size_t i = 0; i < from.num_rows; ++i) {
    if ((folds[i] == fold) == in_fold) to.Add(from.row(i));
  }
}

// The offsets of the rows outside a fold.
void AddOffsets(const std::vector<std::uint32_t>& strata, const Folds& folds, std::size_t fold,
                const std::vector<float>& log_ratios, std::vector<float>& to) {
  for (std::size_t i = 0; i < strata.size(); ++i) {
    if (folds[i] != fold) to.push_back(log_ratios[strata[i]]);
  }
}

// The weight of every trusted row; none without strata.
std::vector<double> WeightsOf(const Strata& strata) {
  const std::vector<double> of_stratum = strata.TrustedWeights();
  std::vector<double> weights;
  if (of_stratum.empty()) return weights;
  for (const std::uint32_t stratum : strata.trusted) weights.push_back(of_stratum[stratum]);
  return weights;
}

void Scatter(const std::vector<double>& logits, const Folds& folds, std::size_t fold,
             std::size_t& next, std::vector<double>& scores) {
  for (std::size_t i = 0; i < folds.size(); ++i) {
    if (folds[i] == fold) scores[i] = logits[next++];
  }
}

// The deviation to divide by; 1 where there is none.
double UnitOf(const Moments& moments) { return moments.deviation > 0 ? moments.deviation : 1; }

// In deviations of the trusted rows' scores from their mean.
void StandardizeScores(Scores& scores) {
  const Moments moments = MomentsOf(scores.trusted);
  const double unit = UnitOf(moments);
  for (std::vector<double>* part : {&scores.trusted, &scores.pool}) {
    for (double& score : *part) {
      score = std::clamp((score - moments.mean) / unit, -kLargestScore, kLargestScore);
    }
  }
}

Scores Mix(const Scores& network, const Scores& linear, double network_weight) {
  auto mix = [&](const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> mixed(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      mixed[i] = network_weight * a[i] + (1 - network_weight) * b[i];
    }
    return mixed;
  };
  return {mix(network.trusted, linear.trusted), mix(network.pool, linear.pool)};
}

// The mean of the proportions that tie with the best.
double BestNetworkWeight(const Scores& network, const Scores& linear) {
  std::vector<double> aurocs;
  for (int i = 0; i <= kNumProportions; ++i) {
    const Scores mixed = Mix(network, linear, static_cast<double>(i) / kNumProportions);
    aurocs.push_back(Auroc(mixed.trusted, mixed.pool));
  }
  const double least =
      *std::max_element(aurocs.begin(), aurocs.end()) -
      kTieInStandardErrors * AurocError(network.trusted.size(), network.pool.size());
  double sum = 0;
  int count = 0;
  for (int i = 0; i <= kNumProportions; ++i) {
    if (aurocs[static_cast<std::size_t>(i)] < least) continue;
    sum += static_cast<double>(i) / kNumProportions;
    ++count;
  }
  return sum / count;
}

// How many networks learn at the same time. Each has a whitened copy of the rows outside its fold,
// in half; together the copies stay below 1.3 times the rows and 100 MB.
int NetworksAtOnce(std::size_t num_rows, std::size_t dimension, std::size_t num_folds,
                   int num_threads) {
  constexpr double kSpareBytes = 100e6;
  const double matrix = static_cast<double>(num_rows * dimension * sizeof(float));
  const double copy = matrix / 2 * (1 - 1 / static_cast<double>(num_folds));
  const double at_once = std::min((1.3 * matrix + kSpareBytes) / copy, 1e3);
  return std::clamp(static_cast<int>(at_once), 1, std::max(num_threads, 1));
}

// Fits and scores the folds. The models of all folds may be fitted at the same time.
class CrossFitter {
 public:
  CrossFitter(const EmbeddingsView& trusted, const EmbeddingsView& pool, const Strata& strata,
              const Groups& groups, std::span<const RowVerdict> verdicts,
              const SoftNetworkOptions& options, std::size_t num_folds)
      : trusted_(trusted),
        pool_(pool),
        strata_(strata),
        groups_(groups),
        verdicts_(verdicts),
        options_(options),
        pool_targets_(TargetsOfPool(pool.num_rows)),
        log_ratios_(strata.LogRatios()),
        network_{std::vector<double>(trusted.num_rows), std::vector<double>(pool.num_rows)},
        linear_(network_),
        lines_(num_folds),
        networks_(std::min(num_folds, kFoldsWithNetwork)),
        held_out_(num_folds) {
    LearnVerdicts(verdicts, pool_targets_);
    SeededRandom random(options.seed);
    trusted_folds_ = AssignFolds(trusted.num_rows, groups.trusted, num_folds, random);
    pool_folds_ = AssignFolds(pool.num_rows, groups.pool, num_folds, random);
  }

  // Both learn the other folds and score the rows of this one.
  void FitLine(std::size_t fold, const Execution& execution) {
    const OtherFolds others = Without(fold);
    Line& line = lines_[fold];
    line.fitted = FitLinearDiscriminant(others.rows, others.lesson(), execution);
    line.scale = Keep(line.fitted.Logits(RowsIn(fold)), fold, linear_);
  }
  void FitNetwork(std::size_t fold, const Execution& execution) {
    const OtherFolds others = Without(fold);
    SoftNetworkOptions fold_options = options_;
    fold_options.seed = options_.seed * kNumFolds + fold;
    Network network{
        TrainFoldNetwork(others.trusted, others.rows, others.lesson(), fold_options, execution)};
    network.scale = Keep(network.fitted.Logits(RowsIn(fold), execution), fold, network_);
    if (fold < kFoldsWithNetwork) networks_[fold] = std::move(network);
  }

  // When all folds are fitted.
  Discriminant Finish(const Execution& execution) && {
    for (std::size_t fold = 0; fold < held_out_.size(); ++fold) {
      held_out_[fold].classifier = BuildClassifier(fold);
      const Matrix rows = CopyRows(trusted_, RowsOf(fold, trusted_folds_));
      held_out_[fold].scores = held_out_[fold].classifier.Score(rows.view(), execution);
    }
    StandardizeScores(network_);
    StandardizeScores(linear_);
    Discriminant discriminant;
    const Scores network = OfOpenRows(network_);
    const Scores linear = OfOpenRows(linear_);
    discriminant.network_weight = BestNetworkWeight(network, linear);
    // The proportion was chosen for the difference, so the difference is measured at an even one.
    const Scores even = Mix(network, linear, 0.5);
    discriminant.separation.auroc = Auroc(even.trusted, even.pool);
    const ShiftTestResult tested = TestOpenRows(execution);
    discriminant.separation.p_value = tested.p_value;
    discriminant.separation.least_p_value = tested.least_p_value;
    Scores mixed = Mix(network_, linear_, discriminant.network_weight);
    StandardizeScores(mixed);
    const Scores open = OfOpenRows(mixed);
    const double widening = std::max(GroupWidening(open.trusted, groups_.trusted),
                                     GroupWidening(open.pool, OfOpenRows(groups_.pool)));
    discriminant.share =
        EstimateShare(open.trusted, open.pool, WeightsOf(strata_), kCrossFitWidening * widening);
    // Without a proven difference there may be no shifted rows.
    if (!discriminant.separation.Found()) discriminant.share.low = 0;
    discriminant.folds = std::move(held_out_);
    discriminant.trusted = std::move(mixed.trusted);
    discriminant.pool = std::move(mixed.pool);
    return discriminant;
  }

 private:
  // What a model of a fold learns from.
  struct OtherFolds {
    RowSet trusted;
    // The trusted rows first.
    RowSet rows;
    std::vector<float> targets;
    std::vector<float> counts;
    std::vector<float> offsets;

    RowTargets lesson() const { return {targets, offsets, counts}; }
  };
  // The models of a fold; times its scale, a score is in deviations of the trusted rows in the
  // fold.
  struct Line {
    LinearDiscriminant fitted;
    double scale = 1;
  };
  struct Network {
    FoldNetwork fitted;
    double scale = 1;
  };

  OtherFolds Without(std::size_t fold) const {
    RowSet trusted(pool_.dimension);
    AddRows(trusted_, trusted_folds_, fold, false, trusted);
    RowSet rows = trusted;
    AddRows(pool_, pool_folds_, fold, false, rows);
    return {trusted, std::move(rows),
            WithTrustedRows(trusted.size(), 0, ValuesWithout(fold, pool_targets_.network)),
            WithTrustedRows(trusted.size(), 1, ValuesWithout(fold, pool_targets_.counts)),
            OffsetsWithout(fold)};
  }

  RowSet RowsIn(std::size_t fold) const {
    RowSet rows(pool_.dimension);
    AddRows(trusted_, trusted_folds_, fold, true, rows);
    AddRows(pool_, pool_folds_, fold, true, rows);
    return rows;
  }

  Classifier BuildClassifier(std::size_t fold) const {
    const Line& line = lines_[fold];
    ClassifierBuilder builder(line.fitted.standardization);
    builder.AddLinear(line.fitted, line.scale);
    if (fold < kFoldsWithNetwork) {
      const Network& network = networks_[fold];
      builder.AddNetwork(network.fitted.network, network.fitted.whitening, network.scale);
    }
    return std::move(builder).Build(0);
  }

  // Values of pool rows, for those outside a fold.
  std::vector<float> ValuesWithout(std::size_t fold, const std::vector<float>& values) const {
    std::vector<float> outside;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (pool_folds_[i] != fold) outside.push_back(values[i]);
    }
    return outside;
  }

  // What is known of pool rows, for those without a verdict.
  template <typename T>
  std::vector<T> OfOpenRows(const std::vector<T>& values) const {
    if (verdicts_.empty() || values.empty()) return values;
    return ValuesAt(RowsWithoutVerdict(verdicts_, pool_.num_rows), values);
  }
  Scores OfOpenRows(const Scores& scores) const {
    return {scores.trusted, OfOpenRows(scores.pool)};
  }

  ShiftTestResult TestOpenRows(const Execution& execution) const {
    if (verdicts_.empty()) {
      return TestShift(trusted_, pool_, strata_, groups_, options_.seed, execution);
    }
    const Matrix open = CopyRows(pool_, RowsWithoutVerdict(verdicts_, pool_.num_rows));
    Strata strata = strata_;
    Groups groups = groups_;
    strata.pool = OfOpenRows(strata_.pool);
    groups.pool = OfOpenRows(groups_.pool);
    return TestShift(trusted_, open.view(), strata, groups, options_.seed, execution);
  }

  // The offsets of the rows outside a fold; none without strata.
  std::vector<float> OffsetsWithout(std::size_t fold) const {
    std::vector<float> offsets;
    if (log_ratios_.empty()) return offsets;
    AddOffsets(strata_.trusted, trusted_folds_, fold, log_ratios_, offsets);
    AddOffsets(strata_.pool, pool_folds_, fold, log_ratios_, offsets);
    return offsets;
  }

  // The logits of a fold's rows, the trusted ones first, go to their rows' scores. Returns one over
  // their deviation among the trusted rows.
  double Keep(const std::vector<double>& logits, std::size_t fold, Scores& scores) const {
    std::size_t next = 0;
    Scatter(logits, trusted_folds_, fold, next, scores.trusted);
    const std::size_t num_trusted = next;
    Scatter(logits, pool_folds_, fold, next, scores.pool);
    return 1 / UnitOf(MomentsOf(std::span(logits).first(num_trusted)));
  }

  const EmbeddingsView trusted_;
  const EmbeddingsView pool_;
  const Strata& strata_;
  const Groups& groups_;
  const std::span<const RowVerdict> verdicts_;
  const SoftNetworkOptions& options_;
  PoolTargets pool_targets_;
  const std::vector<float> log_ratios_;
  Folds trusted_folds_;
  Folds pool_folds_;
  Scores network_;
  Scores linear_;
  std::vector<Line> lines_;
  std::vector<Network> networks_;
  std::vector<HeldOut> held_out_;
};

}  // namespace

Discriminant CrossFit(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                      const Strata& strata, const Groups& groups,
                      std::span<const RowVerdict> verdicts, const SoftNetworkOptions& options,
                      const Execution& execution) {
  const std::size_t num_trusted = CountGroups(groups.trusted, trusted.num_rows);
  const std::size_t num_pool = CountGroups(groups.pool, pool.num_rows);
  const std::size_t num_folds = std::min({kNumFolds, num_trusted, num_pool});
  if (num_folds < 2) {
    const std::string unit = groups.empty() ? "rows" : "groups";
    throw std::invalid_argument("cross-fitting needs at least 2 trusted " + unit + " and 2 pool " +
                                unit + ", but there are " + std::to_string(num_trusted) + " and " +
                                std::to_string(num_pool) + "; give more " + unit +
                                " or use `recipe` paper");
  }
  const SingleThreadedBlas single_threaded;
  SharedProgress progress(Stage::kCrossFit, num_folds * options.epochs, execution);
  CrossFitter fitter(trusted, pool, strata, groups, verdicts, options, num_folds);
  Execution across = execution;
  across.num_threads = NetworksAtOnce(trusted.num_rows + pool.num_rows, pool.dimension, num_folds,
                                      execution.num_threads);
  // The networks first, which take longest.
  ParallelFor(2 * num_folds, across, [&](std::size_t task, std::size_t worker) {
    const Execution within = progress.Within(worker);
    if (task < num_folds) {
      fitter.FitNetwork(task, within);
    } else {
      fitter.FitLine(task - num_folds, within);
    }
  });
  return std::move(fitter).Finish(execution);
}

}  // namespace spuna::algorithms
