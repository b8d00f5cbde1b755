#pragma once

#include <arrow/status.h>

#include <filesystem>

namespace spuna::arrow_io {

/// Puts a directory in the place of another, so that the old one is there whole until the new one
/// is. `swap` holds the new one as "data"; in the end it holds the old one, to be removed. Both
/// must be on one disk.
///
/// Where the system can, the two are exchanged at once. Where it can't (on some network disks, or
/// because the directory is a mount point) their entries change places one by one, `_SUCCESS` first
/// out and last in. A kill may come at any moment: the same call then does the rest. `keep` is the
/// name of an entry of the old directory that stays there.
arrow::Status SwapDirectory(const std::filesystem::path& swap,
                            const std::filesystem::path& directory,
                            const std::filesystem::path& keep);

/// Marks the new directory, so that SwapDirectory knows it from the old one. To be called once,
/// before it.
arrow::Status MarkAsNew(const std::filesystem::path& data);

/// The entry that marks success.
inline constexpr const char* kSuccess = "_SUCCESS";

}  // namespace spuna::arrow_io
