// The Validate() of the structs in options.h and job_descriptions.h. It stands apart from them,
// since they are checked against the list of options, which knows the structs.
#include <set>
#include <utility>
#include <vector>

#include "pipelines/options/option_list.h"

namespace spuna {
namespace {

// An error when more than one is set.
arrow::Status CheckOneOf(
    const std::vector<std::pair<const char*, const std::optional<double>*>>& options) {
  const char* first = nullptr;
  for (const auto& [name, value] : options) {
    if (!*value) continue;
    if (first != nullptr) {
      return arrow::Status::Invalid("`", first, "` and `", name,
                                    "` both say which rows are dropped; choose one");
    }
    first = name;
  }
  return arrow::Status::OK();
}

// The ranges of options that a job of this kind has.
template <typename Job, typename Options>
arrow::Status CheckRangesIn(const Options& options) {
  Job job;
  job.options = options;
  CommandOptions filled;
  filled.job = std::move(job);
  return CheckRanges(filled);
}

arrow::Status CheckDropped(bool drop, const std::optional<std::string>& dropped) {
  if (drop || !dropped) return arrow::Status::OK();
  return arrow::Status::Invalid("`dropped` needs `drop`: without it no row is left out");
}

template <typename Job>
arrow::Status CheckBadFiles(const Job& job) {
  if (!job.max_bad_files || job.on_bad_file == OnBadFile::kSkip) return arrow::Status::OK();
  return arrow::Status::Invalid(
      "`max-bad-files` needs `on-bad-file` skip: without it no file is skipped");
}

// Whether these can be the columns of an output, whatever the input has.
arrow::Status CheckColumns(const std::vector<std::string>& columns) {
  if (columns.empty()) {
    return arrow::Status::Invalid(
        "`columns`: expected one or more names of columns but found none; leave it out to write "
        "all");
  }
  std::set<std::string> names;
  for (const std::string& name : columns) {
    if (name.empty()) {
      return arrow::Status::Invalid("`columns`: expected names of columns but found an empty one");
    }
    if (!names.insert(name).second) {
      return arrow::Status::Invalid("`columns`: expected every column once but found '", name,
                                    "' twice");
    }
  }
  return arrow::Status::OK();
}

arrow::Status CheckFindings(const FindingsOptions& findings, ScoreBy by) {
  const std::pair<const char*, bool> asked[] = {{"reasons", findings.reasons.has_value()},
                                                {"report", findings.report.has_value()},
                                                {"group-by", !findings.group_by.empty()}};
  for (const auto& [name, is_set] : asked) {
    if (is_set && by == ScoreBy::kNeighbors) {
      return arrow::Status::Invalid("`", name, "` needs the classifier's score");
    }
  }
  return arrow::Status::OK();
}

arrow::Status CheckBanks(const FitJob& job) {
  if (!job.keep_banks || job.model) return arrow::Status::OK();
  return arrow::Status::Invalid("`keep-banks` needs a `model` to keep them in");
}

// Labels that spread from neighbor to neighbor know no verdicts.
arrow::Status CheckReviewed(const FitJob& job) {
  if (job.reviewed.empty()) return arrow::Status::OK();
  const FitChoices choices = job.options.Choose(1, 1, 1);
  if (!choices.switches.ExpandByNeighbors()) return arrow::Status::OK();
  return arrow::Status::Invalid(
      "`reviewed` is for `targets` refined, discriminant and pool, as in `recipe` robust and fast: "
      "labels by neighbors, as in `recipe` paper, know no verdicts");
}

arrow::Status CheckDecision(const DecisionOptions& options) {
  ARROW_RETURN_NOT_OK(CheckOneOf({{"max-clean-loss", &options.max_clean_loss},
                                  {"max-false-drops", &options.max_false_drops},
                                  {"keep-share", &options.keep_share},
                                  {"threshold", &options.threshold}}));
  if (options.HasGuarantee() && options.calibration == Calibration::kNone) {
    return arrow::Status::Invalid(
        "`max-clean-loss` and `max-false-drops` need calibration rows; "
        "use `calibration` split or cross");
  }
  if (options.calibration_rows && options.ChosenCalibration() != Calibration::kSplit) {
    return arrow::Status::Invalid("`calibration-rows` is for `calibration` split");
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Status DecisionOptions::Validate() const {
  FitOptions options;
  options.decision = *this;
  return options.Validate();
}

arrow::Status FitOptions::Validate() const {
  ARROW_RETURN_NOT_OK(CheckDecision(decision));
  return CheckRangesIn<FitJob>(*this);
}

arrow::Status ScoreOptions::Validate() const {
  if (prefix.find('\0') != std::string::npos) {
    return arrow::Status::Invalid("`prefix` must not hold a zero byte");
  }
  if (columns) ARROW_RETURN_NOT_OK(CheckColumns(*columns));
  const std::pair<const char*, bool> deciding[] = {{"drop", drop},
                                                   {"p-values", p_values},
                                                   {"distances", distances},
                                                   {"far", far.has_value()},
                                                   {"threshold", threshold.has_value()},
                                                   {"max-clean-loss", max_clean_loss.has_value()}};
  for (const auto& [name, is_set] : deciding) {
    if (is_set && by == ScoreBy::kNeighbors) {
      return arrow::Status::Invalid("`", name, "` needs the classifier's score");
    }
  }
  ARROW_RETURN_NOT_OK(CheckOneOf({{"max-clean-loss", &max_clean_loss}, {"threshold", &threshold}}));
  return CheckRangesIn<ScoreJob>(*this);
}

arrow::Status MonitorOptions::Validate() const { return CheckRangesIn<MonitorJob>(*this); }

arrow::Status FitJob::Validate() const {
  ARROW_RETURN_NOT_OK(options.Validate());
  ARROW_RETURN_NOT_OK(CheckReviewed(*this));
  ARROW_RETURN_NOT_OK(CheckBadFiles(*this));
  return CheckBanks(*this);
}

arrow::Status ScoreJob::Validate() const {
  ARROW_RETURN_NOT_OK(options.Validate());
  ARROW_RETURN_NOT_OK(CheckBadFiles(*this));
  ARROW_RETURN_NOT_OK(CheckFindings(*this, options.by));
  return CheckDropped(options.drop, dropped);
}

arrow::Status CleanJob::Validate() const {
  ARROW_RETURN_NOT_OK(Fitting().Validate());
  if (p_values && fit.options.decision.calibration == Calibration::kNone) {
    return arrow::Status::Invalid(
        "`p-values` needs calibration rows; use `calibration` split or cross");
  }
  if (distances && !fit.options.ChosenFar()) {
    return arrow::Status::Invalid(
        "`distances` needs a distance, and `recipe` paper measures none unless `far` is given");
  }
  ARROW_RETURN_NOT_OK(CheckReviewed(fit));
  // A call keeps the banks in what it returns.
  if (!output.empty()) ARROW_RETURN_NOT_OK(CheckBanks(fit));
  ARROW_RETURN_NOT_OK(CheckBadFiles(fit));
  ARROW_RETURN_NOT_OK(Scoring().Validate());
  return CheckDropped(drop, dropped);
}

arrow::Status ReviewJob::Validate() const { return fit.Validate(); }

arrow::Status CommandOptions::Validate() const {
  ARROW_RETURN_NOT_OK(std::visit(
      [](const auto& described) {
        if constexpr (requires { described.Validate(); }) {
          return described.Validate();
        } else {
          return arrow::Status::OK();
        }
      },
      job));
  return CheckRanges(*this);
}

}  // namespace spuna
