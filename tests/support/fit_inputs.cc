#include "tests/support/fit_inputs.h"

namespace spuna::test {

FitInput InputOf(const Matrix& rows) {
  FitInput input;
  input.rows.dimension = static_cast<std::int64_t>(rows.dimension);
  input.rows.values.assign(rows.values.begin(), rows.values.end());
  input.rows.valid.assign(rows.num_rows, 1);
  input.column = "embedding";
  return input;
}

}  // namespace spuna::test
