#include "pipelines/score/score_outputs.h"

#include <utility>

namespace spuna {
namespace {

using nlohmann::json;

constexpr const char* kOut = "out";
constexpr const char* kDropped = "dropped";

// The journal's entry: what exists under the names of the files from now on is our own.
constexpr const char* kNaming = "naming";

}  // namespace

arrow::Result<ScoreOutputs> ScoreOutputs::Open(const Source& source, const Targets& targets,
                                               const json& configuration) {
  ScoreOutputs outputs(targets);
  if (source.IsSingleFile()) return outputs;
  auto open = [&](const std::string& path, const char* option, const json& decides) {
    return OutputDirectory::Open({path, targets.overwrite, option, targets.remedy}, decides);
  };
  ARROW_ASSIGN_OR_RAISE(auto opened, open(targets.output, kOut, configuration));
  outputs.directory_.emplace(std::move(opened));
  if (!targets.dropped) return outputs;
  // Dropped rows belong to one output.
  json of_dropped = configuration;
  of_dropped[kOut] = StateOf(targets.output).string();
  ARROW_ASSIGN_OR_RAISE(auto dropped, open(*targets.dropped, kDropped, of_dropped));
  const OutputDirectory& kept = *outputs.directory_;
  if (dropped.manifest() && !kept.manifest() && kept.IsIdle()) {
    return arrow::Status::Invalid("`dropped`: ", *targets.dropped,
                                  ": holds the dropped rows of an output that is gone; choose ",
                                  "another name or add `", targets.remedy, "`");
  }
  outputs.dropped_directory_.emplace(std::move(dropped));
  return outputs;
}

arrow::Status ScoreOutputs::Compare(const Source& source, const Runtime& runtime) {
  return CompareLake(source, *directory_, dropped_directory_ ? &*dropped_directory_ : nullptr,
                     targets_.verify, targets_.reviews, runtime)
      .Value(&changes_);
}

bool ScoreOutputs::IsUpToDate() const {
  if (!directory_ || !directory_->manifest()) return false;
  // What a run has begun it has to end, with a manifest of its own.
  for (const auto* directory : {&directory_, &dropped_directory_}) {
    if (*directory && !(*directory)->IsIdle()) return false;
  }
  const bool prunes = targets_.prune && !(changes_.vanished.empty() && changes_.altered.empty());
  return changes_.NothingToScore() && !changes_.has_stale_records && !prunes;
}

arrow::Status ScoreOutputs::MarkSuccess() const {
  for (const auto* directory : {&dropped_directory_, &directory_}) {
    if (!*directory || (*directory)->HasSuccess()) continue;
    ARROW_RETURN_NOT_OK((*directory)->MarkSuccess());
  }
  return arrow::Status::OK();
}

arrow::Status ScoreOutputs::Stage(const RunState* state) {
  if (directory_) return arrow::Status::OK();
  const bool is_own = state != nullptr && state->Find(kNaming) != nullptr;
  const bool may_replace = targets_.overwrite || is_own;
  ARROW_RETURN_NOT_OK(files_.Add(kDropped, targets_.dropped, may_replace));
  return files_.Add(kOut, targets_.output, may_replace);
}

arrow::Result<LakeOutcome> ScoreOutputs::Score(ScoreRequest request, bool after_fit,
                                               StageClock& clock) {
  request.reviews = targets_.reviews;
  LakeOutcome outcome;
  if (directory_) {
    const LakeUpdate update{changes_, targets_.verify, targets_.prune, after_fit};
    ARROW_ASSIGN_OR_RAISE(
        outcome, ScoreIntoDirectory(request, update, *directory_,
                                    dropped_directory_ ? &*dropped_directory_ : nullptr, clock));
  } else {
    ARROW_ASSIGN_OR_RAISE(outcome.lake,
                          ScoreIntoFile(request, *files_.Find(kOut), files_.Find(kDropped), clock));
  }
  if (outcome.lake.files.empty()) ARROW_RETURN_NOT_OK(request.source.RequireFiles());
  return outcome;
}

arrow::Status ScoreOutputs::Finish(const json& manifest, RunState* state) {
  // Both or none are marked: they take their places one after the other.
  if (directory_ && dropped_directory_) ARROW_RETURN_NOT_OK(directory_->Unmark());
  for (auto* directory : {&dropped_directory_, &directory_}) {
    if (*directory) ARROW_RETURN_NOT_OK((*directory)->Finish(manifest));
  }
  return state == nullptr ? files_.Commit() : files_.Commit(*state, kNaming, true);
}

}  // namespace spuna
