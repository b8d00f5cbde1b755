#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pipelines/source/named_column.h"
#include "pipelines/source/placed_reviews.h"
#include "pipelines/source/row_texts.h"

namespace spuna {

/// Finds reviewed rows in a stream, batch by batch, by their ids: those of its id column or, where
/// it has none, the numbers of its rows, as PlaceInStream writes them. A stream has no files: a
/// line that only has a file and a row names none of its rows.
class StreamReviews {
 public:
  /// Those of the pool, or of the trusted rows, in a stream that messages call `where`. `reviewed`
  /// must outlive it.
  static arrow::Result<StreamReviews> Make(const ReviewedRows& reviewed, bool of_trusted,
                                           const arrow::Schema& schema, const std::string& where,
                                           const IdColumn& column);

  /// Looks at a batch whose first row has this number. The result has a value for each row that is
  /// named; it is null where no line names anything.
  arrow::Result<std::shared_ptr<arrow::Array>> Add(const arrow::RecordBatch& batch,
                                                   std::int64_t first_row);

  /// What was found, as the reviews of a file with the path "".
  PlacedReviews Finish() const;

 private:
  StreamReviews(const ReviewedRows& reviewed, bool of_trusted)
      : reviewed_(reviewed), of_trusted_(of_trusted) {}

  const ReviewedRows& reviewed_;
  bool of_trusted_;
  std::optional<NamedColumn> id_column_;
  // The lines that are looked for, by id.
  std::unordered_map<std::string, std::vector<std::size_t>> wanted_;
  PlacedLines found_;
};

}  // namespace spuna
