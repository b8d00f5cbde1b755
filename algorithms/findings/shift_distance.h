#pragma once

#include "algorithms/rows/row_set.h"

namespace spuna::algorithms {

/// How far shifted rows lie from trusted rows, in a word.
enum class ShiftReach {
  kNear,
  kFar,
};

/// The cosine distance from which on a shift is called far.
///
/// A convention, not a law. The paper's appendix "Near and Far Covariate Shift" tells the two apart
/// by the distance of the mean embeddings (block 6 of a ViT): ImageNet-V2 at 0.0041 and GenImage at
/// 0.0144 are near, ImageNet-R at 0.0366 and ImageNet-C at 0.0651 to 0.0735 are far. This is the
/// geometric mean of the two at the border, sqrt(0.0144 * 0.0366) = 0.0230, rounded. Other layers
/// have other distances: at the last layer the same near shifts lie at 0.0151 and 0.0744, the same
/// far ones at 0.2153 and more.
inline constexpr double kFarCosineDistance = 0.023;

/// The distance between the mean embeddings of trusted and shifted rows.
struct ShiftDistance {
  /// 1 - cosine of the angle between the means, from 0 to 2. With both means 0 it is 0, with one of
  /// them 0 it is 1: there is no angle.
  double cosine = 0;
  double euclidean = 0;
  /// The root mean square distance of trusted rows from their mean.
  double trusted_spread = 0;
  /// `euclidean` / `trusted_spread`; 0 where both are 0, infinite where only the spread is.
  double in_spreads = 0;
  ShiftReach reach = ShiftReach::kNear;
};

/// In float64. Throws std::invalid_argument without rows on either side or where the dimensions
/// differ.
ShiftDistance MeasureShiftDistance(const RowSet& trusted, const RowSet& shifted);

}  // namespace spuna::algorithms
