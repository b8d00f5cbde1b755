#include "pipelines/run/job_paths.h"

#include <filesystem>
#include <system_error>

#include "arrow_io/glob.h"
#include "arrow_io/input_files.h"
#include "arrow_io/uri.h"

namespace spuna {

namespace fs = std::filesystem;

arrow::Result<std::string> PathOf(const std::string& text, const std::string& option) {
  const arrow::Result<std::string> path = arrow_io::LocalPath(text);
  if (!path.ok()) return path.status().WithMessage("`", option, "`: ", path.status().message());
  if (!arrow_io::IsUri(*path)) return path;
  return arrow::Status::Invalid("`", option, "`: ", arrow_io::MaskUri(*path),
                                ": expected a path of this machine but found a URI");
}

arrow::Status JobPaths::AddInputs(const std::vector<std::string>& paths,
                                  const std::string& option) {
  ARROW_ASSIGN_OR_RAISE(const auto expanded, arrow_io::ExpandPaths(paths, option));
  for (const std::string& path : expanded) {
    if (arrow_io::IsUri(path)) continue;
    std::error_code error;
    const bool is_pattern = arrow_io::HasWildcard(path) && !fs::exists(path, error);
    (is_pattern ? patterns_ : taken_).push_back({path, option});
  }
  return arrow::Status::OK();
}

arrow::Status JobPaths::AddOutput(const std::string& path, const std::string& option) {
  if (path.empty()) return arrow::Status::Invalid("`", option, "` names no file");
  if (arrow_io::IsUri(path)) {
    return arrow::Status::Invalid("`", option, "`: ", arrow_io::MaskUri(path),
                                  ": outputs are written to this machine; copy them from there");
  }
  ARROW_RETURN_NOT_OK(arrow_io::CheckApart(path, option, taken_));
  for (const arrow_io::TakenPath& pattern : patterns_) {
    const arrow_io::Glob glob = arrow_io::SplitGlob(pattern.path);
    const fs::path base = fs::absolute(glob.base.empty() ? "." : glob.base).lexically_normal();
    const fs::path within = fs::absolute(path).lexically_normal().lexically_relative(base);
    const bool lies_below = !within.empty() && *within.begin() != "..";
    if (lies_below && arrow_io::MayMatchBelow(glob.pattern, within.string())) {
      return arrow::Status::IOError(
          "`", option, "`: ", path, ": the pattern of `", pattern.option,
          "` could match what is written here; choose a place outside it");
    }
  }
  taken_.push_back({path, option});
  return arrow::Status::OK();
}

}  // namespace spuna
