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
constexpr std::size_t kLeastRows = 10;
constexpr std::size_t kNumDraws = 399;
constexpr std::size_t kDrawsPerBlock = 20;
constexpr int kNumRelabelings = 3;
// The part of the rows that is taken for shifted when labels are made anew.
constexpr double kLabeledShare = 0.1;
// The rank, as a share of all rows, from which a row counts in the end.
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

// Ridge regressions of several targets at once on the same rows, each row predicted by the
// regression without it.
//
// With H = X' (X X' + ridge)^-1 X, the prediction without row i is (H y - h_ii y_i) / (1 - h_ii)
// (Sherman and Morrison): one inverse serves all rows and all targets, and no split into folds,
// that chance could have made otherwise, is needed.
class LeaveOneOutRidge {
 public:
  LeaveOneOutRidge(const std::vector<Member>& members, std::size_t dimension,
                   const Execution& execution)
      : rows_(dimension, members.size()), leverage_(members.size()) {
    RowSet rows(dimension);
    for (const Member& member : members) rows.Add(member.row);
    const Standardization standardization = FitStandardization(rows);
    const Standardizer standardizer(standardization, kLargestStandardized);
    for (std::size_t i = 0; i < rows.size(); ++i) standardizer.Apply(rows[i], rows_.colptr(i));
    const std::size_t num_blocks = (rows.size() + kRowsPerBlock - 1) / kRowsPerBlock;
    std::vector<arma::mat> moments(num_blocks);
    const auto block = [&](std::size_t index) {
      return rows_.cols(index * kRowsPerBlock,
                        std::min((index + 1) * kRowsPerBlock, rows.size()) - 1);
    };
    ParallelFor(num_blocks, execution, [&](std::size_t index, std::size_t) {
      const arma::fmat some = block(index);
      moments[index] = arma::conv_to<arma::mat>::from(arma::fmat(some * some.t()));
    });
    arma::mat total = moments[0];
    for (std::size_t index = 1; index < num_blocks; ++index) total += moments[index];
    const double ridge = kRidge * arma::trace(total) / static_cast<double>(dimension);
    total.diag() += ridge > 0 ? ridge : 1;
    inverse_ = arma::conv_to<arma::fmat>::from(arma::mat(arma::inv_sympd(total)));
    ParallelFor(num_blocks, execution, [&](std::size_t index, std::size_t) {
      const arma::fmat some = block(index);
      const arma::frowvec leverage = arma::sum(some % arma::fmat(inverse_ * some), 0);
      std::copy(leverage.begin(), leverage.end(), leverage_.begin() + index * kRowsPerBlock);
    });
  }

  // One column for each of `targets`.
  arma::fmat Predict(const arma::fmat& targets) const {
    arma::fmat predictions = rows_.t() * arma::fmat(inverse_ * arma::fmat(rows_ * targets));
    for (arma::uword j = 0; j < targets.n_cols; ++j) {
      for (arma::uword i = 0; i < targets.n_rows; ++i) {
        const float rest = std::max(1 - leverage_[i], kLeastRest);
        predictions(i, j) = (predictions(i, j) - leverage_[i] * targets(i, j)) / rest;
      }
    }
    return predictions;
  }

 private:
  static constexpr std::size_t kRowsPerBlock = 1024;
  static constexpr float kLeastRest = 1e-3F;

  arma::fmat rows_;
  std::vector<float> leverage_;
  arma::fmat inverse_;
};

// The rows whose values rank highest, this share of all, from the highest down.
std::vector<std::uint32_t> HighestRows(const float* values, std::size_t count, double share) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  const auto higher = [&](std::uint32_t a, std::uint32_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a > b;
  };
  const auto end =
      order.begin() + static_cast<std::ptrdiff_t>(std::ceil(share * static_cast<double>(count)));
  if (end != order.end()) std::nth_element(order.begin(), end, order.end(), higher);
  std::sort(order.begin(), end, higher);
  order.erase(end, order.end());
  return order;
}

// What is above `from` of every value's rank, as a share of all.
std::vector<float> Tail(const float* values, std::size_t count, double from) {
  std::vector<float> tail(count, 0.0F);
  double place = static_cast<double>(count) - 0.5;
  for (const std::uint32_t row : HighestRows(values, count, 1 - from)) {
    tail[row] = static_cast<float>(std::max(place / static_cast<double>(count) - from, 0.0));
    --place;
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
  // The reach of few rows far out, by three scores, and the mean rank, for many rows a little.
  static constexpr arma::uword kNumReaches = 3;
  static constexpr arma::uword kNumStatistics = kNumReaches + 1;

  // In deviations from the mean.
  static arma::rowvec InDeviations(arma::rowvec values) {
    const double deviation = arma::stddev(values);
    values -= arma::mean(values);
    return deviation > 0 ? arma::rowvec(values / deviation) : values;
  }

  // How many columns come as far as the first, in the sum of the reaches or in the mean rank,
  // whichever is farther.
  static double ShareAtLeastAsFar(const arma::mat& statistics) {
    arma::rowvec sum(statistics.n_cols, arma::fill::zeros);
    for (arma::uword kind = 0; kind < kNumReaches; ++kind) {
      sum += InDeviations(statistics.row(kind));
    }
    const arma::rowvec farthest =
        arma::max(InDeviations(sum), InDeviations(statistics.row(kNumReaches)));
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

  // How far the rows labeled 1 reach beyond `from` of the ranks, for every column of labels.
  arma::rowvec Reach(const arma::fmat& labels, const arma::fmat& scores,
                     double from = kTailFrom) const {
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

  // The regression of the labels on all rows alike.
  arma::fmat FirstScores(const arma::fmat& labels) const {
    const std::vector<float> ones(members_.size(), 1.0F);
    arma::fmat targets(arma::size(labels));
    for (arma::uword j = 0; j < labels.n_cols; ++j) {
      Center(labels.colptr(j), ones, targets.colptr(j));
    }
    return Standardized(ridge_.Predict(targets));
  }

  static arma::fmat Standardized(const arma::fmat& predictions) {
    arma::fmat scores(arma::size(predictions), arma::fill::zeros);
    for (arma::uword j = 0; j < predictions.n_cols; ++j) {
      AddStandardized(predictions.col(j), scores.colptr(j));
    }
    return scores;
  }

  // The regression again on the rows that score highest, where shifted rows are denser. What comes
  // out is added: the sum so far and what is new count alike.
  arma::fmat Sharpen(const arma::fmat& labels, arma::fmat scores, double from, int steps) const {
    arma::fmat targets(arma::size(labels));
    for (int step = 0; step < steps; ++step) {
      for (arma::uword j = 0; j < labels.n_cols; ++j) {
        Center(labels.colptr(j), Tail(scores.colptr(j), members_.size(), from), targets.colptr(j));
      }
      scores = Standardized(scores) + Standardized(ridge_.Predict(targets));
    }
    return scores;
  }

  // The regression again on labels of its own: of the tenth of the rows that scores highest those
  // labeled 1 are shifted, and all other rows are clean.
  arma::fmat Relabel(const arma::fmat& labels, arma::fmat scores) const {
    const std::size_t n = members_.size();
    const std::vector<float> ones(n, 1.0F);
    std::vector<float> own(n);
    arma::fmat targets(arma::size(labels));
    for (int step = 0; step < kNumRelabelings; ++step) {
      for (arma::uword j = 0; j < labels.n_cols; ++j) {
        std::ranges::fill(own, 0.0F);
        for (const std::uint32_t row : HighestRows(scores.colptr(j), n, kLabeledShare)) {
          own[row] = labels(row, j);
        }
        Center(own.data(), ones, targets.colptr(j));
      }
      scores = Standardized(ridge_.Predict(targets));
    }
    return scores;
  }

  // For every column of labels.
  arma::mat Statistics(const arma::fmat& labels) const {
    const arma::fmat first = FirstScores(labels);
    arma::mat statistics(kNumStatistics, labels.n_cols);
    statistics.row(0) = Reach(labels, Sharpen(labels, first, 0.7, 4));
    statistics.row(1) = Reach(labels, Sharpen(labels, first, 0.8, 8));
    statistics.row(2) = Reach(labels, Relabel(labels, first));
    statistics.row(kNumReaches) = Reach(labels, first, 0);
    return statistics;
  }

  SeededRandom random_;
  std::vector<Member> members_;
  LeaveOneOutRidge ridge_;
  std::size_t num_strata_;
  std::uint64_t seed_;
};

}  // namespace

double TestShift(const EmbeddingsView& trusted, const EmbeddingsView& pool, const Strata& strata,
                 std::uint64_t seed, const Execution& execution) {
  if (trusted.num_rows + pool.num_rows < kLeastRows) return 1;
  const SingleThreadedBlas single_threaded;
  return PermutationTest(trusted, pool, strata, seed, execution).Run(execution);
}

}  // namespace spuna::algorithms
