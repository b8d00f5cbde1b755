#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "pipelines/options/option_list.h"

namespace spuna {

/// Larger values are surely a mistake, and would overflow what is computed from them.
inline constexpr std::int64_t kMaxCount = 1'000'000'000;

inline Range Between(std::int64_t least, std::int64_t most) {
  return {Range::Kind::kBetween, least, most};
}

/// Where an option's field is, by command. Each part is a function from the job, or from the part
/// of it that fits, to the field.
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
template <typename Job, typename At>
Field In(At at) {
  return {[at](CommandOptions& options) -> std::unique_ptr<OptionField> {
    Job* const job = std::get_if<Job>(&options.job);
    return job == nullptr ? nullptr : MakeField(at(*job));
  }};
}

/// The field in a FitJob, and in that of a CleanJob.
template <typename At>
Field InFit(At at) {
  return In<FitJob>(at).Or(In<CleanJob>([at](CleanJob& job) -> auto& { return at(job.fit); }));
}

/// The field in the options of a fit, its own or a clean's.
template <typename At>
Field InMethod(At at) {
  return InFit([at](FitJob& job) -> auto& { return at(job.options); });
}

/// The field in the options of scoring.
template <typename At>
Field InScore(At at) {
  return In<ScoreJob>([at](ScoreJob& job) -> auto& { return at(job.options); });
}

/// The field in the options that every command but `inspect` has.
template <typename At>
Field InRunning(At at) {
  return {[at](CommandOptions& options) -> std::unique_ptr<OptionField> {
    if (std::holds_alternative<InspectJob>(options.job)) return nullptr;
    return MakeField(at(options.running));
  }};
}

/// The lines of the list, by group.
std::vector<Option> InputLines();
std::vector<Option> OutputLines();
std::vector<Option> DecisionLines();
std::vector<Option> FindingsLines();
std::vector<Option> MethodLines();
std::vector<Option> TrainingLines();
std::vector<Option> ColumnLines();
std::vector<Option> RunningLines();

}  // namespace spuna
