#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace spuna::algorithms {

/// The k smallest squared distances from each of many query rows to a growing bank of rows.
///
/// A bank only ever grows, so whoever adds rows to it merges the distances to the new rows alone.
/// Distinct queries may be merged from distinct threads at the same time.
class NearestDistances {
 public:
  NearestDistances(std::size_t num_queries, std::size_t num_neighbors)
      : num_neighbors_(num_neighbors),
        counts_(num_queries, 0),
        squared_(num_queries * num_neighbors) {}

  std::size_t num_queries() const { return counts_.size(); }
  std::size_t num_neighbors() const { return num_neighbors_; }

  /// The squared distances of a query so far, ascending; fewer than k while the bank is smaller.
  std::span<const double> squared(std::size_t query) const {
    return {squared_.data() + query * num_neighbors_, counts_[query]};
  }

  /// A squared distance at or above this one changes nothing.
  double limit(std::size_t query) const {
    return counts_[query] < num_neighbors_ ? std::numeric_limits<double>::infinity()
                                           : squared(query).back();
  }

  /// The distance to the nearest row; the bank must not be empty.
  double Minimum(std::size_t query) const;

  /// The mean of the kept distances; not a number while the bank is empty.
  double Mean(std::size_t query) const;

  /// Takes further squared distances of a query. `candidates` is sorted in place.
  void Merge(std::size_t query, std::span<double> candidates);

 private:
  std::size_t num_neighbors_;
  std::vector<std::size_t> counts_;
  std::vector<double> squared_;
};

/// The squared Euclidean distance, summed in float64: equal rows are at exactly 0, and equal pairs
/// of rows are at equal distances wherever they lie in memory.
double SquaredDistance(const float* a, const float* b, std::size_t dimension);

}  // namespace spuna::algorithms
