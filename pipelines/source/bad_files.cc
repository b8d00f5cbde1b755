#include "pipelines/source/bad_files.h"

#include "pipelines/run/exception_status.h"

namespace spuna {

arrow::Status BadFiles::Take(const arrow_io::InputFile& file, const arrow::Status& error) {
  if (error.ok() || policy_ == OnBadFile::kError || error.IsCancelled() || error.IsOutOfMemory()) {
    return error;
  }
  const std::scoped_lock lock(mutex_);
  skipped_.emplace(file.relative_path.string(), MessageOf(error));
  return arrow::Status::OK();
}

bool BadFiles::Has(const arrow_io::InputFile& file) const {
  const std::scoped_lock lock(mutex_);
  return skipped_.contains(file.relative_path.string());
}

std::map<std::string, std::string> BadFiles::skipped() const {
  const std::scoped_lock lock(mutex_);
  return skipped_;
}

}  // namespace spuna
