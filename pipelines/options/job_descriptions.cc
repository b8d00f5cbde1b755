#include "pipelines/options/job_descriptions.h"

#include <utility>

namespace spuna {

ScoreOptions CleanJob::Scoring() const {
  ScoreOptions options;
  options.embedding = fit.options.embedding;
  options.prefix = fit.prefix;
  options.invalid = fit.options.invalid;
  options.neighbors = fit.options.neighbors;
  options.drop = drop;
  options.replace = replace;
  options.columns = columns;
  options.p_values = p_values;
  options.distances = distances;
  return options;
}

FitOptions CleanJob::Fitting() const {
  FitOptions options = fit.options;
  if (p_values && !options.decision.calibration) {
    options.decision.calibration = Calibration::kSplit;
  }
  return options;
}

CommandOptions CommandOptions::Of(Command command) {
  CommandOptions options;
  switch (command) {
    case Command::kFit:
      options.job = FitJob();
      break;
    case Command::kScore:
      options.job = ScoreJob();
      break;
    case Command::kClean:
      options.job = CleanJob();
      break;
    case Command::kReview:
      options.job = ReviewJob();
      break;
    case Command::kEvaluate:
      options.job = EvaluateJob();
      break;
    case Command::kMonitor:
      options.job = MonitorJob();
      break;
    case Command::kInspect:
      options.job = InspectJob();
      break;
  }
  return options;
}

std::string NameOf(Command command) {
  constexpr const char* kNames[] = {"fit",      "score",   "clean",  "review",
                                    "evaluate", "monitor", "inspect"};
  return kNames[static_cast<std::size_t>(command)];
}

}  // namespace spuna
