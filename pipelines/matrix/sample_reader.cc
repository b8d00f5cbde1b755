// ReadSampledRows of source_rows.h: reads a sample of the rows of many files. The files are opened
// a few at a time, and their row groups are read in batches by all threads; of each batch only the
// sampled rows are kept.

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <span>

#include "algorithms/compute/execution.h"
#include "arrow_io/parquet_input.h"
#include "pipelines/matrix/source_rows.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/source/retries.h"

namespace spuna {
namespace {

using arrow_io::ParquetInput;

// Those of a store have blocks of their own in memory.
constexpr std::size_t kFilesAtOnce = 8;
constexpr std::size_t kStoredFilesAtOnce = 2;

// The sampled rows of a row group.
struct Part {
  std::size_t file;
  int row_group;
  std::int64_t first_row;
  // Numbers within the file.
  std::span<const std::int64_t> rows;
  EmbeddingMatrix found;
  arrow::Status status;
};

class SampleReader {
 public:
  SampleReader(const RowsRequest& request, const RowSample& sample, const Runtime& runtime)
      : request_(request), sample_(sample), runtime_(runtime) {}

  // Reads some files that follow each other.
  arrow::Status Read(std::size_t begin, std::size_t end) {
    Window window = Load(begin, end);
    for (std::size_t file = begin; file < end; ++file) {
      if (IsLeftOut(file)) continue;
      SourceRows texts;
      arrow::Status read = ReadTexts(file, window, texts);
      Window again;
      auto repeat = [&] {
        texts = {};
        again = Load(file, file + 1);
        return ReadTexts(file, again, texts);
      };
      read = RetryMayPass(runtime_, File(file), {read, window.took}, repeat);
      read = CheckUnchanged(File(file), read);
      ARROW_RETURN_NOT_OK(request_.source.bad_files().Take(File(file), read));
      if (!read.ok()) continue;
      Append(file, again.opened.empty() ? window.parts : again.parts, std::move(texts));
    }
    return arrow::Status::OK();
  }

  SourceRows Finish() && { return std::move(rows_); }

 private:
  // Some files that follow each other, open.
  struct Window {
    std::size_t begin = 0;
    std::vector<std::unique_ptr<ParquetInput>> opened;
    std::vector<arrow::Status> statuses;
    std::vector<Part> parts;
    std::chrono::steady_clock::duration took{};
  };

  const arrow_io::InputFile& File(std::size_t file) const { return request_.source.files()[file]; }

  bool IsLeftOut(std::size_t file) const {
    return request_.source.IsBad(file) || sample_.rows[file].empty();
  }

  // Opens the files and reads the sampled rows of each.
  Window Load(std::size_t begin, std::size_t end) const {
    const auto started = std::chrono::steady_clock::now();
    Window window;
    window.begin = begin;
    auto& opened = window.opened;
    auto& statuses = window.statuses;
    auto& parts = window.parts;
    opened.resize(end - begin);
    statuses.resize(end - begin);
    for (std::size_t file = begin; file < end; ++file) {
      if (IsLeftOut(file)) continue;
      arrow::Result<std::unique_ptr<ParquetInput>> parquet = ParquetInput::Open(File(file));
      if (parquet.ok()) {
        opened[file - begin] = *std::move(parquet);
        AddParts(file, *opened[file - begin], parts);
      } else {
        statuses[file - begin] = parquet.status();
      }
    }
    algorithms::ParallelFor(
        parts.size(), runtime_.MakeExecution(), [&](std::size_t i, std::size_t) {
          Part& part = parts[i];
          part.status = CatchExceptions([&] { return ReadPart(*opened[part.file - begin], part); });
        });
    for (const Part& part : parts) {
      if (statuses[part.file - begin].ok()) statuses[part.file - begin] = part.status;
    }
    window.took = std::chrono::steady_clock::now() - started;
    return window;
  }

  // How the reading of a file ended; where it went well, its texts are read too.
  arrow::Status ReadTexts(std::size_t file, const Window& window, SourceRows& texts) const {
    ARROW_RETURN_NOT_OK(window.statuses[file - window.begin]);
    ARROW_RETURN_NOT_OK(CheckDimension(file, window.parts));
    return AppendTexts(file, *window.opened[file - window.begin], window.parts, texts);
  }

  void AddParts(std::size_t file, const ParquetInput& parquet, std::vector<Part>& parts) const {
    const std::vector<std::int64_t>& rows = sample_.rows[file];
    std::int64_t first_row = 0;
    auto next = rows.begin();
    for (int i = 0; i < parquet.num_row_groups(); ++i) {
      const std::int64_t end_row = first_row + parquet.RowsOf(i);
      const auto end = std::lower_bound(next, rows.end(), end_row);
      if (end != next) parts.push_back({file, i, first_row, {next, end}, {}, {}});
      next = end;
      first_row = end_row;
    }
  }

  arrow::Status ReadPart(const ParquetInput& parquet, Part& part) const {
    ARROW_ASSIGN_OR_RAISE(const int column,
                          arrow_io::FindEmbeddingColumn(
                              *parquet.schema(), request_.source.embedding(), parquet.name()));
    ParquetInput::Cursor cursor = parquet.ReadRowGroup({column}, part.row_group);
    arrow_io::ColumnLocation location{request_.source.embedding(), parquet.name(), part.first_row};
    auto next = part.rows.begin();
    while (next != part.rows.end()) {
      ARROW_RETURN_NOT_OK(runtime_.CheckStop());
      ARROW_ASSIGN_OR_RAISE(const ParquetInput::Batch batch, cursor.Next());
      if (batch.rows == nullptr) return arrow::Status::OK();
      const std::int64_t begin_row = location.first_row;
      const std::int64_t end_row = begin_row + batch.rows->num_rows();
      // Slices share the batch's memory; only the sampled rows are looked at.
      for (; next != part.rows.end() && *next < end_row; ++next) {
        location.first_row = *next;
        const auto row = batch.rows->column(0)->Slice(*next - begin_row, 1);
        ARROW_RETURN_NOT_OK(part.found.Append(row, request_.invalid, location));
      }
      location.first_row = end_row;
    }
    return arrow::Status::OK();
  }

  // Whether the rows of a file have the dimension of those before and of each other.
  arrow::Status CheckDimension(std::size_t file, const std::vector<Part>& parts) const {
    std::int64_t dimension = matrix_.dimension;
    for (const Part& part : parts) {
      if (part.file != file || part.found.dimension == 0) continue;
      if (dimension == 0) dimension = part.found.dimension;
      if (part.found.dimension == dimension) continue;
      return arrow::Status::Invalid("column '", request_.source.embedding(), "' of ",
                                    File(file).name, ": expected dimension ", dimension,
                                    " but found ", part.found.dimension);
    }
    return arrow::Status::OK();
  }

  // Classes, groups and ids of the valid rows of a file.
  arrow::Status AppendTexts(std::size_t file, const ParquetInput& parquet,
                            const std::vector<Part>& parts, SourceRows& texts) const {
    std::vector<std::int64_t> valid_rows;
    for (const Part& part : parts) {
      if (part.file != file) continue;
      for (std::size_t i = 0; i < part.found.valid.size(); ++i) {
        if (part.found.valid[i] != 0) valid_rows.push_back(part.rows[i]);
      }
    }
    return texts.AppendTexts(request_, file, parquet, valid_rows, runtime_);
  }

  // Takes over what was found in a file.
  void Append(std::size_t file, std::vector<Part>& parts, SourceRows texts) {
    std::ranges::move(texts.classes, std::back_inserter(rows_.classes));
    std::ranges::move(texts.groups, std::back_inserter(rows_.groups));
    std::ranges::move(texts.ids, std::back_inserter(rows_.ids));
    for (Part& part : parts) {
      if (part.file != file) continue;
      const EmbeddingMatrix& found = part.found;
      if (matrix_.dimension == 0) matrix_.dimension = found.dimension;
      matrix_.values.insert(matrix_.values.end(), found.values.begin(), found.values.end());
      matrix_.valid.insert(matrix_.valid.end(), found.valid.begin(), found.valid.end());
      matrix_.num_invalid += found.num_invalid;
      part.found = {};
    }
  }

  const RowsRequest& request_;
  const RowSample& sample_;
  const Runtime& runtime_;
  SourceRows rows_;
  EmbeddingMatrix& matrix_ = rows_.matrix;
};

}  // namespace

arrow::Result<SourceRows> ReadSampledRows(const RowsRequest& request, const RowSample& sample,
                                          StageClock& clock) {
  const Source& source = request.source;
  SampleReader reader(request, sample, clock.runtime());
  const std::size_t num_files = source.files().size();
  const bool is_stored = source.files().front().filesystem != nullptr;
  const std::size_t at_once = is_stored ? kStoredFilesAtOnce : kFilesAtOnce;
  for (std::size_t begin = 0; begin < num_files; begin += at_once) {
    clock.Report("read", static_cast<double>(begin) / static_cast<double>(num_files));
    ARROW_RETURN_NOT_OK(reader.Read(begin, std::min(begin + at_once, num_files)));
  }
  ARROW_RETURN_NOT_OK(source.RequireFiles());
  SourceRows rows = std::move(reader).Finish();
  ARROW_RETURN_NOT_OK(rows.matrix.RequireRows(source.option(), source.name()));
  return rows;
}

}  // namespace spuna
