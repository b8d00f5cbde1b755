#include "pipelines/jobs/review_rows.h"

#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "arrow_io/table_output.h"
#include "pipelines/fit/stream_fit.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/source/row_texts.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIdColumn = "id";

// A directory of its own, which goes with everything in it.
class ScratchDirectory {
 public:
  static arrow::Result<ScratchDirectory> Make() {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    std::string name = (parent / "spuna-review-XXXXXX").string();
    if (error || mkdtemp(name.data()) == nullptr) {
      return arrow::Status::IOError("no temporary directory can be made in ", parent.string(),
                                    " (TMPDIR): ", error ? error.message() : std::strerror(errno));
    }
    return ScratchDirectory(name);
  }
  ScratchDirectory(ScratchDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchDirectory& operator=(ScratchDirectory&&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  explicit ScratchDirectory(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

// A stream as a file whose rows have an id: their own, or the number that names them in streams.
class StreamFile {
 public:
  static arrow::Status Write(arrow::RecordBatchReader& reader, const std::string& asked_id,
                             const fs::path& path, const std::string& name, StageClock& clock) {
    StreamFile file(*reader.schema(), asked_id);
    ARROW_ASSIGN_OR_RAISE(const auto output,
                          arrow_io::TableOutput::Create(path, name, file.schema_));
    std::shared_ptr<arrow::RecordBatch> batch;
    while (true) {
      ARROW_RETURN_NOT_OK(clock.runtime().CheckStop());
      ARROW_RETURN_NOT_OK(reader.ReadNext(&batch));
      if (batch == nullptr) return output->Close();
      ARROW_ASSIGN_OR_RAISE(batch, file.WithIds(std::move(batch)));
      ARROW_RETURN_NOT_OK(output->Write(*batch));
    }
  }

 private:
  StreamFile(const arrow::Schema& schema, const std::string& asked_id) {
    needs_ids_ = asked_id.empty() && !ResolveIdColumn(schema, asked_id).IsIn(schema);
    arrow::FieldVector fields;
    for (int i = 0; i < schema.num_fields(); ++i) {
      if (needs_ids_ && schema.field(i)->name() == kIdColumn) continue;
      kept_.push_back(i);
      fields.push_back(schema.field(i));
    }
    if (needs_ids_) fields.push_back(arrow::field(kIdColumn, arrow::utf8()));
    schema_ = arrow::schema(std::move(fields), schema.metadata());
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> WithIds(
      std::shared_ptr<arrow::RecordBatch> batch) {
    if (!needs_ids_) return batch;
    arrow::ArrayVector columns;
    for (const int i : kept_) columns.push_back(batch->column(i));
    arrow::StringBuilder ids;
    for (std::int64_t i = 0; i < batch->num_rows(); ++i) {
      ARROW_RETURN_NOT_OK(ids.Append(PlaceInStream(num_rows_++)));
    }
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), ids.Finish());
    return arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(columns));
  }

  bool needs_ids_ = false;
  std::vector<int> kept_;
  std::shared_ptr<arrow::Schema> schema_;
  std::int64_t num_rows_ = 0;
};

// A message about the streams, where it is about the files that hold them.
arrow::Status InStreamWords(const arrow::Status& status, const fs::path& trusted,
                            const fs::path& pool) {
  if (status.ok()) return status;
  std::string message = MessageOf(status);
  const std::pair<std::string, std::string> words[] = {
      {trusted.string(), kTrustedStream},
      {pool.string(), kPoolStream},
      {trusted.filename().string(), kTrustedStream},
      {pool.filename().string(), kPoolStream}};
  for (const auto& [path, word] : words) {
    for (std::size_t at = message.find(path); at != std::string::npos;
         at = message.find(path, at + word.size())) {
      message.replace(at, path.size(), word);
    }
  }
  return status.WithMessage(message);
}

}  // namespace

arrow::Result<ReviewReport> ReviewRows(arrow::RecordBatchReader* trusted,
                                       arrow::RecordBatchReader& pool, const ReviewJob& job,
                                       const Model* model, StageClock& clock) {
  ARROW_ASSIGN_OR_RAISE(const ScratchDirectory scratch, ScratchDirectory::Make());
  const fs::path trusted_file = scratch / "trusted.parquet";
  const fs::path pool_file = scratch / "pool.parquet";
  ReviewJob of_files = job;
  of_files.fit.pool = {pool_file.string()};
  of_files.fit.trusted.clear();
  if (trusted != nullptr) {
    of_files.fit.trusted = {trusted_file.string()};
    ARROW_RETURN_NOT_OK(
        StreamFile::Write(*trusted, /*asked_id=*/"", trusted_file, kTrustedStream, clock));
  }
  ARROW_RETURN_NOT_OK(StreamFile::Write(pool, job.id, pool_file, kPoolStream, clock));
  arrow::Result<ReviewReport> report = RunReview(of_files, model, clock);
  if (!report.ok()) return InStreamWords(report.status(), trusted_file, pool_file);
  report->list.pool_name = "the pool";
  for (auto* const items : {&report->list.rows, &report->list.answered}) {
    for (ReviewItem& item : *items) item.file.clear();
  }
  return report;
}

}  // namespace spuna
