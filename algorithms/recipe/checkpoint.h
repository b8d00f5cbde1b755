// An interface: no source file.
#pragma once

#include <optional>

#include "algorithms/expansion/expansion.h"
#include "algorithms/recipe/discriminant.h"

namespace spuna::algorithms {

/// Where a fit leaves what it has finished, and finds what an interrupted fit on the same rows with
/// the same options has left. What is found leads to the same result, bit for bit.
class Checkpoint {
 public:
  virtual ~Checkpoint() = default;

  /// The discriminant, if it was finished.
  virtual std::optional<Discriminant> FindDiscriminant() = 0;
  virtual void Keep(const Discriminant& discriminant) = 0;

  /// The labels after the last finished round, if there was one.
  virtual std::optional<Expansion> FindExpansion() = 0;
  virtual void Keep(const Expansion& expansion) = 0;
};

}  // namespace spuna::algorithms
