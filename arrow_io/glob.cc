#include "arrow_io/glob.h"

#include <fnmatch.h>

#include <span>
#include <vector>

namespace spuna::arrow_io {
namespace {

using Names = std::vector<std::string>;

Names SplitPath(const std::string& path) {
  Names names;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) names.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

// Whether the first names of a path are what the pattern asks for.
bool MatchesStart(std::span<const std::string> pattern, std::span<const std::string> names) {
  if (pattern.empty()) return true;
  if (pattern[0] == "**") {
    for (std::size_t skipped = 0; skipped <= names.size(); ++skipped) {
      if (MatchesStart(pattern.subspan(1), names.subspan(skipped))) return true;
    }
    return false;
  }
  if (names.empty() || fnmatch(pattern[0].c_str(), names[0].c_str(), FNM_PERIOD) != 0) return false;
  return MatchesStart(pattern.subspan(1), names.subspan(1));
}

// Whether names that go on from these could be what the pattern asks for.
bool MayGoOn(std::span<const std::string> pattern, std::span<const std::string> names) {
  if (names.empty() || pattern.empty() || pattern[0] == "**") return true;
  return fnmatch(pattern[0].c_str(), names[0].c_str(), FNM_PERIOD) == 0 &&
         MayGoOn(pattern.subspan(1), names.subspan(1));
}

}  // namespace

bool HasWildcard(const std::string& path) { return path.find_first_of("*?[") != std::string::npos; }

Glob SplitGlob(const std::string& path) {
  const std::size_t wildcard = path.find_first_of("*?[");
  const std::size_t slash = path.rfind('/', wildcard);
  if (slash == std::string::npos) return {"", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

bool MatchesGlob(const std::string& pattern, const std::string& relative_path) {
  return MatchesStart(SplitPath(pattern), SplitPath(relative_path));
}

bool MayMatchBelow(const std::string& pattern, const std::string& relative_path) {
  return MayGoOn(SplitPath(pattern), SplitPath(relative_path));
}

}  // namespace spuna::arrow_io
