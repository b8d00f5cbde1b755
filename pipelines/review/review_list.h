#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipelines/review/row_choice.h"
#include "pipelines/review/row_faces.h"

namespace spuna {

/// A row that is like another, and how far it lies from it.
struct SimilarRow {
  std::string id;
  double distance = 0;
  RowFace face;
};

/// A row of a review: where it is, why it was chosen and what is shown of it.
struct ReviewItem {
  ChosenRow chosen;
  std::string id;
  /// The path of its file, relative to its input, and its number there.
  std::string file;
  std::int64_t row = 0;
  RowFace face;
  std::optional<SimilarRow> nearest_trusted;
  std::vector<SimilarRow> neighbors;
};

/// The rows that a person shall look at, and those that need no look: calibration rows, which are
/// clean.
struct ReviewList {
  std::vector<ReviewItem> rows;
  std::vector<ReviewItem> answered;
  /// What the pool is called, and the command that takes the verdicts.
  std::string pool_name;
  std::string next;
};

/// The list as a table for other tools: `id`, `file`, `row`, `score`, `keep`, `why`,
/// `probability`, `input` and `verdict`, which is null where a person has to fill it in. Rows that
/// need no look come last.
std::shared_ptr<arrow::Schema> ReviewSchema();
arrow::Result<std::shared_ptr<arrow::RecordBatch>> TableOf(const ReviewList& list);

/// What RenderReviewPage makes a page of.
nlohmann::json PageOf(const ReviewList& list);

}  // namespace spuna
