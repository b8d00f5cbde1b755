#include "pipelines/score/score_output.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "pipelines/matrix/embedding_matrix.h"
#include "pipelines/score/appended_columns.h"
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
  static arrow::Result<std::unique_ptr<LakeScorer>> Make(const ScoreRequest& request,
                                                         StageClock& clock) {
    ARROW_ASSIGN_OR_RAISE(RowScorer scorer, RowScorer::Make(request.model, request.options));
    ARROW_ASSIGN_OR_RAISE(
        std::string embedding,
        ResolveEmbeddingColumn(request.input, request.options.embedding,
                               request.model.options.embedding, &request.bad_files));
    return std::unique_ptr<LakeScorer>(
        new LakeScorer(request, std::move(scorer), std::move(embedding), clock));
  }

  // Scores the file with this number.
  FileScore Score(std::size_t file, const FileTarget& kept,
                  const std::optional<FileTarget>& dropped) {
    const std::int64_t before = rows_done_;
    FileScore score = scorer_.Score(request_.input.files[file], kept, dropped,
                                    [&](std::int64_t done) { Report(before + done); });
    Pass(file);
    return score;
  }

  // Counts a file as done.
  void Pass(std::size_t file) { rows_done_ += request_.survey.num_rows[file]; }

  // What a file that was scored is recorded with.
  ScoredFile Describe(std::size_t file, const RowCounts& counts, const FileTarget& kept,
                      const std::optional<FileTarget>& dropped) const {
    ScoredFile scored;
    scored.counts = counts;
    const ScoreOptions& options = request_.options;
    scored.rows_out = counts.in - (options.drop ? counts.dropped : 0) -
                      (options.invalid == InvalidRows::kDrop ? counts.invalid : 0);
    scored.bytes_in = request_.input.files[file].stamp.size;
    scored.bytes_out = SizeOf(kept.path);
    if (dropped) scored.bytes_dropped = SizeOf(dropped->path);
    return scored;
  }

 private:
  LakeScorer(const ScoreRequest& request, RowScorer row_scorer, std::string embedding,
             StageClock& clock)
      : request_(request),
        clock_(clock),
        row_scorer_(std::move(row_scorer)),
        embedding_(std::move(embedding)),
        scorer_(row_scorer_, embedding_, request.options, clock.runtime()) {
    Report(0);
  }

  void Report(std::int64_t rows) {
    const auto total = static_cast<double>(std::max<std::int64_t>(request_.survey.total_rows, 1));
    clock_.Report("score", std::min(static_cast<double>(rows) / total, 1.0), rows);
  }

  const ScoreRequest& request_;
  StageClock& clock_;
  RowScorer row_scorer_;
  std::string embedding_;
  FileScorer scorer_;
  std::int64_t rows_done_ = 0;
};

// Whether a file was scored by an earlier run, and is there as it was written.
std::optional<ScoredFile> FindDone(OutputDirectory& kept, OutputDirectory* dropped,
                                   const std::string& key, const fs::path& relative_path) {
  const json* const recorded = kept.state().Find(key);
  if (recorded == nullptr) return std::nullopt;
  const ScoredFile scored = ScoredFileFrom(*recorded);
  if (!kept.Holds(relative_path, scored.bytes_out)) return std::nullopt;
  if (dropped != nullptr && !dropped->Holds(relative_path, scored.bytes_dropped)) {
    return std::nullopt;
  }
  const auto parquet = arrow_io::ParquetInput::Open(kept.path() / relative_path);
  if (!parquet.ok() || (*parquet)->num_rows() != scored.rows_out) return std::nullopt;
  return scored;
}

}  // namespace

ScoredFile& ScoredFile::operator+=(const ScoredFile& other) {
  counts += other.counts;
  rows_out += other.rows_out;
  bytes_in += other.bytes_in;
  bytes_out += other.bytes_out;
  bytes_dropped += other.bytes_dropped;
  return *this;
}

json ToJson(const ScoredFile& file, ScoreBy by) {
  json described = {{"rows_in", file.counts.in},
                    {"rows_out", file.rows_out},
                    {"rows_invalid", file.counts.invalid},
                    {"bytes_in", file.bytes_in},
                    {"bytes_out", file.bytes_out}};
  if (by == ScoreBy::kClassifier) {
    described["rows_kept"] = file.counts.kept;
    described["rows_dropped"] = file.counts.dropped;
  }
  if (file.bytes_dropped > 0) described["bytes_dropped"] = file.bytes_dropped;
  return described;
}

ScoredFile ScoredFileFrom(const json& from) {
  auto number = [&](const char* key) {
    const auto found = from.find(key);
    return found != from.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
  };
  ScoredFile file;
  file.counts = {number("rows_in"), number("rows_kept"), number("rows_dropped"),
                 number("rows_invalid")};
  file.rows_out = number("rows_out");
  file.bytes_in = number("bytes_in");
  file.bytes_out = number("bytes_out");
  file.bytes_dropped = number("bytes_dropped");
  return file;
}

arrow::Status CheckScoreColumns(const arrow_io::ParquetInput& input, const ScoreOptions& options) {
  return AppendFields(*input.schema(), RowScorer::Fields(options), input.name()).status();
}

arrow::Result<ScoreResult> ScoreIntoFile(const ScoreRequest& request,
                                         const arrow_io::StagedOutput& kept,
                                         const arrow_io::StagedOutput* dropped, StageClock& clock) {
  ARROW_ASSIGN_OR_RAISE(const auto scorer, LakeScorer::Make(request, clock));
  const FileTarget target{kept.path(), kept.target().string()};
  std::optional<FileTarget> dropped_target;
  if (dropped != nullptr) dropped_target = {dropped->path(), dropped->target().string()};
  const FileScore score = scorer->Score(0, target, dropped_target);
  ARROW_RETURN_NOT_OK(score.status);
  ScoreResult result;
  result.total = scorer->Describe(0, score.counts, target, dropped_target);
  result.files[request.input.files.front().relative_path.string()] = result.total;
  clock.Pause();
  return result;
}

arrow::Result<ScoreResult> ScoreIntoDirectory(const ScoreRequest& request, OutputDirectory& kept,
                                              OutputDirectory* dropped, StageClock& clock) {
  ARROW_ASSIGN_OR_RAISE(const auto scorer, LakeScorer::Make(request, clock));
  ARROW_RETURN_NOT_OK(kept.Begin());
  if (dropped != nullptr) ARROW_RETURN_NOT_OK(dropped->Begin());
  ScoreResult result;
  for (std::size_t i = 0; i < request.input.files.size(); ++i) {
    if (clock.runtime().ShouldStop()) return arrow::Status::Cancelled("interrupted");
    const arrow_io::InputFile& file = request.input.files[i];
    if (request.bad_files.Has(file)) continue;
    const fs::path& relative_path = file.relative_path;
    const std::string key = "file:" + relative_path.string();
    std::optional<ScoredFile> scored = FindDone(kept, dropped, key, relative_path);
    if (scored) {
      scorer->Pass(i);
    } else {
      const FileTarget target{kept.Staging(), (kept.path() / relative_path).string()};
      std::optional<FileTarget> dropped_target;
      if (dropped != nullptr) {
        dropped_target = {dropped->Staging(), (dropped->path() / relative_path).string()};
      }
      const FileScore score = scorer->Score(i, target, dropped_target);
      if (!score.status.ok()) {
        if (!score.is_input_error) return score.status;
        ARROW_RETURN_NOT_OK(request.bad_files.Take(file, score.status));
        continue;
      }
      scored = scorer->Describe(i, score.counts, target, dropped_target);
      if (dropped != nullptr) ARROW_RETURN_NOT_OK(dropped->Commit(relative_path));
      ARROW_RETURN_NOT_OK(kept.Commit(relative_path));
      ARROW_RETURN_NOT_OK(kept.state().Record(key, ToJson(*scored, request.options.by)));
    }
    result.files[relative_path.string()] = *scored;
    result.total += *scored;
  }
  clock.Pause();
  return result;
}

}  // namespace spuna
