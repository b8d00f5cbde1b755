#include "pipelines/run/job_plan.h"

#include <nlohmann/json.hpp>

#include "pipelines/run/job_report.h"

namespace spuna {

using nlohmann::json;

json ToJson(const JobPlan& plan) {
  json outputs = json::array();
  for (const JobPlan::Output& output : plan.outputs) {
    outputs.push_back({{"path", output.path}, {"kind", output.kind}});
  }
  json described = {{"files", plan.num_files},
                    {"rows", plan.num_rows},
                    {"bytes", plan.num_bytes},
                    {"dimension", plan.dimension},
                    {"outputs", outputs},
                    {"memory_bytes", json::object()},
                    {"free_memory_bytes", plan.free_memory},
                    {"skipped", SkippedToJson(plan.skipped)},
                    {"was_done", plan.was_done}};
  auto add = [](json& to, const char* key, const auto& value) {
    if (value) to[key] = *value;
  };
  add(described, "fit_rows", plan.fit_rows);
  add(described, "bytes_to_write", plan.bytes_to_write);
  add(described, "free_disk_bytes", plan.free_disk_bytes);
  add(described["memory_bytes"], "fit", plan.fit_memory);
  add(described["memory_bytes"], "score", plan.score_memory);
  described["seconds"] = {{"total", plan.fit_seconds.value_or(0) + plan.score_seconds.value_or(0)}};
  add(described["seconds"], "fit", plan.fit_seconds);
  add(described["seconds"], "score", plan.score_seconds);
  return described;
}

}  // namespace spuna
