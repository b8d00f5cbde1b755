// Plain data: no source file.
#pragma once

#include "algorithms/classifier/distillation.h"
#include "algorithms/classifier/soft_network.h"
#include "algorithms/expansion/expansion.h"
#include "algorithms/recipe/metric_space.h"

namespace spuna::algorithms {

/// What the expansion starts from.
enum class Seeds {
  kDistance,     ///< the distance to the nearest trusted row
  kCrossFitted,  ///< the cross-fitted answer to "trusted or pool?"
};

/// What the network learns.
enum class Targets {
  kLabels,        ///< the expansion's labels, by the paper's distillation
  kSoft,          ///< discriminant and neighbor score as soft labels of all pool rows
  kRefined,       ///< labels refined round by round where shift is rare, else the discriminant
  kDiscriminant,  ///< the discriminant as soft labels of all pool rows
  kPool,          ///< that a row is from the pool
};

/// How large a part of the pool the expansion takes for shifted in the end.
enum class Sides {
  kEven,   ///< half of it
  kShare,  ///< the estimated share
};

/// The switches in which the paper's recipe and ours differ.
struct Switches {
  Metric metric = Metric::kEuclidean;
  Seeds seeds = Seeds::kDistance;
  bool discriminant = false;
  Sides sides = Sides::kEven;
  Targets targets = Targets::kLabels;

  /// Whether any of them needs the cross-fitted discriminant.
  bool NeedCrossFitting() const {
    return seeds == Seeds::kCrossFitted || discriminant || sides == Sides::kShare ||
           (targets != Targets::kLabels && targets != Targets::kSoft);
  }

  /// Whether labels come from the expansion by neighbors.
  bool ExpandByNeighbors() const {
    return targets == Targets::kLabels || targets == Targets::kSoft;
  }
};

struct RecipeOptions {
  Switches switches;
  ExpansionOptions expansion;
  /// For labels.
  DistillationOptions distillation;
  /// For the discriminant and for soft targets.
  SoftNetworkOptions network;
};

}  // namespace spuna::algorithms
