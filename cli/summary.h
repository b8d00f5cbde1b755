#pragma once

#include <string>

#include "pipelines/jobs/jobs.h"
#include "pipelines/jobs/plan.h"
#include "pipelines/model/model.h"
#include "pipelines/monitor/monitor.h"
#include "pipelines/score/evaluate.h"

namespace spuna::cli {

/// A few aligned lines for people.
std::string Summarize(const JobReport& report, const std::string& written_to);
std::string Summarize(const JobPlan& plan);
std::string Summarize(const Evaluation& evaluation);
std::string Summarize(const MonitorReport& report);
std::string Summarize(const Model& model);

}  // namespace spuna::cli
