#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/rows/embeddings_view.h"
#include "arrow_io/table_output.h"
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
};

/// Writes why rows are dropped, a row each:
///
///     id, file, row                                   which it is
///     score, p_value, round                           what it was given; null where there is none
///     nearest_trusted, nearest_trusted_distance       the trusted row that is most like it
///     nearest_shifted, nearest_shifted_distance       the seed of the shifted side that is
///     kind                                            the kind of shift: 1, 2, …, the largest
///     first
class ReasonsWriter {
 public:
  /// The findings must outlive the writer.
  static arrow::Result<std::unique_ptr<ReasonsWriter>> Create(const std::string& path,
                                                              const std::string& name,
                                                              const Findings& findings);

  /// Writes rows with their embeddings.
  arrow::Status Write(const std::vector<DroppedRow>& rows, const algorithms::EmbeddingsView& view,
                      const algorithms::Execution& execution);
  arrow::Status Close() { return output_->Close(); }

 private:
  explicit ReasonsWriter(const Findings& findings) : findings_(findings) {}

  const Findings& findings_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<arrow_io::TableOutput> output_;
};

}  // namespace spuna
