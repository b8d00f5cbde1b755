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
inline constexpr int kInterrupted = 130;

}  // namespace spuna::cli
