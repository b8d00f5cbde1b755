#include "algorithms/findings/normalization.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "algorithms/rows/evenly_taken.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kMaxRows = 1000;
constexpr std::size_t kMaxColumns = 256;
constexpr std::size_t kFewestRows = 30;
constexpr std::size_t kFewestColumns = 4;
// How far lengths may spread, relative to their median, to be one length, and must, to be many.
constexpr double kOneLength = 0.001;
constexpr double kManyLengths = 0.01;
constexpr double kTimesNearer = 4;
constexpr double kMostRowsInPlace = 0.05;

constexpr std::array<double, 5> kShares = {0.1, 0.25, 0.5, 0.75, 0.9};
using Quantiles = std::array<double, kShares.size()>;

double Quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return Quantile(values, 0.5);
}

double Spread(const Quantiles& quantiles) { return quantiles.back() - quantiles.front(); }

// A column of both inputs.
struct Column {
  std::size_t number = 0;
  Quantiles trusted = {};
  Quantiles pool = {};
};

Quantiles QuantilesOf(const EmbeddingsView& rows, const RowNumbers& chosen, std::size_t column) {
  std::vector<double> values;
  for (const std::uint32_t row : chosen) values.push_back(rows.row(row)[column]);
  std::ranges::sort(values);
  Quantiles quantiles;
  for (std::size_t i = 0; i < kShares.size(); ++i) quantiles[i] = Quantile(values, kShares[i]);
  return quantiles;
}

// The mean distance of a column's quantiles in the pool from those of the trusted rows, carried by
// scale and offset.
double Distance(const Column& column, double scale, double offset) {
  double sum = 0;
  for (std::size_t i = 0; i < kShares.size(); ++i) {
    sum += std::abs(column.pool[i] - (scale * column.trusted[i] + offset));
  }
  return sum / static_cast<double>(kShares.size());
}

std::vector<double> Lengths(const EmbeddingsView& rows, const RowNumbers& chosen) {
  std::vector<double> lengths;
  for (const std::uint32_t row : chosen) {
    double squared = 0;
    for (std::size_t j = 0; j < rows.dimension; ++j) {
      squared += static_cast<double>(rows.row(row)[j]) * static_cast<double>(rows.row(row)[j]);
    }
    lengths.push_back(std::sqrt(squared));
  }
  std::ranges::sort(lengths);
  return lengths;
}

double RelativeSpread(const std::vector<double>& lengths) {
  const double median = Quantile(lengths, 0.5);
  return median > 0 ? (Quantile(lengths, 0.9) - Quantile(lengths, 0.1)) / median : 0;
}

// Where a row is seen from the middle of the trusted rows, in their spreads: how far in the
// direction of the pool's middle, and how far in any.
struct Place {
  double along = 0;
  double size = 0;
};

std::vector<Place> Places(const EmbeddingsView& rows, const RowNumbers& chosen,
                          const std::vector<Column>& columns) {
  std::vector<Place> places;
  for (const std::uint32_t row : chosen) {
    Place place;
    for (const Column& column : columns) {
      const double value =
          (rows.row(row)[column.number] - column.trusted[2]) / Spread(column.trusted);
      place.along += value * (column.pool[2] - column.trusted[2]) / Spread(column.trusted);
      place.size += std::abs(value);
    }
    places.push_back(place);
  }
  return places;
}

// The share of places within the middle 95 % of others, both ways.
double ShareWithin(const std::vector<Place>& places, const std::vector<Place>& others) {
  auto range = [&](double Place::* part) {
    std::vector<double> sorted;
    for (const Place& place : others) sorted.push_back(place.*part);
    std::ranges::sort(sorted);
    return std::pair(Quantile(sorted, 0.025), Quantile(sorted, 0.975));
  };
  const auto along = range(&Place::along);
  const auto size = range(&Place::size);
  const auto within = std::ranges::count_if(places, [&](const Place& place) {
    return place.along >= along.first && place.along <= along.second && place.size >= size.first &&
           place.size <= size.second;
  });
  return static_cast<double>(within) / static_cast<double>(places.size());
}

}  // namespace

std::optional<NormalizationGap> FindNormalizationGap(const EmbeddingsView& trusted,
                                                     const EmbeddingsView& pool) {
  if (std::min(trusted.num_rows, pool.num_rows) < kFewestRows) return std::nullopt;
  const RowNumbers trusted_rows = EvenlyTaken(trusted.num_rows, kMaxRows);
  const RowNumbers pool_rows = EvenlyTaken(pool.num_rows, kMaxRows);
  const std::vector<double> trusted_lengths = Lengths(trusted, trusted_rows);
  const std::vector<double> pool_lengths = Lengths(pool, pool_rows);
  NormalizationGap gap;
  gap.trusted_length = Quantile(trusted_lengths, 0.5);
  gap.pool_length = Quantile(pool_lengths, 0.5);
  const double of_trusted = RelativeSpread(trusted_lengths);
  const double of_pool = RelativeSpread(pool_lengths);
  gap.unit_trusted = gap.trusted_length > 0 && of_trusted < kOneLength && of_pool > kManyLengths;
  gap.unit_pool = gap.pool_length > 0 && of_pool < kOneLength && of_trusted > kManyLengths;

  std::vector<Column> columns;
  std::vector<double> scales;
  for (const std::uint32_t number : EvenlyTaken(trusted.dimension, kMaxColumns)) {
    const Column column{number, QuantilesOf(trusted, trusted_rows, number),
                        QuantilesOf(pool, pool_rows, number)};
    if (!(Spread(column.trusted) > 0 && Spread(column.pool) > 0)) continue;
    columns.push_back(column);
    scales.push_back(Spread(column.pool) / Spread(column.trusted));
  }
  bool is_carried = false;
  if (columns.size() >= kFewestColumns) {
    gap.scale = Median(std::move(scales));
    std::vector<double> offsets;
    for (const Column& column : columns) {
      offsets.push_back(column.pool[2] - gap.scale * column.trusted[2]);
    }
    gap.offset = Median(std::move(offsets));
    std::vector<double> with;
    std::vector<double> without;
    for (const Column& column : columns) {
      with.push_back(Distance(column, gap.scale, gap.offset) / Spread(column.pool));
      without.push_back(Distance(column, 1, 0) /
                        std::min(Spread(column.trusted), Spread(column.pool)));
    }
    is_carried = Median(std::move(without)) >= kTimesNearer * Median(std::move(with)) &&
                 ShareWithin(Places(pool, pool_rows, columns),
                             Places(trusted, trusted_rows, columns)) < kMostRowsInPlace;
  }
  if (!is_carried && !gap.unit_pool && !gap.unit_trusted) return std::nullopt;
  return gap;
}

}  // namespace spuna::algorithms
