#include "algorithms/compute/format_number.h"

#include <sstream>

namespace spuna::algorithms {

std::string FormatNumber(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

}  // namespace spuna::algorithms
