#include "tests/support/reference.h"

#include <algorithm>
#include <armadillo>
#include <cmath>
#include <limits>
#include <set>

namespace spuna::test {
namespace {

double Distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(sum);
}

Rows WithLabel(const Rows& pool, const std::vector<int>& labels, int label) {
  Rows rows;
  for (std::size_t i = 0; i < pool.size(); ++i) {
    if (labels[i] == label) rows.push_back(pool[i]);
  }
  return rows;
}

Rows Joined(Rows first, const Rows& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// Row numbers in ascending order of (score, row number).
std::vector<std::size_t> Ranked(const std::vector<std::size_t>& rows,
                                const std::vector<double>& scores) {
  std::vector<std::pair<double, std::size_t>> pairs;
  for (std::size_t i = 0; i < rows.size(); ++i) pairs.emplace_back(scores[i], rows[i]);
  std::sort(pairs.begin(), pairs.end());
  std::vector<std::size_t> ranked;
  for (const auto& [score, row] : pairs) ranked.push_back(row);
  return ranked;
}

// The gap at the cut before position `cut` of a ranking, or infinity between equal rows.
double GapAt(const Rows& pool, const std::vector<std::size_t>& ranked, std::vector<double> scores,
             std::size_t cut) {
  if (cut == 0 || cut >= ranked.size() || pool[ranked[cut - 1]] == pool[ranked[cut]]) {
    return std::numeric_limits<double>::infinity();
  }
  std::sort(scores.begin(), scores.end());
  return scores[cut] - scores[cut - 1];
}

}  // namespace

double MeanNearestReference(const std::vector<double>& row, const Rows& bank, std::size_t k,
                            std::ptrdiff_t left_out) {
  std::vector<double> distances;
  for (std::size_t i = 0; i < bank.size(); ++i) {
    if (static_cast<std::ptrdiff_t>(i) != left_out) distances.push_back(Distance(row, bank[i]));
  }
  std::sort(distances.begin(), distances.end());
  distances.resize(std::min(k, distances.size()));
  double sum = 0;
  for (const double distance : distances) sum += distance;
  return sum / static_cast<double>(distances.size());
}

double SpectralEntropyReference(const Rows& rows) {
  const std::size_t n = rows.size();
  const std::size_t dimension = rows[0].size();
  std::vector<double> mean(dimension);
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < dimension; ++j) mean[j] += row[j] / static_cast<double>(n);
  }
  arma::mat covariance(dimension, dimension, arma::fill::zeros);
  for (const auto& row : rows) {
    for (std::size_t a = 0; a < dimension; ++a) {
      for (std::size_t b = 0; b < dimension; ++b) {
        covariance(a, b) += (row[a] - mean[a]) * (row[b] - mean[b]) / static_cast<double>(n);
      }
    }
  }
  const arma::vec eigenvalues = arma::eig_sym(covariance);
  double total = 0;
  for (const double value : eigenvalues) total += std::max(value, 0.0);
  double entropy = 0;
  for (const double value : eigenvalues) {
    if (value > 0) entropy -= value / total * std::log(value / total);
  }
  return entropy;
}

ReferenceExpansion ExpandReference(const Rows& trusted, const Rows& pool,
                                   const ReferenceOptions& options) {
  ReferenceExpansion result;
  result.labels.assign(pool.size(), 0);
  result.rounds.assign(pool.size(), -1);
  result.smallest_gap = std::numeric_limits<double>::infinity();

  auto take = [&](const std::vector<std::size_t>& ranked, const std::vector<double>& scores,
                  std::size_t count, int lowest, int highest) {
    for (std::size_t i = 0; i < count; ++i) {
      result.labels[ranked[i]] = lowest;
      result.labels[ranked[ranked.size() - 1 - i]] = highest;
      result.rounds[ranked[i]] = static_cast<int>(result.num_rounds);
      result.rounds[ranked[ranked.size() - 1 - i]] = static_cast<int>(result.num_rounds);
    }
    for (const std::size_t cut : {count, ranked.size() - count}) {
      result.smallest_gap = std::min(result.smallest_gap, GapAt(pool, ranked, scores, cut));
    }
    result.entropy.push_back(SpectralEntropyReference(WithLabel(pool, result.labels, 2)));
  };

  std::vector<std::size_t> all;
  std::vector<double> seed_scores;
  for (std::size_t i = 0; i < pool.size(); ++i) {
    all.push_back(i);
    seed_scores.push_back(MeanNearestReference(pool[i], trusted, 1));
  }
  take(Ranked(all, seed_scores), seed_scores, options.alpha, 1, 2);

  while (true) {
    std::vector<std::size_t> rest;
    for (std::size_t i = 0; i < pool.size(); ++i) {
      if (result.labels[i] == 0) rest.push_back(i);
    }
    const std::size_t count = std::min(options.beta, rest.size() / 2);
    if (count == 0) break;
    const Rows clean = Joined(trusted, WithLabel(pool, result.labels, 1));
    const Rows shifted = WithLabel(pool, result.labels, 2);
    std::vector<double> scores;
    for (const std::size_t row : rest) {
      scores.push_back(MeanNearestReference(pool[row], shifted, options.k) -
                       MeanNearestReference(pool[row], clean, options.k));
    }
    ++result.num_rounds;
    take(Ranked(rest, scores), scores, count, 2, 1);
    const double growth = result.entropy.back() - result.entropy[result.entropy.size() - 2];
    if (growth < options.epsilon) {
      result.stopped_by_entropy = true;
      break;
    }
  }
  if (result.stopped_by_entropy && options.rollback) {
    for (std::size_t i = 0; i < pool.size(); ++i) {
      if (result.rounds[i] != static_cast<int>(result.num_rounds)) continue;
      result.labels[i] = 0;
      result.rounds[i] = -1;
    }
  }
  return result;
}

std::vector<double> PoolNeighborScoresReference(const Rows& trusted, const Rows& pool,
                                                const std::vector<int>& labels, std::size_t k) {
  const Rows clean = Joined(trusted, WithLabel(pool, labels, 1));
  const Rows shifted = WithLabel(pool, labels, 2);
  std::vector<double> scores;
  auto next_clean = static_cast<std::ptrdiff_t>(trusted.size());
  std::ptrdiff_t next_shifted = 0;
  for (std::size_t i = 0; i < pool.size(); ++i) {
    const std::ptrdiff_t own_clean = labels[i] == 1 ? next_clean++ : -1;
    const std::ptrdiff_t own_shifted = labels[i] == 2 ? next_shifted++ : -1;
    scores.push_back(MeanNearestReference(pool[i], clean, k, own_clean) -
                     MeanNearestReference(pool[i], shifted, k, own_shifted));
  }
  return scores;
}

double AurocReference(const std::vector<double>& scores, const std::vector<std::uint8_t>& shifted) {
  double won = 0;
  double compared = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (shifted[i] == 0 || shifted[j] != 0) continue;
      compared += 1;
      won += scores[i] > scores[j] ? 1 : (scores[i] == scores[j] ? 0.5 : 0);
    }
  }
  return won / compared;
}

namespace {

struct Caught {
  double shifted = 0;
  double clean = 0;
};

Caught AtOrAbove(double threshold, const std::vector<double>& scores,
                 const std::vector<std::uint8_t>& shifted) {
  Caught caught;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] >= threshold) (shifted[i] != 0 ? caught.shifted : caught.clean) += 1;
  }
  return caught;
}

}  // namespace

double AuprReference(const std::vector<double>& scores, const std::vector<std::uint8_t>& shifted) {
  const Caught all = AtOrAbove(-std::numeric_limits<double>::infinity(), scores, shifted);
  const std::set<double, std::greater<>> thresholds(scores.begin(), scores.end());
  double area = 0;
  double recall_before = 0;
  for (const double threshold : thresholds) {
    const Caught caught = AtOrAbove(threshold, scores, shifted);
    const double recall = caught.shifted / all.shifted;
    area += (recall - recall_before) * caught.shifted / (caught.shifted + caught.clean);
    recall_before = recall;
  }
  return area;
}

double Fpr95Reference(const std::vector<double>& scores, const std::vector<std::uint8_t>& shifted) {
  const Caught all = AtOrAbove(-std::numeric_limits<double>::infinity(), scores, shifted);
  const std::set<double, std::greater<>> thresholds(scores.begin(), scores.end());
  for (const double threshold : thresholds) {
    const Caught caught = AtOrAbove(threshold, scores, shifted);
    if (caught.shifted * 100 >= all.shifted * 95) return caught.clean / all.clean;
  }
  return 1;
}

}  // namespace spuna::test
