#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>

namespace spuna::cli {

/// Shows the running stage on standard error: a bar on a terminal, else a plain line a stage.
class ProgressDisplay {
 public:
  explicit ProgressDisplay(bool enabled);
  ~ProgressDisplay() { Clear(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  /// `done` is from 0 to 1, or below 0 where nobody knows; `rows` are those done, 0 where the stage
  /// is not about rows.
  void Show(const std::string& stage, double done, std::int64_t rows);

  /// Removes the bar.
  void Clear();

 private:
  void ShowBar(const std::string& stage, double done, std::int64_t rows);

  bool enabled_;
  bool is_terminal_;
  bool has_bar_ = false;
  std::set<std::string> seen_;
  std::string shown_stage_;
  std::chrono::steady_clock::time_point shown_at_;
  std::chrono::steady_clock::time_point stage_started_;
};

}  // namespace spuna::cli
