#include "pipelines/source/bad_files.h"

#include <algorithm>
#include <string>

#include "pipelines/run/exception_status.h"

namespace spuna {
namespace {

constexpr int kReasonsShown = 3;

arrow::Status TooMany(const SkippedFiles& skipped, std::int64_t allowed) {
  std::string reasons;
  int shown = 0;
  for (const auto& [path, file] : skipped) {
    if (shown++ == kReasonsShown) break;
    reasons += "; " + file.reason;
  }
  const std::size_t left = skipped.size() - std::min<std::size_t>(skipped.size(), kReasonsShown);
  if (left > 0) reasons += "; and " + std::to_string(left) + " more";
  return arrow::Status::IOError("`max-bad-files` allows ", allowed,
                                " files that can't be read but found ", skipped.size(), reasons);
}

}  // namespace

arrow::Status BadFiles::Take(const arrow_io::InputFile& file, const arrow::Status& error) {
  return TakeAll({&file, 1}, {&error, 1});
}

arrow::Status BadFiles::TakeAll(std::span<const arrow_io::InputFile> files,
                                std::span<const arrow::Status> errors) {
  SkippedFiles found;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (errors[i].ok()) continue;
    const arrow::Status error = arrow_io::FileFailure(errors[i]);
    const FailureKind kind = KindOf(error).value_or(FailureKind::kCorrupt);
    const bool may_skip = policy_ == OnBadFile::kSkip && kind != FailureKind::kMayPass &&
                          !error.IsCancelled() && !error.IsOutOfMemory();
    if (!may_skip) return error;
    found.emplace(files[i].relative_path.string(), SkippedFile{MessageOf(error), kind});
  }
  if (found.empty()) return arrow::Status::OK();
  const std::scoped_lock lock(mutex_);
  // An input may be surveyed twice: a file that is skipped already is no other one.
  const auto num_new = std::ranges::count_if(
      found, [&](const auto& file) { return !skipped_.contains(file.first); });
  const std::size_t num_skipped = skipped_.size() + static_cast<std::size_t>(num_new);
  if (max_skipped_ && static_cast<std::int64_t>(num_skipped) > *max_skipped_) {
    // They are not skipped then.
    found.insert(skipped_.begin(), skipped_.end());
    return TooMany(found, *max_skipped_);
  }
  skipped_.merge(found);
  return arrow::Status::OK();
}

bool BadFiles::Has(const arrow_io::InputFile& file) const {
  const std::scoped_lock lock(mutex_);
  return skipped_.contains(file.relative_path.string());
}

SkippedFiles BadFiles::skipped() const {
  const std::scoped_lock lock(mutex_);
  return skipped_;
}

}  // namespace spuna
