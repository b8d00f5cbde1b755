#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/findings/embedding_plane.h"
#include "algorithms/findings/kinds_of_shift.h"
#include "algorithms/findings/shift_distance.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/space/whitening.h"
#include "pipelines/source/row_sample.h"

namespace spuna {

struct FitInput;
struct FitResult;
class StageClock;

/// What a fit knows beyond its model, for reasons and the report. Rows are counted among the valid
/// rows that were fitted.
struct Findings {
  /// Where these rows are in the files.
  RowSample trusted_rows;
  RowSample pool_rows;

  /// The coordinates in which distances are told: the whitening's, or those of the embeddings. The
  /// trusted rows and the seeds of the shifted side in them.
  std::optional<algorithms::Whitening> whitening;
  algorithms::Matrix trusted;
  algorithms::Matrix seeds;
  std::vector<std::uint32_t> seed_rows;

  /// The rows that are dropped, and how they differ from the trusted ones.
  std::vector<std::uint32_t> dropped_rows;
  algorithms::KindsOfShift kinds;
  std::optional<algorithms::ShiftDistance> distance;

  /// What the classifier gave the trusted rows: those kept back where there are any.
  std::vector<float> trusted_scores;

  /// Some rows in a plane.
  struct Point {
    double x = 0;
    double y = 0;
    std::uint32_t row = 0;
    float score = 0;
    bool dropped = false;
  };
  algorithms::Plane plane;
  std::vector<Point> trusted_points;
  std::vector<Point> pool_points;

  /// Rows in the coordinates in which distances are told.
  algorithms::Matrix Place(const algorithms::EmbeddingsView& rows,
                           const algorithms::Execution& execution) const;
};

/// Finds out about a fit while its rows are in memory; the fit must have scored its pool. The
/// places of the rows are left to the caller.
Findings MakeFindings(const FitInput& trusted, const FitInput& pool, const FitResult& fit,
                      StageClock& clock);

/// Which of the scored pool rows are dropped.
std::vector<std::uint8_t> DroppedRows(const FitResult& fit, const algorithms::EmbeddingsView& pool,
                                      StageClock& clock);

/// Those of the rows, which count among `all`, where they are in the files. Ascending.
RowSample PickRows(const RowSample& all, const std::vector<std::uint32_t>& ascending);

}  // namespace spuna
