#pragma once

#include <string>

#include "pipelines/jobs/review_run.h"
#include "pipelines/model/model.h"
#include "pipelines/monitor/monitor_report.h"
#include "pipelines/run/job_plan.h"
#include "pipelines/run/job_report.h"

namespace spuna {

/// A few aligned lines for people.
std::string Summarize(const JobReport& report, const std::string& written_to);
std::string Summarize(const JobPlan& plan);
std::string Summarize(const Evaluation& evaluation);
std::string Summarize(const MonitorReport& report);
std::string Summarize(const ReviewReport& report);
std::string Summarize(const Model& model);

}  // namespace spuna
