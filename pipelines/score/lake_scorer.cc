#include "pipelines/score/lake_scorer.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "pipelines/score/file_scorer.h"
#include "pipelines/source/retries.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;
std::int64_t SizeOf(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  return error ? 0 : static_cast<std::int64_t>(size);
}

// Scores file after file, and reports how far it has come by rows.
class LakeScorer {
 public:
  LakeScorer(const ScoreRequest& request, std::shared_ptr<const PreparedModel> model,
             StageClock& clock)
      : request_(request),
        clock_(clock),
        total_rows_(static_cast<double>(std::max<std::int64_t>(request.source.num_rows(), 1))),
        scorer_(std::move(model), request.source.embedding(), clock.runtime()) {
    Report(0);
  }

  // Scores the file with this number.
  FileOutcome Score(std::size_t file, const FileTarget& kept,
                    const std::optional<FileTarget>& dropped) {
    const arrow_io::InputFile& input = request_.source.files()[file];
    FileOutcome outcome;
    const arrow::Status tried = RetryMayPass(clock_.runtime(), input, [&] {
      outcome = scorer_.Score(
          input, kept, dropped, [&](std::int64_t done) { Report(rows_done_ + done); },
          request_.ReviewsOf(file));
      // A file that has changed stays so for this run.
      const bool may_pass = outcome.is_input_error && input.CheckUnchanged().ok();
      return may_pass ? outcome.status : arrow::Status::OK();
    });
    if (!tried.ok()) outcome.status = tried;
    Pass(file);
    return outcome;
  }

  // Counts a file as done.
  void Pass(std::size_t file) { rows_done_ += request_.source.RowsOf(file); }

  // What is recorded of a file that was scored.
  FileRecord Describe(std::size_t file, const RowCounts& counts, const FileTarget& kept,
                      const std::optional<FileTarget>& dropped) const {
    FileRecord record;
    record.counts = counts;
    const ScoreOptions& options = request_.options;
    const bool drops_invalid = options.drop || options.invalid == InvalidRows::kDrop;
    record.rows_out =
        counts.in - (options.drop ? counts.dropped : 0) - (drops_invalid ? counts.invalid : 0);
    record.bytes_in = request_.source.files()[file].stamp.size;
    record.bytes_out = SizeOf(kept.path);
    if (dropped) record.bytes_dropped = SizeOf(dropped->path);
    return record;
  }

 private:
  void Report(std::int64_t rows) {
    clock_.Report("score", std::min(static_cast<double>(rows) / total_rows_, 1.0), rows);
  }

  const ScoreRequest& request_;
  StageClock& clock_;
  // Summed over all files once, not at every report.
  double total_rows_;
  FileScorer scorer_;
  std::int64_t rows_done_ = 0;
};

// Scores one file of a lake into directories; none where it is a bad file that is skipped.
arrow::Result<std::optional<FileRecord>> ScoreFile(const ScoreRequest& request,
                                                   const LakeUpdate& update, std::size_t file,
                                                   LakeScorer& scorer, OutputDirectory& kept,
                                                   const OutputDirectory* dropped) {
  const arrow_io::InputFile& input = request.source.files()[file];
  const fs::path& relative_path = input.relative_path;
  const FileTarget target{kept.Staging(), (kept.path() / relative_path).string()};
  std::optional<FileTarget> dropped_target;
  if (dropped != nullptr) {
    dropped_target = {dropped->Staging(), (dropped->path() / relative_path).string()};
  }
  const FileOutcome outcome = scorer.Score(file, target, dropped_target);
  if (!outcome.status.ok()) {
    if (!outcome.is_input_error) return outcome.status;
    ARROW_RETURN_NOT_OK(request.source.bad_files().Take(input, outcome.status));
    return std::nullopt;
  }
  FileRecord record = scorer.Describe(file, outcome.counts, target, dropped_target);
  const auto lost = update.changes.lost.find(relative_path.string());
  record.after_fit = lost != update.changes.lost.end() ? lost->second.after_fit : update.after_fit;
  if (record.counts.in != request.source.RowsOf(file)) {
    return arrow::Status::Invalid(input.name, ": of ", request.source.RowsOf(file), " rows ",
                                  record.counts.in, " were scored; this is a fault of spuna's");
  }
  record.reviews = HashOf(request.ReviewsOf(file));
  ARROW_RETURN_NOT_OK(AddIdentity(input, target.path,
                                  dropped_target ? dropped_target->path : fs::path(), update.verify,
                                  record));
  // Before the outputs have their names: a kill in between leaves a record without its output,
  // which is made again, and never an output that nobody knows.
  ARROW_RETURN_NOT_OK(
      kept.state().Record(JournalKey(relative_path.string()), ToJson(record, request.options.by)));
  if (dropped != nullptr) ARROW_RETURN_NOT_OK(dropped->Commit(relative_path));
  ARROW_RETURN_NOT_OK(kept.Commit(relative_path));
  return record;
}

arrow::Status RemoveOutputs(const std::string& path, const OutputDirectory& kept,
                            const OutputDirectory* dropped) {
  if (dropped != nullptr) ARROW_RETURN_NOT_OK(dropped->Remove(path));
  return kept.Remove(path);
}

// Removes the outputs of vanished files where that is asked for.
arrow::Status Prune(const LakeUpdate& update, const OutputDirectory& kept,
                    const OutputDirectory* dropped, LakeOutcome& outcome) {
  outcome.vanished = update.changes.vanished;
  outcome.altered = update.changes.altered;
  outcome.counts.vanished = outcome.vanished.size() + outcome.altered.size();
  if (!update.prune) return arrow::Status::OK();
  for (auto* const files : {&outcome.vanished, &outcome.altered}) {
    for (const auto& [path, unused] : *files) {
      ARROW_RETURN_NOT_OK(RemoveOutputs(path, kept, dropped));
      ++outcome.counts.pruned;
    }
    files->clear();
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<LakeRecord> ScoreIntoFile(const ScoreRequest& request,
                                        const arrow_io::StagedOutput& kept,
                                        const arrow_io::StagedOutput* dropped, StageClock& clock) {
  ARROW_ASSIGN_OR_RAISE(auto model, PreparedModel::Make(request.model, request.options));
  LakeScorer scorer(request, std::move(model), clock);
  const FileTarget target{kept.path(), kept.target().string()};
  std::optional<FileTarget> dropped_target;
  if (dropped != nullptr) dropped_target = {dropped->path(), dropped->target().string()};
  const FileOutcome outcome = scorer.Score(0, target, dropped_target);
  ARROW_RETURN_NOT_OK(outcome.status);
  LakeRecord lake;
  lake.total = scorer.Describe(0, outcome.counts, target, dropped_target);
  lake.files[request.source.files().front().relative_path.string()] = lake.total;
  clock.Pause();
  return lake;
}

arrow::Result<LakeOutcome> ScoreIntoDirectory(const ScoreRequest& request, const LakeUpdate& update,
                                              OutputDirectory& kept, OutputDirectory* dropped,
                                              StageClock& clock) {
  ARROW_ASSIGN_OR_RAISE(auto model, PreparedModel::Make(request.model, request.options));
  LakeScorer scorer(request, std::move(model), clock);
  ARROW_RETURN_NOT_OK(kept.Begin());
  if (dropped != nullptr) ARROW_RETURN_NOT_OK(dropped->Begin());
  LakeOutcome outcome;
  FileCounts& counts = outcome.counts;
  ARROW_RETURN_NOT_OK(Prune(update, kept, dropped, outcome));
  counts.listed = request.source.files().size();
  for (std::size_t i = 0; i < counts.listed; ++i) {
    ARROW_RETURN_NOT_OK(clock.runtime().CheckStop());
    const arrow_io::InputFile& file = request.source.files()[i];
    const std::string path = file.relative_path.string();
    const bool is_unchanged = update.changes.Of(file) == FileChange::kUnchanged;
    std::optional<FileRecord> record;
    if (is_unchanged) {
      record = update.changes.unchanged.at(path);
      counts.rows_unchanged += record->counts.in;
      ++counts.unchanged;
      scorer.Pass(i);
    } else if (!request.source.IsBad(i)) {
      ARROW_ASSIGN_OR_RAISE(record, ScoreFile(request, update, i, scorer, kept, dropped));
    }
    if (!record) {
      ++counts.skipped;
      ARROW_RETURN_NOT_OK(RemoveOutputs(path, kept, dropped));
      continue;
    }
    if (!is_unchanged) {
      counts.rows_scored += record->counts.in;
      ++counts.scored;
    }
    outcome.lake.total += *record;
    outcome.lake.files[path] = *std::move(record);
  }
  clock.Pause();
  return outcome;
}

}  // namespace spuna
