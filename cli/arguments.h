#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "pipelines/options/options.h"

namespace spuna::cli {

enum class Command { kFit, kScore, kClean, kEvaluate, kMonitor, kInspect };

/// What the command line and the configuration file say.
struct Arguments {
  Command command = Command::kFit;
  std::vector<std::string> trusted;
  std::vector<std::string> pool;
  std::vector<std::string> input;
  std::string model;
  std::string labels;
  std::string out;
  std::string truth;
  std::string score_column;
  std::string state;
  std::string metrics;
  double level = 0.05;
  bool keep_banks = false;
  bool drop = false;
  bool p_values = false;
  std::string reasons;
  std::string report;
  std::string report_image;
  std::string group_by;
  std::string id;
  std::string dropped;
  bool overwrite = false;
  bool force = false;
  /// Whether to say what would be done instead of doing it.
  bool dry_run = false;
  bool json = false;
  bool quiet = false;
  int threads = 1;
  OnBadFile on_bad_file = OnBadFile::kError;
  double checkpoint_seconds = 1;
  std::string prefix;
  ScoreBy by = ScoreBy::kClassifier;
  FitOptions fit;
};

/// A command line that can't be run. The message is for the user; with code 0 it is help or a
/// version, for standard output.
struct UsageError : std::runtime_error {
  UsageError(const std::string& message, int code) : std::runtime_error(message), exit_code(code) {}
  int exit_code;
};

/// Reads the command line, and the configuration file if it names one. Throws UsageError.
Arguments ParseArguments(int argc, const char* const* argv);

}  // namespace spuna::cli
