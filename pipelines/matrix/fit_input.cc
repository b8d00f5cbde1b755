#include "pipelines/matrix/fit_input.h"

#include <arrow/record_batch.h>

namespace spuna {

arrow::Status FitInput::Append(const arrow::RecordBatch& batch, InvalidRows invalid,
                               std::int64_t first_row) {
  return rows.Append(batch.GetColumnByName(column), invalid, {column, where, first_row});
}

}  // namespace spuna
