#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/compute/execution.h"
#include "algorithms/neighbors/nearest_row.h"
#include "pipelines/fit/fit_result.h"
#include "pipelines/matrix/fit_input.h"
#include "pipelines/model/model.h"
#include "pipelines/model/row_scores.h"

namespace spuna {

/// How many rows to choose, and how.
struct ChoiceOptions {
  std::int64_t num_rows = 50;
  /// Which share of them is drawn at random.
  double random_share = 0.2;
  std::uint64_t seed = 0;
  /// How many of the most similar pool rows to find for each row.
  std::size_t num_neighbors = 0;
};

/// A row that a person shall look at.
struct ChosenRow {
  /// Its number among the valid rows of the pool, or among the trusted rows where it calibrates.
  std::uint32_t row = 0;
  bool calibrates = false;
  float score = 0;
  bool is_dropped = false;
  /// Why it was chosen, in a few words.
  std::string why;
  /// How likely it was to be drawn, where it was drawn at random.
  std::optional<double> probability;
  /// The trusted row that is most like it, and the pool rows that are; none where there are none.
  std::optional<algorithms::NearestRow> nearest_trusted;
  std::vector<algorithms::NearestRow> neighbors;
};

/// What rows are chosen from.
struct ChoiceRows {
  /// May have no rows.
  const FitInput& trusted;
  const FitInput& pool;
  /// The trusted rows that calibrate the model.
  const algorithms::RowNumbers& calibration;
  /// A byte for each pool row: whether a person has said what it is.
  std::span<const std::uint8_t> is_reviewed;
  const Model& model;
  /// What the model says of the pool.
  const RowScores& scores;
};

/// Chooses rows that are worth a look, in an order that says nothing about them:
///
/// - nine in ten of those that are not random from the top of the scores, unlike each
///   other (ChooseSpread), the others around the threshold, where there is one. Pool rows and
///   calibration rows are chosen together, by a rule that does not know which is which; those that
///   calibrate come in addition to the number that is asked for. They are known to be clean;
/// - the random part among the pool's other rows: half among those that are dropped, half among
///   those that are kept, each row of a half alike.
///
/// Never a row that was reviewed before.
std::vector<ChosenRow> ChooseRows(const ChoiceRows& from, const ChoiceOptions& options,
                                  const algorithms::Execution& execution);

}  // namespace spuna
