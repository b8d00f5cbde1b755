#include "arrow_io/swapped_directory.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <vector>

#include "arrow_io/staged_output.h"

namespace spuna::arrow_io {
namespace {

namespace fs = std::filesystem;

// Empty: readers of a directory pass over hidden names and empty files.
constexpr const char* kNew = ".spuna-new";
constexpr const char* kData = "data";
constexpr const char* kOld = "old";
constexpr const char* kEmptied = "emptied";

// RENAME_EXCHANGE of linux/fs.h.
constexpr unsigned kExchange = 2;

bool Exchange(const fs::path& a, const fs::path& b) {
  return syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), kExchange) == 0;
}

arrow::Status Error(const fs::path& path, const std::error_code& error) {
  return arrow::Status::IOError(path.string(), ": can't be replaced: ", error.message());
}

arrow::Status MoveEntry(const fs::path& name, const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from / name, to / name, error);
  return error ? Error(from / name, error) : arrow::Status::OK();
}

arrow::Status MoveEntries(const fs::path& from, const fs::path& to, const fs::path& but,
                          bool success_first) {
  std::error_code error;
  std::vector<fs::path> names;
  for (fs::directory_iterator it(from, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    const fs::path name = it->path().filename();
    if (name != but && name != kNew) names.push_back(name);
  }
  if (error) return Error(from, error);
  std::ranges::stable_partition(
      names, [&](const fs::path& name) { return (name == kSuccess) == success_first; });
  for (const fs::path& name : names) ARROW_RETURN_NOT_OK(MoveEntry(name, from, to));
  return arrow::Status::OK();
}

// Entry by entry. What has been emptied holds new entries only.
arrow::Status MoveAll(const fs::path& swap, const fs::path& directory, const fs::path& keep) {
  std::error_code error;
  fs::create_directory(swap / kOld, error);
  fs::create_directory(directory, error);
  if (!fs::exists(swap / kEmptied, error)) {
    ARROW_RETURN_NOT_OK(MoveEntries(directory, swap / kOld, keep, /*success_first=*/true));
    ARROW_RETURN_NOT_OK(WriteBytes(swap / kEmptied, ""));
  }
  ARROW_RETURN_NOT_OK(MoveEntries(swap / kData, directory, keep, /*success_first=*/false));
  fs::remove(swap / kData / kNew, error);
  return arrow::Status::OK();
}

}  // namespace

arrow::Status MarkAsNew(const fs::path& data) { return WriteBytes(data / kNew, ""); }

arrow::Status SwapDirectory(const fs::path& swap, const fs::path& directory, const fs::path& keep) {
  std::error_code error;
  const fs::path data = swap / kData;
  if (fs::exists(data / kNew, error)) {
    const bool is_begun = fs::exists(swap / kOld, error);
    // The entry that stays is one of the directory's own: such a directory can't be exchanged.
    const bool may_exchange = !is_begun && !fs::exists(directory / keep, error);
    if (!may_exchange || !Exchange(data, directory)) {
      ARROW_RETURN_NOT_OK(MoveAll(swap, directory, keep));
    }
  }
  fs::remove(directory / kNew, error);
  return arrow::Status::OK();
}

}  // namespace spuna::arrow_io
