#include "algorithms/guarantees/shift_test.h"

#include <algorithm>
#include <armadillo>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "algorithms/compute/blas.h"
#include "algorithms/guarantees/leave_out_ridge_internal.h"
#include "algorithms/rows/evenly_taken.h"
#include "algorithms/rows/ranking.h"
#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kMaxTrustedRows = 5'000;
constexpr std::size_t kMaxPoolRows = 10'000;
constexpr std::size_t kLeastRows = 10;
constexpr std::size_t kNumDraws = 399;
// So many are predicted together: the rows come from memory once for all of them.
constexpr std::size_t kDrawsPerBlock = 67;
constexpr int kNumRelabelings = 3;
// The part of the rows that is taken for shifted when labels are made anew.
constexpr double kLabeledShare = 0.1;
// The rank, as a share of all rows, from which a row counts in the end.
constexpr double kTailFrom = 0.9;
// More rows of a group say little that is new.
constexpr std::size_t kMaxRowsOfGroup = 100;

// A row that takes part.
struct Member {
  const float* row;
  std::uint32_t stratum;
  bool is_pool;
  // Which of the groups it is in.
  std::uint32_t group;
};

// What gets a label: a row, or a group.
struct Unit {
  // Labels are exchanged among units of a kind.
  std::size_t kind;
  float label;
};

// How many rows of a group take part. It must not depend on which groups are the pool's: else their
// sizes alone would tell the sides apart.
std::size_t RowsOfGroup(const std::vector<RowNumbers>& trusted,
                        const std::vector<RowNumbers>& pool) {
  std::size_t most = kMaxRowsOfGroup;
  for (; most > 1; --most) {
    std::size_t sum = 0;
    for (const auto* side : {&trusted, &pool}) {
      for (const RowNumbers& rows : *side) sum += std::min(rows.size(), most);
    }
    if (sum <= kMaxTrustedRows + kMaxPoolRows) break;
  }
  return most;
}

// Some of both sides, in random order: what is tied is then tied without favor.
std::vector<Member> ChooseMembers(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                                  const Strata& strata, const Groups& groups,
                                  SeededRandom& random) {
  const std::vector<RowNumbers> of_trusted = RowsByGroup(groups.trusted, trusted.num_rows);
  const std::vector<RowNumbers> of_pool = RowsByGroup(groups.pool, pool.num_rows);
  const std::size_t most = groups.empty() ? 1 : RowsOfGroup(of_trusted, of_pool);
  std::vector<Member> members;
  std::uint32_t group = 0;
  for (const std::uint32_t taken : EvenlyTaken(of_trusted.size(), kMaxTrustedRows)) {
    for (const std::uint32_t i : EvenlyTaken(of_trusted[taken].size(), most)) {
      const std::uint32_t row = of_trusted[taken][i];
      members.push_back({trusted.row(row), strata.OfTrusted(row), false, group});
    }
    ++group;
  }
  for (const std::uint32_t taken : EvenlyTaken(of_pool.size(), kMaxPoolRows)) {
    for (const std::uint32_t i : EvenlyTaken(of_pool[taken].size(), most)) {
      const std::uint32_t row = of_pool[taken][i];
      members.push_back({pool.row(row), strata.OfPool(row), true, group});
    }
    ++group;
  }
  random.Shuffle(members);
  return members;
}

// The members of every group, in the order in which the groups first come.
std::vector<RowNumbers> GroupsOf(const std::vector<Member>& members) {
  std::vector<std::uint32_t> groups;
  groups.reserve(members.size());
  for (const Member& member : members) groups.push_back(member.group);
  return RowsByGroup(groups, members.size());
}

// One for each group. Groups are of a kind if they have rows of the same strata.
std::vector<Unit> UnitsOf(const std::vector<Member>& members,
                          const std::vector<RowNumbers>& groups) {
  std::vector<std::set<std::uint32_t>> strata;
  std::map<std::set<std::uint32_t>, std::size_t> kinds;
  for (const RowNumbers& rows : groups) {
    strata.emplace_back();
    for (const std::uint32_t row : rows) strata.back().insert(members[row].stratum);
    kinds[strata.back()] = 0;
  }
  std::size_t next = 0;
  for (auto& [of_kind, kind] : kinds) kind = next++;
  std::vector<Unit> units;
  units.reserve(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    units.push_back({kinds[strata[i]], members[groups[i].front()].is_pool ? 1.0F : 0.0F});
  }
  return units;
}

RowSet RowsOf(const std::vector<Member>& members, std::size_t dimension) {
  RowSet rows(dimension);
  for (const Member& member : members) rows.Add(member.row);
  return rows;
}

// One in so many ways to exchange the labels.
double LeastPValue(const std::vector<std::vector<float>>& labels_of_kinds) {
  double log_ways = 0;
  for (const std::vector<float>& labels : labels_of_kinds) {
    const auto all = static_cast<double>(labels.size());
    const auto ones = static_cast<double>(std::ranges::count(labels, 1.0F));
    log_ways += std::lgamma(all + 1) - std::lgamma(ones + 1) - std::lgamma(all - ones + 1);
  }
  return std::max(1 / std::round(std::exp(log_ways)), 1.0 / (1 + kNumDraws));
}

// The rows whose values rank highest, this share of all, from the highest down.
RowNumbers HighestShare(const float* values, std::size_t count, double share) {
  return HighestRows({values, count},
                     static_cast<std::size_t>(std::ceil(share * static_cast<double>(count))));
}

// What is above `from` of every value's rank, as a share of all.
std::vector<float> Tail(const float* values, std::size_t count, double from) {
  std::vector<float> tail(count, 0.0F);
  double place = static_cast<double>(count) - 0.5;
  for (const std::uint32_t row : HighestShare(values, count, 1 - from)) {
    tail[row] = static_cast<float>(std::max(place / static_cast<double>(count) - from, 0.0));
    --place;
  }
  return tail;
}

// Every column in units of its deviation; 0 where there is none.
void Standardize(arma::fmat& columns) {
  for (arma::uword j = 0; j < columns.n_cols; ++j) {
    const float deviation = arma::stddev(columns.col(j));
    if (deviation > 0) {
      columns.col(j) /= deviation;
    } else {
      columns.col(j).zeros();
    }
  }
}

class PermutationTest {
 public:
  PermutationTest(const EmbeddingsView& trusted, const EmbeddingsView& pool, const Strata& strata,
                  const Groups& groups, std::uint64_t seed, const Execution& execution)
      : random_(seed),
        members_(ChooseMembers(trusted, pool, strata, groups, random_)),
        groups_(GroupsOf(members_)),
        units_(UnitsOf(members_, groups_)),
        ridge_(RowsOf(members_, pool.dimension), groups_, execution),
        num_strata_(strata.count),
        has_groups_(!groups.empty()),
        seed_(seed) {}

  ShiftTestResult Run(const Execution& execution) const {
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
      for (std::size_t i = 0; i < count; ++i) Draw(random, labels.colptr(i));
      statistics.cols(1 + begin, begin + count) = Statistics(labels);
      // Few groups have their own labels again and again: then rounding must make no difference.
      for (std::size_t i = 0; has_groups_ && i < count; ++i) {
        if (std::equal(observed.begin(), observed.end(), labels.colptr(i))) {
          statistics.col(1 + begin + i) = statistics.col(0);
        }
      }
    });
    ShiftTestResult result{ShareAtLeastAsFar(statistics), std::nullopt};
    if (has_groups_) {
      result.least_p_value = LeastPValue(LabelsOfKinds());
      result.p_value = std::max(result.p_value, *result.least_p_value);
    }
    return result;
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

  std::vector<std::vector<float>> LabelsOfKinds() const {
    std::vector<std::vector<float>> labels;
    for (const Unit& unit : units_) {
      if (unit.kind >= labels.size()) labels.resize(unit.kind + 1);
      labels[unit.kind].push_back(unit.label);
    }
    return labels;
  }

  // The labels in another order within every kind.
  void Draw(SeededRandom& random, float* drawn) const {
    std::vector<std::vector<float>> of_kind = LabelsOfKinds();
    for (std::vector<float>& labels : of_kind) random.Shuffle(labels);
    for (std::size_t i = 0; i < units_.size(); ++i) {
      std::vector<float>& labels = of_kind[units_[i].kind];
      for (const std::uint32_t row : groups_[i]) drawn[row] = labels.back();
      labels.pop_back();
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
    return PredictInDeviations(targets);
  }

  arma::fmat PredictInDeviations(const arma::fmat& targets) const {
    arma::fmat scores = ridge_.Predict(targets);
    Standardize(scores);
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
      Standardize(scores);
      scores += PredictInDeviations(targets);
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
        for (const std::uint32_t row : HighestShare(scores.colptr(j), n, kLabeledShare)) {
          own[row] = labels(row, j);
        }
        Center(own.data(), ones, targets.colptr(j));
      }
      scores = PredictInDeviations(targets);
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
  // Which members are in which group, and what is exchanged for each.
  std::vector<RowNumbers> groups_;
  std::vector<Unit> units_;
  LeaveOutRidge ridge_;
  std::size_t num_strata_;
  bool has_groups_;
  std::uint64_t seed_;
};

}  // namespace

ShiftTestResult TestShift(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                          const Strata& strata, const Groups& groups, std::uint64_t seed,
                          const Execution& execution) {
  if (trusted.num_rows + pool.num_rows < kLeastRows) return {};
  const SingleThreadedBlas single_threaded;
  return PermutationTest(trusted, pool, strata, groups, seed, execution).Run(execution);
}

}  // namespace spuna::algorithms
