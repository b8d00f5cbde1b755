#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pipelines/options/option.h"

namespace spuna {

/// Larger values are surely a mistake, and would overflow what is computed from them.
inline constexpr std::int64_t kMaxCount = 1'000'000'000;

inline Range Between(std::int64_t least, std::int64_t most) {
  return {Range::Kind::kBetween, least, most};
}

/// Where an option's field is, by command.
struct Field {
  std::function<std::unique_ptr<OptionField>(CommandOptions&)> find;

  std::unique_ptr<OptionField> operator()(CommandOptions& options) const { return find(options); }

  /// One that looks here first, then there.
  Field Or(Field other) const {
    return {[first = find, second = std::move(other.find)](CommandOptions& options) {
      auto field = first(options);
      return field != nullptr ? std::move(field) : second(options);
    }};
  }
};

/// The field in jobs of one type.
template <typename Job, typename T>
Field In(T Job::* member) {
  return {[member](CommandOptions& options) -> std::unique_ptr<OptionField> {
    Job* const job = std::get_if<Job>(&options.job);
    return job == nullptr ? nullptr : MakeField(job->*member);
  }};
}

/// The field in a part of jobs of one type.
template <typename Job, typename Part, typename T>
Field InPart(Part Job::* part, T Part::* member) {
  return {[part, member](CommandOptions& options) -> std::unique_ptr<OptionField> {
    Job* const job = std::get_if<Job>(&options.job);
    return job == nullptr ? nullptr : MakeField(job->*part.*member);
  }};
}

/// The field in the FitJob of a CleanJob; in a FitJob, its own or a clean's.
template <typename T>
Field InCleansFit(T FitJob::* member) {
  return InPart(&CleanJob::fit, member);
}
template <typename T>
Field InFit(T FitJob::* member) {
  return In(member).Or(InCleansFit(member));
}

/// The field in the FitJob of a ReviewJob, and in any FitJob.
template <typename T>
Field InReviewsFit(T FitJob::* member) {
  return InPart(&ReviewJob::fit, member);
}
template <typename T>
Field InAnyFit(T FitJob::* member) {
  return InFit(member).Or(InReviewsFit(member));
}

/// The options of the fit of a job; null where it has none.
inline FitOptions* MethodOf(CommandOptions& options) {
  if (auto* const fit = std::get_if<FitJob>(&options.job)) return &fit->options;
  if (auto* const clean = std::get_if<CleanJob>(&options.job)) return &clean->fit.options;
  if (auto* const review = std::get_if<ReviewJob>(&options.job)) return &review->fit.options;
  return nullptr;
}

/// The field in the options of a fit; in those of scoring; of watching.
template <typename T>
Field InMethod(T FitOptions::* member) {
  return {[member](CommandOptions& options) -> std::unique_ptr<OptionField> {
    FitOptions* const method = MethodOf(options);
    return method == nullptr ? nullptr : MakeField(method->*member);
  }};
}
template <typename T>
Field InScore(T ScoreOptions::* member) {
  return InPart(&ScoreJob::options, member);
}
template <typename T>
Field InMonitor(T MonitorOptions::* member) {
  return InPart(&MonitorJob::options, member);
}

/// The field in what a clean, or scoring, finds out about its rows.
template <typename Job, typename T>
Field InFindings(T FindingsOptions::* member) {
  return {[member](CommandOptions& options) -> std::unique_ptr<OptionField> {
    Job* const job = std::get_if<Job>(&options.job);
    return job == nullptr ? nullptr : MakeField(job->*member);
  }};
}

/// The field in the decision of a fit.
template <typename T>
Field InDecision(T DecisionOptions::* member) {
  return {[member](CommandOptions& options) -> std::unique_ptr<OptionField> {
    FitOptions* const method = MethodOf(options);
    return method == nullptr ? nullptr : MakeField(method->decision.*member);
  }};
}

/// The field in the options that every command but `inspect` has.
template <typename T>
Field InRunning(T RunningOptions::* member) {
  return {[member](CommandOptions& options) -> std::unique_ptr<OptionField> {
    if (std::holds_alternative<InspectJob>(options.job)) return nullptr;
    return MakeField(options.running.*member);
  }};
}

/// Lines under one heading.
std::vector<Option> InGroup(const std::string& group, std::vector<Option> lines);

/// The lines of the list, by group.
std::vector<Option> InputLines();
std::vector<Option> FileNameLines();
std::vector<Option> OutputLines();
std::vector<Option> LayoutLines();
std::vector<Option> OutputColumnLines();
std::vector<Option> UpdateLines();
std::vector<Option> DecisionLines();
std::vector<Option> FarLines();
std::vector<Option> FindingsLines();
std::vector<Option> ReviewLines();
std::vector<Option> MethodLines();
std::vector<Option> TrainingLines();
std::vector<Option> ColumnLines();
std::vector<Option> RunningLines();

}  // namespace spuna
