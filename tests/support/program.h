#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spuna::test {

struct ProgramResult {
  /// The exit code, or 128 + the signal that ended it.
  int exit_code = 0;
  std::string out;
  std::string err;
};

/// What is special about a run.
struct ProgramSettings {
  /// The largest file that it may write: writing more fails, as on a full disk. 0 means no limit.
  std::uint64_t max_file_bytes = 0;
  /// A signal that the program inherits as ignored; 0 means none.
  int ignored_signal = 0;
  /// A signal to send once standard error holds the text.
  int signal = 0;
  std::string signal_after;
  /// A file to read standard input from; empty means none.
  std::string input;
};

/// Runs a program with these arguments and waits for its end.
ProgramResult RunProgram(const std::string& program, const std::vector<std::string>& arguments,
                         const ProgramSettings& settings = {});

/// Runs build/…/spuna.
ProgramResult RunSpuna(const std::vector<std::string>& arguments,
                       const ProgramSettings& settings = {});

}  // namespace spuna::test
