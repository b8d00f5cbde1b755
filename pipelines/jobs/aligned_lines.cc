#include "pipelines/jobs/aligned_lines.h"

#include <algorithm>

namespace spuna {

std::string Align(const Lines& lines) {
  std::size_t width = 0;
  for (const auto& [label, text] : lines) width = std::max(width, label.size());
  std::string aligned;
  for (const auto& [label, text] : lines) {
    aligned += label + std::string(width - label.size() + 2, ' ') + text + "\n";
  }
  return aligned;
}

}  // namespace spuna
