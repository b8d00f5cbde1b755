#include "pipelines/run/number_words.h"

#include <cstddef>
#include <cstdio>

namespace spuna {

std::string Count(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string Format(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

std::string Percent(double share) { return Format("%.1f %%", 100 * share); }

}  // namespace spuna
