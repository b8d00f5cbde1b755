// Plain data: no source file.
#pragma once

namespace spuna::cli {

/// The exit codes of the program.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongUsage = 2;
/// Done, and `monitor` found a shift.
inline constexpr int kShiftFound = 3;
/// Done, but files that could not be read were skipped.
inline constexpr int kSkippedFiles = 4;
/// Nothing to read: the paths match no file, or every file is bad.
inline constexpr int kNothingToRead = 5;
/// What failed may pass: a store or a file that can't be reached now, an output that another run
/// is writing.
inline constexpr int kTryAgain = 6;
inline constexpr int kInterrupted = 130;

}  // namespace spuna::cli
