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
  ARROW_ASSIGN_OR_RAISE(
      auto opened, OutputDirectory::Open({targets.output, targets.overwrite, kOut}, configuration));
  outputs.directory_.emplace(std::move(opened));
  if (!targets.dropped || outputs.directory_->finished()) return outputs;
  // It is finished first, so a run may have been stopped between the two.
  ARROW_ASSIGN_OR_RAISE(auto dropped,
                        OutputDirectory::Open({*targets.dropped, targets.overwrite, kDropped},
                                              configuration, /*reopens=*/!targets.overwrite));
  outputs.dropped_directory_.emplace(std::move(dropped));
  return outputs;
}

std::optional<json> ScoreOutputs::finished() const {
  return directory_ ? directory_->finished() : std::nullopt;
}

arrow::Status ScoreOutputs::Stage(const RunState* state) {
  if (directory_) return arrow::Status::OK();
  const bool is_own = state != nullptr && state->Find(kNaming) != nullptr;
  const bool may_replace = targets_.overwrite || is_own;
  ARROW_RETURN_NOT_OK(files_.Add(kDropped, targets_.dropped, may_replace));
  return files_.Add(kOut, targets_.output, may_replace);
}

arrow::Result<LakeRecord> ScoreOutputs::Score(const ScoreRequest& request, StageClock& clock) {
  ARROW_ASSIGN_OR_RAISE(
      LakeRecord lake,
      directory_ ? ScoreIntoDirectory(request, *directory_,
                                      dropped_directory_ ? &*dropped_directory_ : nullptr, clock)
                 : ScoreIntoFile(request, *files_.Find(kOut), files_.Find(kDropped), clock));
  if (lake.files.empty()) ARROW_RETURN_NOT_OK(request.source.RequireFiles());
  return lake;
}

arrow::Status ScoreOutputs::Finish(const json& manifest, RunState* state) {
  for (auto* directory : {&dropped_directory_, &directory_}) {
    if (*directory) ARROW_RETURN_NOT_OK((*directory)->Finish(manifest));
  }
  return state == nullptr ? files_.Commit() : files_.Commit(*state, kNaming, true);
}

}  // namespace spuna
