#include "algorithms/discriminant.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "algorithms/blas.h"
#include "algorithms/linear_discriminant.h"
#include "algorithms/ranking.h"
#include "algorithms/seeded_random.h"
#include "algorithms/whitening.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kNumFolds = 5;
// Proportions that are compared, and how near to the best, in standard errors, counts as equal.
constexpr int kNumProportions = 20;
constexpr double kEqual = 0.25;
// Scores farther out say no more.
constexpr double kLargestScore = 8;

// Out-of-fold scores of one kind.
struct Scores {
  std::vector<double> trusted;
  std::vector<double> pool;
};

// The fold of every row: as even as can be, in random order.
std::vector<std::size_t> AssignFolds(std::size_t num_rows, std::size_t num_folds,
                                     SeededRandom& random) {
  std::vector<std::size_t> folds(num_rows);
  for (std::size_t i = 0; i < num_rows; ++i) folds[i] = i % num_folds;
  random.Shuffle(folds);
  return folds;
}

void AppendRows(const EmbeddingsView& from, const std::vector<std::size_t>& folds, std::size_t fold,
                bool in_fold, Matrix& to) {
  to.dimension = from.dimension;
  for (std::size_t i = 0; i < from.num_rows; ++i) {
    if ((folds[i] == fold) != in_fold) continue;
    to.values.insert(to.values.end(), from.row(i), from.row(i) + from.dimension);
  }
}

void Scatter(const std::vector<double>& logits, const std::vector<std::size_t>& folds,
             std::size_t fold, std::size_t& next, std::vector<double>& scores) {
  for (std::size_t i = 0; i < folds.size(); ++i) {
    if (folds[i] == fold) scores[i] = logits[next++];
  }
}

// In deviations of the trusted rows' scores from their mean.
void StandardizeScores(Scores& scores) {
  const double n = static_cast<double>(scores.trusted.size());
  double mean = 0;
  for (const double score : scores.trusted) mean += score / n;
  double square = 0;
  for (const double score : scores.trusted) square += (score - mean) * (score - mean) / n;
  const double deviation = square > 0 ? std::sqrt(square) : 1;
  for (std::vector<double>* part : {&scores.trusted, &scores.pool}) {
    for (double& score : *part) {
      score = std::clamp((score - mean) / deviation, -kLargestScore, kLargestScore);
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

double BestMix(const Scores& network, const Scores& linear) {
  std::vector<double> aurocs;
  for (int i = 0; i <= kNumProportions; ++i) {
    const Scores mixed = Mix(network, linear, static_cast<double>(i) / kNumProportions);
    aurocs.push_back(MeasureSeparation(mixed.trusted, mixed.pool).auroc);
  }
  const double least = *std::max_element(aurocs.begin(), aurocs.end()) -
                       kEqual * AurocError(network.trusted.size(), network.pool.size());
  double sum = 0;
  int count = 0;
  for (int i = 0; i <= kNumProportions; ++i) {
    if (aurocs[static_cast<std::size_t>(i)] < least) continue;
    sum += static_cast<double>(i) / kNumProportions;
    ++count;
  }
  return sum / count;
}

}  // namespace

Discriminant CrossFit(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                      const SoftNetworkOptions& options, const Execution& execution) {
  const std::size_t num_folds = std::min({kNumFolds, trusted.num_rows, pool.num_rows});
  if (num_folds < 2) {
    throw std::invalid_argument(
        "cross-fitting needs at least 2 trusted rows and 2 pool rows, but there are " +
        std::to_string(trusted.num_rows) + " and " + std::to_string(pool.num_rows) +
        "; give more rows or use `recipe` paper");
  }
  const SingleThreadedBlas single_threaded;
  execution.Report({Stage::kCrossFit, 0, num_folds});
  SeededRandom random(options.seed);
  const std::vector<std::size_t> trusted_folds = AssignFolds(trusted.num_rows, num_folds, random);
  const std::vector<std::size_t> pool_folds = AssignFolds(pool.num_rows, num_folds, random);
  Scores network{std::vector<double>(trusted.num_rows), std::vector<double>(pool.num_rows)};
  Scores linear = network;
  Execution within;
  within.should_stop = execution.should_stop;
  ParallelFor(num_folds, execution, [&](std::size_t fold, std::size_t) {
    Matrix learned;
    AppendRows(trusted, trusted_folds, fold, false, learned);
    const Whitening whitening = FitWhitening(learned.view());
    std::vector<float> targets(learned.num_rows(), 0.0F);
    AppendRows(pool, pool_folds, fold, false, learned);
    targets.resize(learned.num_rows(), 1.0F);
    Matrix scored;
    AppendRows(trusted, trusted_folds, fold, true, scored);
    AppendRows(pool, pool_folds, fold, true, scored);

    auto keep = [&](const std::vector<double>& logits, Scores& scores) {
      std::size_t next = 0;
      Scatter(logits, trusted_folds, fold, next, scores.trusted);
      Scatter(logits, pool_folds, fold, next, scores.pool);
    };
    keep(FitLinearDiscriminant(learned.view(), targets, within).Logits(scored.view()), linear);
    SoftNetworkOptions fold_options = options;
    fold_options.seed = options.seed * kNumFolds + fold;
    learned = whitening.Apply(learned.view(), within);
    scored = whitening.Apply(scored.view(), within);
    keep(TrainSoftNetwork(learned.view(), targets, fold_options, within).Logits(scored.view()),
         network);
  });

  StandardizeScores(network);
  StandardizeScores(linear);
  Discriminant discriminant;
  discriminant.network_weight = BestMix(network, linear);
  // The proportion was chosen by the difference, so the difference is tested at an even one.
  const Scores even = Mix(network, linear, 0.5);
  discriminant.separation = MeasureSeparation(even.trusted, even.pool);
  Scores mixed = Mix(network, linear, discriminant.network_weight);
  StandardizeScores(mixed);
  discriminant.share = EstimateShare(mixed.trusted, mixed.pool);
  discriminant.trusted = std::move(mixed.trusted);
  discriminant.pool = std::move(mixed.pool);
  return discriminant;
}

}  // namespace spuna::algorithms
