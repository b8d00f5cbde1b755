#include "cli/progress_display.h"

#include <unistd.h>

#include <cstdio>
#include <map>

namespace spuna::cli {
namespace {

constexpr int kBarWidth = 30;
constexpr auto kRefresh = std::chrono::milliseconds(100);

std::string Description(const std::string& stage) {
  static const std::map<std::string, std::string> descriptions = {
      {"read", "reading embeddings"},
      {"seed", "finding seeds"},
      {"expand", "expanding labels"},
      {"entropy", "measuring entropy"},
      {"neighbor_score", "scoring by neighbors"},
      {"distill", "distilling the classifier"},
      {"score", "scoring and writing rows"},
      {"write", "writing the model"}};
  const auto it = descriptions.find(stage);
  return it == descriptions.end() ? stage : it->second;
}

}  // namespace

ProgressDisplay::ProgressDisplay(bool enabled)
    : enabled_(enabled), is_terminal_(isatty(STDERR_FILENO) != 0) {}

void ProgressDisplay::Show(const std::string& stage, double done) {
  if (!enabled_) return;
  if (is_terminal_) {
    ShowBar(stage, done);
  } else if (seen_.insert(stage).second) {
    std::fprintf(stderr, "spuna: %s\n", Description(stage).c_str());
  }
}

void ProgressDisplay::ShowBar(const std::string& stage, double done) {
  const auto now = std::chrono::steady_clock::now();
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
    std::fprintf(stderr, "\r\033[K%-26s [%s] %3d %%", description.c_str(), bar.c_str(),
                 static_cast<int>(done * 100));
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
