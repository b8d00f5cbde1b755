#pragma once

#include <string>

namespace spuna {

/// A text for people with the options as calls from other languages write them: `fit-rows` and
/// `--fit-rows` become `fit_rows`, `--overwrite` becomes `overwrite=true`, and `--threshold 0.5`
/// becomes `threshold=0.5`. What does not stand in backquotes stays as it is.
std::string InCallWords(std::string text);

}  // namespace spuna
