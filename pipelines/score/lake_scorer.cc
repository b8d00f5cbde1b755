#include "pipelines/score/lake_scorer.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "arrow_io/parquet_input.h"
#include "pipelines/score/file_scorer.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

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
    const std::int64_t before = rows_done_;
    FileOutcome outcome = scorer_.Score(request_.source.files()[file], kept, dropped,
                                        [&](std::int64_t done) { Report(before + done); });
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

// Whether a file was scored by an earlier run, and is there as it was written.
std::optional<FileRecord> FindDone(OutputDirectory& kept, OutputDirectory* dropped,
                                   const std::string& key, const fs::path& relative_path) {
  const json* const recorded = kept.state().Find(key);
  if (recorded == nullptr) return std::nullopt;
  const FileRecord record = FileRecordFrom(*recorded);
  if (!kept.Holds(relative_path, record.bytes_out)) return std::nullopt;
  if (dropped != nullptr && !dropped->Holds(relative_path, record.bytes_dropped)) {
    return std::nullopt;
  }
  const auto parquet = arrow_io::ParquetInput::Open(kept.path() / relative_path);
  if (!parquet.ok() || (*parquet)->num_rows() != record.rows_out) return std::nullopt;
  return record;
}

// Scores one file of a lake into directories; none where it is a bad file that is skipped.
arrow::Result<std::optional<FileRecord>> ScoreFile(const ScoreRequest& request, std::size_t file,
                                                   LakeScorer& scorer, OutputDirectory& kept,
                                                   OutputDirectory* dropped) {
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
  const FileRecord record = scorer.Describe(file, outcome.counts, target, dropped_target);
  if (dropped != nullptr) ARROW_RETURN_NOT_OK(dropped->Commit(relative_path));
  ARROW_RETURN_NOT_OK(kept.Commit(relative_path));
  return record;
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

arrow::Result<LakeRecord> ScoreIntoDirectory(const ScoreRequest& request, OutputDirectory& kept,
                                             OutputDirectory* dropped, StageClock& clock) {
  ARROW_ASSIGN_OR_RAISE(auto model, PreparedModel::Make(request.model, request.options));
  LakeScorer scorer(request, std::move(model), clock);
  ARROW_RETURN_NOT_OK(kept.Begin());
  if (dropped != nullptr) ARROW_RETURN_NOT_OK(dropped->Begin());
  LakeRecord lake;
  for (std::size_t i = 0; i < request.source.files().size(); ++i) {
    ARROW_RETURN_NOT_OK(clock.runtime().CheckStop());
    if (request.source.IsBad(i)) continue;
    const fs::path& relative_path = request.source.files()[i].relative_path;
    const std::string key = "file:" + relative_path.string();
    std::optional<FileRecord> record = FindDone(kept, dropped, key, relative_path);
    if (record) {
      scorer.Pass(i);
    } else {
      ARROW_ASSIGN_OR_RAISE(record, ScoreFile(request, i, scorer, kept, dropped));
      if (!record) continue;
      ARROW_RETURN_NOT_OK(kept.state().Record(key, ToJson(*record, request.options.by)));
    }
    lake.files[relative_path.string()] = *record;
    lake.total += *record;
  }
  clock.Pause();
  return lake;
}

}  // namespace spuna
