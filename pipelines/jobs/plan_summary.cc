// Summarize of summary.h for plans.
#include "pipelines/jobs/aligned_lines.h"
#include "pipelines/jobs/summary.h"
#include "pipelines/run/number_words.h"

namespace spuna {
namespace {

// 20480000000 as "20.5 GB".
std::string Bytes(double bytes) {
  if (bytes >= 1e12) return Format("%.1f TB", bytes / 1e12);
  if (bytes >= 1e9) return Format("%.1f GB", bytes / 1e9);
  return Format(bytes >= 1e7 ? "%.0f MB" : "%.1f MB", bytes / 1e6);
}

std::string Time(double seconds) {
  if (seconds >= 5400) return Format("%.1f hours", seconds / 3600);
  if (seconds >= 90) return Format("%.0f minutes", seconds / 60);
  return Format(seconds >= 10 ? "%.0f seconds" : "%.1f seconds", seconds);
}

}  // namespace

std::string Summarize(const JobPlan& plan) {
  Lines lines;
  lines.emplace_back("rows", Count(plan.num_rows) + " of dimension " + Count(plan.dimension) +
                                 " in " + Count(static_cast<std::int64_t>(plan.num_files)) +
                                 (plan.num_files == 1 ? " file, " : " files, ") +
                                 Bytes(static_cast<double>(plan.num_bytes)));
  if (!plan.skipped.empty()) {
    lines.emplace_back("files skipped",
                       Count(static_cast<std::int64_t>(plan.skipped.size())) +
                           ": can't be read; the first: " + plan.skipped.begin()->second.reason);
  }
  if (plan.fit_rows) {
    lines.emplace_back("fit on", Count(*plan.fit_rows) + " rows of the pool" +
                                     (*plan.fit_rows < plan.num_rows ? ", a sample" : ""));
  }
  std::string memory;
  auto add_memory = [&](const char* part, const std::optional<std::int64_t>& bytes) {
    if (!bytes) return;
    memory += (memory.empty() ? "" : ", ") + std::string(part) + " up to " +
              Bytes(static_cast<double>(*bytes));
  };
  add_memory("fit", plan.fit_memory);
  add_memory("score", plan.score_memory);
  lines.emplace_back("memory", memory + "; " + Bytes(plan.free_memory) + " are free");
  std::string time;
  auto add_time = [&](const char* part, const std::optional<double>& seconds) {
    if (seconds)
      time += (time.empty() ? "" : ", ") + std::string(part) + " about " + Time(*seconds);
  };
  add_time("fit", plan.fit_seconds);
  add_time("score", plan.score_seconds);
  lines.emplace_back("time", time);
  if (plan.bytes_to_write) {
    lines.emplace_back(
        "disk", "about " + Bytes(static_cast<double>(*plan.bytes_to_write)) + " to write" +
                    (plan.free_disk_bytes
                         ? "; " + Bytes(static_cast<double>(*plan.free_disk_bytes)) + " are free"
                         : ""));
  }
  for (const JobPlan::Output& output : plan.outputs) {
    lines.emplace_back("would write", output.path + " (" + output.kind + ")");
  }
  if (plan.was_done) {
    lines.emplace_back("nothing to do", "an earlier run has finished this output");
  }
  return Align(lines);
}

}  // namespace spuna
