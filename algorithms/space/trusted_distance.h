#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/compute/execution.h"
#include "algorithms/rows/embeddings_view.h"

namespace spuna::algorithms {

/// How far a row lies from the trusted rows, in a few coordinates.
///
/// The trusted rows are cut in two by chance. Part A makes the coordinates: each column in units of
/// its spread, then the directions in which A varies most, of deviation 1 each, and as one more how
/// far a row lies from the space of these directions. Part B is what distances are measured to. A
/// row's distance is that to the nearest row of B; B's own, each to the nearest other one, say how
/// far trusted rows lie from each other. So with B of n rows a clean row's
///
///     p = (1 + number of B's distances that are as large or larger) / (n + 1)
///
/// is at most t with a probability of at most t, if neither part has seen the row.
///
/// Rows that belong together are in one part, and a row of B is not measured to those of its own
/// group. One row of each group says how far out groups lie: n is the number of groups then, and
/// the row above is one of a new group.
struct TrustedDistance {
  /// Of every column.
  std::vector<double> center;
  std::vector<double> spread;
  /// The directions in these units, one after the other, each divided by its deviation.
  std::vector<float> directions;
  /// What the deviations were.
  std::vector<float> deviations;
  /// What to multiply the distance from their space by; 0 where they span all columns.
  float rest_scale = 0;
  /// The coordinates of B: the first of all rows, then the second, …
  std::vector<float> references;
  /// B's own distances, one of each group, ascending.
  std::vector<float> nearest;

  std::size_t dimension() const { return center.size(); }
  std::size_t num_directions() const { return deviations.size(); }
  std::size_t num_coordinates() const { return num_directions() + (rest_scale > 0 ? 1 : 0); }
  std::size_t num_references() const {
    return num_coordinates() == 0 ? 0 : references.size() / num_coordinates();
  }

  /// Throws std::invalid_argument where the parts don't fit each other or hold a non-finite number.
  void Validate() const;

  /// The distances of rows. Once a row is known to lie within `enough` the search for a nearer one
  /// ends. What a row gets does not depend on the rows beside it; one with non-finite values
  /// disturbs no other.
  std::vector<float> Measure(const EmbeddingsView& rows, const Execution& execution,
                             float enough = 0) const;

  double PValue(float distance) const;

  /// Rows that lie farther than this have a p-value of at most `level`. Where B is too small for
  /// that it is somewhat more than B's largest, up to twice that: too few clean rows are called far
  /// then, rather than too many.
  float CutoffAt(double level) const;
};

/// The level that so many references allow, if `level` is asked for.
double ReachableLevel(double level, std::size_t num_references);

/// The distance for a level; none where there are too few trusted rows for one.
/// `groups` has the group of every row, or nothing where each stands alone.
std::optional<TrustedDistance> FitTrustedDistance(const EmbeddingsView& trusted,
                                                  std::span<const std::uint32_t> groups,
                                                  double level, std::uint64_t seed,
                                                  const Execution& execution);

}  // namespace spuna::algorithms
