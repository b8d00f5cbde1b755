#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/neighbors/nearest_row.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/space/row_screen.h"
#include "pipelines/fit/findings.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// A row that is dropped.
struct DroppedRow {
  std::string id;
  std::string file;
  std::int64_t row = 0;
  float score = 0;
  /// Below 0 where there is none.
  float p_value = -1;
  std::int32_t round = -1;
  /// Whether a person said that it is shifted.
  bool is_reviewed = false;
  algorithms::OddRow odd = algorithms::OddRow::kNo;
};

/// Tells why rows are dropped, a row each:
///
///     id, file, row                                   which it is; a stream has no file
///     score, p_value, round                           what it was given; null where there is none
///     nearest_trusted, nearest_trusted_distance       the trusted row that is most like it
///     nearest_shifted, nearest_shifted_distance       the seed of the shifted side that is
///     kind                                            the kind of shift: 1, 2, …, the largest
///                                                     first
///     reason                                          score, reviewed (a person said so), or why
///                                                     it is odd: far, zero, constant, repeated
class Reasons {
 public:
  /// The findings of the fit on these rows, which must outlive it. Null where there was none: what
  /// only a fit knows is then null in every row.
  explicit Reasons(const Findings* findings) : findings_(findings) {}

  static std::shared_ptr<arrow::Schema> schema();

  /// The reasons of some rows with these embeddings.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Make(
      const std::vector<DroppedRow>& rows, const algorithms::EmbeddingsView& embeddings,
      const algorithms::Execution& execution) const;

 private:
  struct Compared {
    std::vector<algorithms::NearestRow> trusted;
    std::vector<algorithms::NearestRow> seeds;
    std::vector<std::uint32_t> kinds;
  };
  // The rows held against the findings; empty without them.
  arrow::Result<Compared> Compare(const algorithms::EmbeddingsView& embeddings,
                                  const algorithms::Execution& execution) const;

  const Findings* findings_;
};

}  // namespace spuna
