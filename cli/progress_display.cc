#include "cli/progress_display.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <map>

#include "pipelines/run/number_words.h"

namespace spuna::cli {
namespace {

constexpr int kBarWidth = 30;
// Before that nobody needs to know.
constexpr double kPaceAfterSeconds = 1;
constexpr auto kRefresh = std::chrono::milliseconds(100);

std::string Description(const std::string& stage) {
  static const std::map<std::string, std::string> descriptions = {
      {"read", "reading embeddings"},
      {"cross_fit", "comparing pool and trusted"},
      {"seed", "finding seeds"},
      {"expand", "expanding labels"},
      {"entropy", "measuring entropy"},
      {"neighbor_score", "scoring by neighbors"},
      {"distill", "distilling the classifier"},
      {"score", "scoring and writing rows"},
      {"write", "writing the model"},
      {"choose", "choosing rows"},
      {"watch", "watching rows"},
      {"examine", "looking at the pool again"},
      {"report", "writing the report"}};
  const auto it = descriptions.find(stage);
  return it == descriptions.end() ? stage : it->second;
}

// 75 seconds as "1:15".
std::string Clock(double seconds) {
  const auto total = std::llround(seconds);
  char text[32];
  if (total >= 3600) {
    std::snprintf(text, sizeof(text), "%d:%02d:%02d", static_cast<int>(total / 3600),
                  static_cast<int>(total / 60 % 60), static_cast<int>(total % 60));
  } else {
    std::snprintf(text, sizeof(text), "%d:%02d", static_cast<int>(total / 60),
                  static_cast<int>(total % 60));
  }
  return text;
}

// How fast it goes and how long it takes yet, once that can be said.
std::string Pace(double elapsed_seconds, double done, std::int64_t rows) {
  if (elapsed_seconds < kPaceAfterSeconds || done <= 0) return "";
  std::string pace;
  if (rows > 0) {
    pace += "  " + Count(static_cast<std::int64_t>(static_cast<double>(rows) / elapsed_seconds)) +
            " rows/s";
  }
  return pace + "  " + Clock(elapsed_seconds * (1 - done) / done) + " left";
}

}  // namespace

ProgressDisplay::ProgressDisplay(bool enabled)
    : enabled_(enabled), is_terminal_(isatty(STDERR_FILENO) != 0) {}

void ProgressDisplay::Show(const std::string& stage, double done, std::int64_t rows) {
  if (!enabled_) return;
  if (is_terminal_) {
    ShowBar(stage, done, rows);
  } else if (seen_.insert(stage).second) {
    std::fprintf(stderr, "spuna: %s\n", Description(stage).c_str());
  }
}

void ProgressDisplay::ShowBar(const std::string& stage, double done, std::int64_t rows) {
  const auto now = std::chrono::steady_clock::now();
  if (stage != shown_stage_) stage_started_ = now;
  if (stage == shown_stage_ && now - shown_at_ < kRefresh) return;
  shown_stage_ = stage;
  shown_at_ = now;
  has_bar_ = true;
  const std::string description = Description(stage);
  if (done < 0) {
    std::fprintf(stderr, "\r\033[K%-26s …", description.c_str());
  } else {
    const int filled = static_cast<int>(done * kBarWidth);
    std::string bar(static_cast<std::size_t>(filled), '#');
    bar.resize(kBarWidth, '.');
    const std::chrono::duration<double> elapsed = now - stage_started_;
    std::fprintf(stderr, "\r\033[K%-26s [%s] %3d %%%s", description.c_str(), bar.c_str(),
                 static_cast<int>(done * 100), Pace(elapsed.count(), done, rows).c_str());
  }
  std::fflush(stderr);
}

void ProgressDisplay::Clear() {
  if (!has_bar_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  has_bar_ = false;
}

}  // namespace spuna::cli
