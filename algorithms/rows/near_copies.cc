#include "algorithms/rows/near_copies.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "algorithms/rows/evenly_taken.h"
#include "algorithms/rows/ranking.h"
#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {
namespace {

constexpr double kNearShare = 0.01;
constexpr std::size_t kFewestDimensions = 8;
// The tenth: up to nine copies of a row do not hide how far other rows are.
constexpr std::size_t kNeighbor = 10;
constexpr std::size_t kRowsMeasured = 100;
constexpr std::size_t kRowsMeasuredAgainst = 10'000;

constexpr std::size_t kDirections = 8;
constexpr std::uint64_t kDirectionSeed = 20'240'131;
// Two rows at a distance differ in a random direction by a normal number with this distance as its
// deviation; beyond four of them lies one in 16,000, in any of eight directions one in 2,000.
constexpr double kDeviations = 4;
// Sums of float products are this exact, relative to the sum of their sizes.
constexpr double kRounding = 1e-6;
// Bounds for rows that all agree.
constexpr std::size_t kMostPassed = 50'000;
constexpr std::size_t kMostCompared = 64;

using Place = std::array<float, kDirections>;

double SquaredDistance(const float* a, const float* b, std::size_t dimension) {
  // Four sums, so that the compiler may add them at the same time.
  std::array<double, 4> sums = {};
  for (std::size_t j = 0; j < dimension; ++j) {
    const double difference = static_cast<double>(a[j]) - static_cast<double>(b[j]);
    sums[j % sums.size()] += difference * difference;
  }
  return sums[0] + sums[1] + sums[2] + sums[3];
}

// Rows by where they are in the fixed directions, in the order of the first.
class Directory {
 public:
  Directory(const EmbeddingsView& rows, double distance)
      : rows_(rows), squared_(distance * distance), directions_(rows.dimension) {
    SeededRandom random(kDirectionSeed);
    for (Place& direction : directions_) {
      for (float& value : direction) value = static_cast<float>(random.Normal());
    }
    std::vector<Place> places(rows.num_rows);
    std::vector<double> first(rows.num_rows);
    double largest = 0;
    for (std::size_t i = 0; i < rows.num_rows; ++i) {
      places[i] = PlaceOf(rows.row(i));
      first[i] = places[i][0];
      for (const float value : places[i]) largest = std::max<double>(largest, std::abs(value));
    }
    reach_ = static_cast<float>(kDeviations * distance + kRounding * largest);
    order_ = AscendingOrder(first);
    places_.reserve(order_.size());
    for (const std::uint32_t row : order_) places_.push_back(places[row]);
  }

  Place PlaceOf(const float* row) const {
    Place place = {};
    for (std::size_t j = 0; j < directions_.size(); ++j) {
      for (std::size_t k = 0; k < kDirections; ++k) place[k] += row[j] * directions_[j][k];
    }
    return place;
  }

  // Where rows begin that are not far below a place in the first direction.
  std::size_t Begin(const Place& place) const {
    const auto it = std::ranges::lower_bound(places_, place[0] - reach_, {},
                                             [](const Place& other) { return other[0]; });
    return static_cast<std::size_t>(it - places_.begin());
  }

  // Calls `visit(row number)` for the near copies of a row, from a place in the order on, until it
  // returns false.
  template <typename Visit>
  void ForEachNear(const float* row, const Place& place, std::size_t begin, Visit visit) const {
    std::size_t num_compared = 0;
    const std::size_t end = std::min(places_.size(), begin + kMostPassed);
    for (std::size_t i = begin; i < end && places_[i][0] <= place[0] + reach_; ++i) {
      if (!Agree(places_[i], place)) continue;
      if (++num_compared > kMostCompared) return;
      const bool is_near = SquaredDistance(row, rows_.row(order_[i]), rows_.dimension) <= squared_;
      if (is_near && !visit(order_[i])) return;
    }
  }

  const RowNumbers& order() const { return order_; }
  const Place& place(std::size_t i) const { return places_[i]; }

 private:
  bool Agree(const Place& a, const Place& b) const {
    for (std::size_t k = 1; k < kDirections; ++k) {
      if (std::abs(a[k] - b[k]) > reach_) return false;
    }
    return true;
  }

  EmbeddingsView rows_;
  double squared_;
  float reach_ = 0;
  std::vector<Place> directions_;
  // In the order of the first direction.
  RowNumbers order_;
  std::vector<Place> places_;
};

}  // namespace

double NearCopyDistance(const EmbeddingsView& rows) {
  if (rows.dimension < kFewestDimensions || rows.num_rows < kNeighbor + 2) return 0;
  const RowNumbers others = EvenlyTaken(rows.num_rows, kRowsMeasuredAgainst);
  std::vector<double> to_tenth;
  for (const std::uint32_t row : EvenlyTaken(rows.num_rows, kRowsMeasured)) {
    std::vector<double> squared;
    squared.reserve(others.size());
    for (const std::uint32_t other : others) {
      if (other == row) continue;
      squared.push_back(SquaredDistance(rows.row(row), rows.row(other), rows.dimension));
    }
    std::ranges::nth_element(squared, squared.begin() + (kNeighbor - 1));
    to_tenth.push_back(squared[kNeighbor - 1]);
  }
  const auto median = to_tenth.begin() + static_cast<std::ptrdiff_t>(to_tenth.size() / 2);
  std::ranges::nth_element(to_tenth, median);
  return kNearShare * std::sqrt(*median);
}

std::size_t CountNearCopies(const EmbeddingsView& rows, const EmbeddingsView& others,
                            double distance) {
  const Directory directory(others, distance);
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    const Place place = directory.PlaceOf(rows.row(i));
    bool found = false;
    directory.ForEachNear(rows.row(i), place, directory.Begin(place), [&](std::uint32_t) {
      found = true;
      return false;
    });
    count += found ? 1 : 0;
  }
  return count;
}

std::vector<std::uint32_t> NearCopyGroups(const EmbeddingsView& rows, double distance) {
  const Directory directory(rows, distance);
  std::vector<std::uint32_t> first = AllRows(rows.num_rows);
  auto find_first = [&](std::uint32_t row) {
    while (first[row] != row) row = first[row] = first[first[row]];
    return row;
  };
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    const std::uint32_t row = directory.order()[i];
    directory.ForEachNear(rows.row(row), directory.place(i), i + 1, [&](std::uint32_t other) {
      const std::uint32_t a = find_first(row);
      const std::uint32_t b = find_first(other);
      first[std::max(a, b)] = std::min(a, b);
      return true;
    });
  }
  for (std::uint32_t row = 0; row < first.size(); ++row) first[row] = find_first(row);
  return first;
}

}  // namespace spuna::algorithms
