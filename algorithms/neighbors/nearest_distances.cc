#include "algorithms/neighbors/nearest_distances.h"

#include <algorithm>
#include <cmath>

#include "algorithms/compute/vector_kernels.h"

namespace spuna::algorithms {

double NearestDistances::Minimum(std::size_t query) const {
  return std::sqrt(squared(query).front());
}

double NearestDistances::Mean(std::size_t query) const {
  double sum = 0;
  for (const double value : squared(query)) sum += std::sqrt(value);
  return sum / static_cast<double>(counts_[query]);
}

void NearestDistances::Merge(std::size_t query, std::span<double> candidates) {
  std::sort(candidates.begin(), candidates.end());
  const std::size_t num_added = std::min(candidates.size(), num_neighbors_);
  const std::size_t num_old = counts_[query];
  const std::size_t num_merged = std::min(num_old + num_added, num_neighbors_);
  double* const list = squared_.data() + query * num_neighbors_;

  // How many of either side survive, then a merge from the back, in place.
  std::size_t from_list = 0;
  std::size_t from_candidates = 0;
  while (from_list + from_candidates < num_merged) {
    const bool take_list = from_candidates == num_added ||
                           (from_list < num_old && list[from_list] <= candidates[from_candidates]);
    ++(take_list ? from_list : from_candidates);
  }
  for (std::size_t end = num_merged; from_candidates > 0; --end) {
    const bool take_list = from_list > 0 && list[from_list - 1] > candidates[from_candidates - 1];
    list[end - 1] = take_list ? list[--from_list] : candidates[--from_candidates];
  }
  counts_[query] = num_merged;
}

double SquaredDistance(const float* a, const float* b, std::size_t dimension) {
  double distance = 0;
  Kernels().squared_distances(a, &b, 1, dimension, &distance);
  return distance;
}

}  // namespace spuna::algorithms
