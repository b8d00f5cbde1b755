#pragma once

#include <sstream>
#include <string>

namespace spuna::algorithms {

/// A number as a person would write it: 0.001, 1e+30.
inline std::string FormatNumber(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

}  // namespace spuna::algorithms
