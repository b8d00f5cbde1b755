#pragma once

#include <string>

namespace spuna::algorithms {

/// A number as a person would write it: 0.001, 1e+30.
std::string FormatNumber(double value);

}  // namespace spuna::algorithms
