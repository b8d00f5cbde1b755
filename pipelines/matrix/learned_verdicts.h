#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/rows/row_verdicts.h"
#include "pipelines/matrix/fit_input.h"
#include "pipelines/options/options.h"
#include "pipelines/source/placed_reviews.h"
#include "pipelines/source/row_sample.h"

namespace spuna {

/// What a person said of the valid rows of an input, as far as it is learned (LearnedVerdict).
/// Empty where nothing is.
algorithms::RowVerdicts LearnedVerdicts(const Source& source, const PlacedReviews* reviews,
                                        const RowSample& valid_rows);
/// The same for a stream, of the rows with these numbers.
algorithms::RowVerdicts LearnedVerdicts(const PlacedReviews& reviews,
                                        std::span<const std::int64_t> valid_rows);

/// Adds the reviewed rows to a sample of an input.
void AddReviewedRows(const Source& source, const PlacedReviews* reviews, RowSample& sample);

/// Adds reviewed rows of other inputs to the end of a pool, to be learned with it. An error where
/// they have another dimension, or lack the classes and groups that the options ask for.
arrow::Status AddOutsideRows(const std::vector<ReviewedRow>& rows, const FitOptions& options,
                             FitInput& pool);

}  // namespace spuna
