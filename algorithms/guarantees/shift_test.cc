#include "algorithms/guarantees/shift_test.h"

#include <algorithm>
#include <armadillo>
#include <cmath>
#include <numeric>
#include <vector>

#include "algorithms/compute/blas.h"
#include "algorithms/compute/standardization.h"
#include "algorithms/rows/evenly_taken.h"
#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kMaxTrustedRows = 5'000;
constexpr std::size_t kMaxPoolRows = 10'000;
constexpr std::size_t kNumFolds = 5;
constexpr std::size_t kNumDraws = 199;
constexpr std::size_t kDrawsPerBlock = 20;
constexpr int kNumSharpenings = 4;
// The ranks, as shares of all rows, from which a row counts when regressing again, and in the end.
constexpr double kSharpenFrom = 0.7;
constexpr double kTailFrom = 0.9;
// In units of a coordinate's mean variance.
constexpr double kRidge = 0.1;
constexpr double kLargestStandardized = 8;

// A row that takes part.
struct Member {
  const float* row;
  std::uint32_t stratum;
  bool is_pool;
};

// Some of both sides, in random order: what is tied is then tied without favor.
std::vector<Member> ChooseMembers(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                                  const Strata& strata, SeededRandom& random) {
  std::vector<Member> members;
  for (const std::uint32_t row : EvenlyTaken(trusted.num_rows, kMaxTrustedRows)) {
    members.push_back({trusted.row(row), strata.OfTrusted(row), false});
  }
  for (const std::uint32_t row : EvenlyTaken(pool.num_rows, kMaxPoolRows)) {
    members.push_back({pool.row(row), strata.OfPool(row), true});
  }
  random.Shuffle(members);
  return members;
}

// Cross-fitted ridge regressions of several targets at once on the same rows.
class CrossFittedRidge {
 public:
  CrossFittedRidge(const std::vector<Member>& members, std::size_t dimension,
                   const Execution& execution)
      : num_rows_(members.size()), inverses_(kNumFolds) {
    RowSet rows(dimension);
    for (const Member& member : members) rows.Add(member.row);
    const Standardization standardization = FitStandardization(rows);
    const Standardizer standardizer(standardization, kLargestStandardized);
    // The rows of a fold lie side by side.
    for (std::size_t fold = 0; fold < kNumFolds; ++fold) {
      folds_.emplace_back(dimension, End(fold) - Begin(fold));
      for (std::size_t i = Begin(fold); i < End(fold); ++i) {
        standardizer.Apply(rows[i], folds_[fold].colptr(i - Begin(fold)));
      }
    }
    std::vector<arma::mat> moments(kNumFolds);
    ParallelFor(kNumFolds, execution, [&](std::size_t fold, std::size_t) {
      moments[fold] = arma::conv_to<arma::mat>::from(arma::fmat(folds_[fold] * folds_[fold].t()));
    });
    arma::mat total = moments[0];
    for (std::size_t fold = 1; fold < kNumFolds; ++fold) total += moments[fold];
    ParallelFor(kNumFolds, execution, [&](std::size_t fold, std::size_t) {
      arma::mat others = total - moments[fold];
      const double ridge = kRidge * arma::trace(others) / static_cast<double>(dimension);
      others.diag() += ridge > 0 ? ridge : 1;
      inverses_[fold] = arma::conv_to<arma::fmat>::from(arma::mat(arma::inv_sympd(others)));
    });
  }

  // Each row's predictions by a regression on the other folds; one column for each of `targets`.
  arma::fmat Predict(const arma::fmat& targets) const {
    std::vector<arma::fmat> products;
    arma::fmat total(folds_[0].n_rows, targets.n_cols, arma::fill::zeros);
    for (std::size_t fold = 0; fold < kNumFolds; ++fold) {
      products.push_back(folds_[fold] * targets.rows(Begin(fold), End(fold) - 1));
      total += products.back();
    }
    arma::fmat predictions(num_rows_, targets.n_cols);
    for (std::size_t fold = 0; fold < kNumFolds; ++fold) {
      const arma::fmat weights = inverses_[fold] * arma::fmat(total - products[fold]);
      predictions.rows(Begin(fold), End(fold) - 1) = folds_[fold].t() * weights;
    }
    return predictions;
  }

 private:
  std::size_t Begin(std::size_t fold) const { return fold * num_rows_ / kNumFolds; }
  std::size_t End(std::size_t fold) const { return Begin(fold + 1); }

  std::size_t num_rows_;
  std::vector<arma::fmat> folds_;
  std::vector<arma::fmat> inverses_;
};

// What is above `from` of every value's rank, as a share of all.
std::vector<float> Tail(const float* values, std::size_t count, double from) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return values[i]; });
  std::vector<float> tail(count, 0.0F);
  for (std::size_t rank = 0; rank < count; ++rank) {
    const double share = (static_cast<double>(rank) + 0.5) / static_cast<double>(count);
    tail[order[rank]] = static_cast<float>(std::max(share - from, 0.0));
  }
  return tail;
}

void AddStandardized(const arma::fvec& from, float* to) {
  const float deviation = arma::stddev(from);
  if (!(deviation > 0)) return;
  for (arma::uword i = 0; i < from.n_elem; ++i) to[i] += from[i] / deviation;
}

class PermutationTest {
 public:
  PermutationTest(const EmbeddingsView& trusted, const EmbeddingsView& pool, const Strata& strata,
                  std::uint64_t seed, const Execution& execution)
      : random_(seed),
        members_(ChooseMembers(trusted, pool, strata, random_)),
        ridge_(members_, pool.dimension, execution),
        num_strata_(strata.count),
        seed_(seed) {}

  double Run(const Execution& execution) const {
    const arma::fmat observed = Labels();
    // The first column is what was observed.
    arma::mat statistics(kNumStatistics, 1 + kNumDraws);
    statistics.col(0) = Statistics(observed);
    const std::size_t num_blocks = (kNumDraws + kDrawsPerBlock - 1) / kDrawsPerBlock;
    ParallelFor(num_blocks, execution, [&](std::size_t block, std::size_t) {
      const std::size_t begin = block * kDrawsPerBlock;
      const std::size_t count = std::min(kDrawsPerBlock, kNumDraws - begin);
      SeededRandom random((seed_ + 1) * num_blocks + block);
      arma::fmat labels(members_.size(), count);
      for (std::size_t i = 0; i < count; ++i) Draw(observed, random, labels.colptr(i));
      statistics.cols(1 + begin, begin + count) = Statistics(labels);
    });
    return ShareAtLeastAsFar(statistics);
  }

 private:
  // Few rows far out, and many a little.
  static constexpr arma::uword kNumStatistics = 2;

  // How many columns reach as far as the first in whichever kind they reach farther, each kind in
  // its deviations.
  static double ShareAtLeastAsFar(arma::mat statistics) {
    for (arma::uword kind = 0; kind < kNumStatistics; ++kind) {
      const double deviation = arma::stddev(statistics.row(kind));
      statistics.row(kind) -= arma::mean(statistics.row(kind));
      if (deviation > 0) statistics.row(kind) /= deviation;
    }
    const arma::rowvec farthest = arma::max(statistics, 0);
    return static_cast<double>(arma::accu(farthest >= farthest[0])) /
           static_cast<double>(farthest.n_elem);
  }

  // One column: 1 for pool rows.
  arma::fmat Labels() const {
    arma::fmat labels(members_.size(), 1);
    for (std::size_t i = 0; i < members_.size(); ++i) labels[i] = members_[i].is_pool ? 1.0F : 0.0F;
    return labels;
  }

  // The labels in another order within every stratum.
  void Draw(const arma::fmat& labels, SeededRandom& random, float* drawn) const {
    std::vector<std::vector<float>> of_stratum(num_strata_);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      of_stratum[members_[i].stratum].push_back(labels[i]);
    }
    for (std::vector<float>& values : of_stratum) random.Shuffle(values);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      std::vector<float>& values = of_stratum[members_[i].stratum];
      drawn[i] = values.back();
      values.pop_back();
    }
  }

  // What is left of the labels' column beside each stratum's mean, both weighted.
  void Center(const float* labels, const std::vector<float>& weights, float* centered) const {
    std::vector<double> sums(num_strata_);
    std::vector<double> totals(num_strata_);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      sums[members_[i].stratum] += weights[i] * labels[i];
      totals[members_[i].stratum] += weights[i];
    }
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const std::size_t stratum = members_[i].stratum;
      const double mean = totals[stratum] > 0 ? sums[stratum] / totals[stratum] : 0;
      centered[i] = static_cast<float>(weights[i] * (labels[i] - mean));
    }
  }

  // How far the rows labeled 1 reach beyond `from`, for every column of labels.
  arma::rowvec Reach(const arma::fmat& labels, const arma::fmat& scores, double from) const {
    const std::size_t n = members_.size();
    arma::rowvec reach(labels.n_cols);
    std::vector<float> centered(n);
    const std::vector<float> ones(n, 1.0F);
    for (arma::uword j = 0; j < labels.n_cols; ++j) {
      Center(labels.colptr(j), ones, centered.data());
      const std::vector<float> tail = Tail(scores.colptr(j), n, from);
      reach[j] = std::inner_product(tail.begin(), tail.end(), centered.begin(), 0.0);
    }
    return reach;
  }

  // How far the rows labeled 1 reach into the tail, and how high they rank before the scores are
  // sharpened, for every column of labels.
  arma::mat Statistics(const arma::fmat& labels) const {
    const std::size_t n = members_.size();
    arma::mat statistics(kNumStatistics, labels.n_cols);
    arma::fmat scores(n, labels.n_cols, arma::fill::zeros);
    arma::fmat targets(n, labels.n_cols);
    for (int step = 0; step <= kNumSharpenings; ++step) {
      for (arma::uword j = 0; j < labels.n_cols; ++j) {
        const std::vector<float> weights =
            step == 0 ? std::vector<float>(n, 1.0F) : Tail(scores.colptr(j), n, kSharpenFrom);
        Center(labels.colptr(j), weights, targets.colptr(j));
      }
      const arma::fmat predictions = ridge_.Predict(targets);
      for (arma::uword j = 0; j < labels.n_cols; ++j) {
        // The sum so far and what is new count alike.
        const arma::fvec before = scores.col(j);
        scores.col(j).zeros();
        AddStandardized(before, scores.colptr(j));
        AddStandardized(predictions.col(j), scores.colptr(j));
      }
      if (step == 0) statistics.row(1) = Reach(labels, scores, 0);
    }
    statistics.row(0) = Reach(labels, scores, kTailFrom);
    return statistics;
  }

  SeededRandom random_;
  std::vector<Member> members_;
  CrossFittedRidge ridge_;
  std::size_t num_strata_;
  std::uint64_t seed_;
};

}  // namespace

double TestShift(const EmbeddingsView& trusted, const EmbeddingsView& pool, const Strata& strata,
                 std::uint64_t seed, const Execution& execution) {
  if (trusted.num_rows + pool.num_rows < 2 * kNumFolds) return 1;
  const SingleThreadedBlas single_threaded;
  return PermutationTest(trusted, pool, strata, seed, execution).Run(execution);
}

}  // namespace spuna::algorithms
