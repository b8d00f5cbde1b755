#include "algorithms/recipe/soft_distillation.h"

#include <algorithm>
#include <armadillo>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "algorithms/classifier/classifier_builder.h"
#include "algorithms/classifier/linear_discriminant.h"
#include "algorithms/compute/blas.h"
#include "algorithms/compute/logistic.h"
#include "algorithms/compute/moments.h"
#include "algorithms/compute/standardization.h"
#include "algorithms/recipe/soft_targets.h"

namespace spuna::algorithms {
namespace {

// How steep the curve over a sum of scores of deviation 1 is.
constexpr double kSteepness = 4;
constexpr double kHighestLogit = 20;
constexpr std::size_t kRowsForSteepness = 10'000;

// The deviation, or 0 where the values differ by no more than rounding.
double SpreadOf(const Moments& moments) {
  return moments.deviation <= 1e-9 * moments.largest ? 0 : moments.deviation;
}

// One network that gives the mean of the logits of several.
SoftNetwork JoinNetworks(const std::vector<SoftNetwork>& networks) {
  const double share = 1.0 / static_cast<double>(networks.size());
  SoftNetwork joined;
  joined.dimension = networks.front().dimension;
  arma::fmat weight;
  for (const SoftNetwork& network : networks) {
    joined.hidden += network.hidden;
    weight = arma::join_cols(
        weight, arma::fmat(network.hidden_weight.data(), network.hidden, network.dimension));
    joined.hidden_bias.insert(joined.hidden_bias.end(), network.hidden_bias.begin(),
                              network.hidden_bias.end());
    for (const float output : network.output_weight) {
      joined.output_weight.push_back(static_cast<float>(share * output));
    }
    joined.output_bias += static_cast<float>(share * network.output_bias);
  }
  joined.hidden_weight.assign(weight.begin(), weight.end());
  return joined;
}

// The factor that brings `logits` nearest to the targets, by cross-entropy, among powers of 1.1;
// the mean stays that of the targets.
double SteepnessFor(std::span<const double> logits, std::span<const float> targets, double share,
                    const Execution& execution) {
  double best = 1;
  double least = INFINITY;
  // Every so many rows are enough.
  const std::size_t stride = logits.size() / kRowsForSteepness + 1;
  std::vector<double> scaled((logits.size() + stride - 1) / stride);
  for (int power = -10; power <= 60; ++power) {
    execution.CheckStop();
    const double factor = std::pow(1.1, power);
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] = factor * logits[i * stride];
    const double offset = OffsetFor(scaled, share);
    double loss = 0;
    for (std::size_t i = 0; i < scaled.size(); ++i) {
      loss += LogisticLoss(scaled[i] + offset, targets[i * stride]);
    }
    if (loss >= least) continue;
    least = loss;
    best = factor;
  }
  return best;
}

// The logit of a row, in float64.
double LogitOf(const Classifier& classifier, const float* row) {
  std::vector<float> standardized(classifier.dimension);
  Standardizer(classifier.mean, classifier.deviation).Apply(row, standardized.data());
  double logit = static_cast<double>(classifier.output_bias[1]) - classifier.output_bias[0];
  for (std::size_t h = 0; h < classifier.hidden; ++h) {
    double activation = classifier.hidden_bias[h];
    for (std::size_t j = 0; j < classifier.dimension; ++j) {
      activation += static_cast<double>(classifier.hidden_weight[h * classifier.dimension + j]) *
                    standardized[j];
    }
    logit += std::max(activation, 0.0) * classifier.output_weight[classifier.hidden + h];
  }
  return logit;
}

// Lowers the scores until no row reaches one half. Rows far out, which the training drew in, are
// here as they are.
void LowerBelowOneHalf(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                       Classifier& classifier, const Execution& execution) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  double highest = kNone;
  for (const EmbeddingsView& rows : {trusted, pool}) {
    const std::vector<float> scores = classifier.Score(rows, execution);
    for (std::size_t i = 0; i < rows.num_rows; ++i) {
      if (!(scores[i] < 0.49F)) highest = std::max(highest, LogitOf(classifier, rows.row(i)));
    }
  }
  if (highest == kNone) return;
  // Less steep where one row is so far out that the others' scores would all become 0.
  if (highest > kHighestLogit) {
    const auto factor = static_cast<float>(kHighestLogit / highest);
    for (float& weight : classifier.output_weight) weight *= factor;
    for (float& bias : classifier.output_bias) bias *= factor;
    highest = kHighestLogit;
  }
  classifier.output_bias[1] -= static_cast<float>(highest + 0.1 * (1 + std::abs(highest)));
}

}  // namespace

std::vector<double> CurveOf(std::size_t num_pool_rows,
                            std::initializer_list<std::span<const double>> scores) {
  std::vector<double> sum(num_pool_rows);
  for (const std::span<const double> some : scores) {
    const Moments moments = MomentsOf(some);
    const double spread = SpreadOf(moments);
    if (spread == 0) continue;
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (std::isfinite(some[i])) sum[i] += (some[i] - moments.mean) / spread;
    }
  }
  const double spread = SpreadOf(MomentsOf(sum));
  if (spread > 0) {
    for (double& score : sum) score *= kSteepness / spread;
  }
  return sum;
}

Classifier DistillSoftly(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                         const Whitening& whitening, const SoftLesson& lesson,
                         const SoftNetworkOptions& options, const Execution& execution) {
  const SingleThreadedBlas single_threaded;
  SharedProgress progress(Stage::kDistill, kNumNetworks * options.epochs, execution);
  RowSet rows(trusted);
  rows.Add(pool);
  const Matrix whitened = whitening.Apply(rows, execution);
  const std::vector<float> counts = WithTrustedRows(trusted.num_rows, 1, lesson.targets.counts);
  std::vector<SoftNetwork> networks(kNumNetworks);
  LinearDiscriminant linear;
  ParallelFor(kNumNetworks + 1, execution, [&](std::size_t part, std::size_t worker) {
    const Execution within = progress.Within(worker);
    if (part == kNumNetworks) {
      const std::vector<float> targets =
          WithTrustedRows(trusted.num_rows, 0, lesson.targets.linear);
      linear = FitLinearDiscriminant(rows, {targets, lesson.offsets, counts}, within);
      return;
    }
    SoftNetworkOptions own = options;
    own.hidden = HiddenOfPart(options.hidden);
    own.seed = options.seed * kNumNetworks + part;
    const std::vector<float> targets = WithTrustedRows(trusted.num_rows, 0, lesson.targets.network);
    networks[part] =
        TrainSoftNetwork(whitened.view(), {targets, lesson.offsets, counts}, own, within);
  });
  const SoftNetwork network = JoinNetworks(networks);

  // Each part in units of its deviation over the pool, then as steep as the network was.
  const std::vector<double> network_logits = network.Logits(whitened.view());
  const std::vector<double> linear_logits = linear.Logits(rows);
  const auto pool_part = [&](const std::vector<double>& logits) {
    return std::span(logits).subspan(trusted.num_rows);
  };
  const double network_spread = SpreadOf(MomentsOf(pool_part(network_logits)));
  const double linear_spread = SpreadOf(MomentsOf(pool_part(linear_logits)));
  if (!(network_spread > 0)) {
    throw std::runtime_error(
        "the distilled network gives every pool row the same score; try another `seed`, more "
        "`hidden` units or more `epochs`");
  }
  const double weight = lesson.network_weight;
  const double linear_weight =
      linear_spread > 0 ? (1 - weight) * network_spread / linear_spread : 0;
  std::vector<double> logits(network_logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    logits[i] = weight * network_logits[i] + linear_weight * linear_logits[i];
  }
  const double factor =
      lesson.curve.empty()
          ? kSteepness / SpreadOf(MomentsOf(pool_part(logits)))
          : SteepnessFor(pool_part(logits), ProbabilitiesWithMean(lesson.curve, lesson.share),
                         lesson.share, execution);
  for (double& logit : logits) logit *= factor;
  const double offset = OffsetFor(pool_part(logits), lesson.share);
  ClassifierBuilder builder(linear.standardization);
  builder.AddNetwork(network, whitening, factor * weight);
  builder.AddLinear(linear, factor * linear_weight);
  Classifier classifier = std::move(builder).Build(offset);
  if (!lesson.found) LowerBelowOneHalf(trusted, pool, classifier, execution);
  return classifier;
}

}  // namespace spuna::algorithms
