#pragma once

#include <string>

#include "pipelines/evaluate.h"
#include "pipelines/jobs.h"
#include "pipelines/model.h"
#include "pipelines/monitor.h"
#include "pipelines/plan.h"

namespace spuna::cli {

/// A few aligned lines for people.
std::string Summarize(const JobReport& report, const std::string& written_to);
std::string Summarize(const JobPlan& plan);
std::string Summarize(const Evaluation& evaluation);
std::string Summarize(const MonitorReport& report);
std::string Summarize(const Model& model);

}  // namespace spuna::cli
