#pragma once

#include "pipelines/matrix/fit_input.h"
#include "tests/support/random_rows.h"

namespace spuna::test {

/// Rows as an input of a fit, all valid.
FitInput InputOf(const Matrix& rows);

}  // namespace spuna::test
