#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/findings/embedding_plane.h"
#include "algorithms/findings/kinds_of_shift.h"
#include "algorithms/findings/shift_distance.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/space/whitening.h"
#include "pipelines/source/row_sample.h"

namespace spuna {

/// What a fit knows beyond its model, for reasons and the report. Rows are counted among the valid
/// rows that were fitted.
struct Findings {
  /// Where the pool's rows are in the files.
  RowSample pool_rows;

  /// To where rows are clipped before they are looked at.
  algorithms::RowLimits limits;

  /// The coordinates in which distances are measured: the whitening's, or those of the embeddings.
  /// The trusted rows and the seeds of the shifted side in them, and their ids.
  std::optional<algorithms::Whitening> whitening;
  algorithms::Matrix trusted;
  std::vector<std::string> trusted_ids;
  algorithms::Matrix seeds;
  std::vector<std::string> seed_ids;

  /// How the dropped rows differ from the trusted ones.
  algorithms::KindsOfShift kinds;
  std::optional<algorithms::ShiftDistance> distance;

  /// A row that is typical of a kind of shift.
  struct TypicalRow {
    std::uint32_t row = 0;
    std::string id;
    float score = 0;
  };
  /// Of each kind.
  std::vector<std::vector<TypicalRow>> typical_rows;

  /// What the classifier gave the trusted rows: those held out where there are any.
  std::vector<float> trusted_scores;

  /// Some rows in a plane.
  struct Point {
    double x = 0;
    double y = 0;
    std::string id;
    float score = 0;
    bool dropped = false;
  };
  algorithms::Plane plane;
  std::vector<Point> trusted_points;
  std::vector<Point> pool_points;

  /// Rows in the coordinates in which distances are measured.
  algorithms::Matrix Place(const algorithms::EmbeddingsView& rows,
                           const algorithms::Execution& execution) const;
};

}  // namespace spuna
