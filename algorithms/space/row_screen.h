#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/compute/execution.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/space/trusted_distance.h"

namespace spuna::algorithms {

/// Why a row is not clean, whatever a classifier of "trusted or pool?" says of it.
enum class OddRow : std::uint8_t {
  kNo,
  kFar,       ///< it lies farther from the trusted rows than they lie from each other
  kZero,      ///< all its values are 0, and no trusted row is like that
  kConstant,  ///< all its values are one number, and no trusted row is like that
  kRepeated,  ///< many pool rows equal it, and no trusted row resembles it
};

/// What rows are held against before they are scored.
struct RowScreen {
  /// None where there are too few trusted rows.
  std::optional<TrustedDistance> distance;
  /// Clean rows are called far at this rate at most.
  double level = 0;
  /// Whether rows of zeros, or of one number, are odd: no trusted row is one.
  bool zeros_are_odd = false;
  bool constants_are_odd = false;
  /// The rows that repeat, each once.
  Matrix repeated;

  /// What every row is, and its distance; no distances where there is no measure of them. Exact
  /// ones take longer: without, those of rows that are not far are upper bounds.
  struct Result {
    std::vector<OddRow> odd;
    std::vector<float> distances;

    /// Beyond it rows are far.
    float cutoff = 0;

    /// The score by which a promise about clean rows is kept: a row's own, from 0 to 1, or above 1
    /// and below 2, the higher the farther, where it is odd beyond doubt. A far row is that at
    /// twice the cutoff: a calibration row that lies just beyond it must not outscore all others.
    float Joined(std::size_t row, float score) const;
  };
  Result Check(const EmbeddingsView& rows, const Execution& execution,
               bool exact_distances = false) const;
};

/// What odd rows are, given the trusted rows and a pool. `trusted_groups` has the group of every
/// trusted row, or nothing.
RowScreen FitRowScreen(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                       std::span<const std::uint32_t> trusted_groups, double level,
                       std::uint64_t seed, const Execution& execution);

}  // namespace spuna::algorithms
