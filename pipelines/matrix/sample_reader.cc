// Reads a sample of the rows of many files. The files are opened a few at a time, and their row
// groups are read in batches by all threads; of each batch only the sampled rows are kept.

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <algorithm>
#include <span>

#include "algorithms/compute/execution.h"
#include "arrow_io/parquet_input.h"
#include "pipelines/matrix/embedding_matrix.h"
#include "pipelines/run/exception_status.h"

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
  SampleReader(const MatrixRequest& request, const RowSample& sample, const Runtime& runtime)
      : request_(request), sample_(sample), runtime_(runtime) {}

  // Reads some files that follow each other.
  arrow::Status Read(std::size_t begin, std::size_t end) {
    std::vector<std::unique_ptr<ParquetInput>> opened(end - begin);
    std::vector<arrow::Status> statuses(end - begin);
    std::vector<Part> parts;
    for (std::size_t file = begin; file < end; ++file) {
      if (request_.bad_files.Has(File(file)) || sample_.rows[file].empty()) continue;
      arrow::Result<std::unique_ptr<ParquetInput>> parquet = ParquetInput::Open(File(file));
      if (parquet.ok()) {
        opened[file - begin] = *std::move(parquet);
        AddParts(file, *opened[file - begin], parts);
      } else {
        statuses[file - begin] = parquet.status();
      }
    }
    algorithms::Execution execution;
    execution.num_threads = runtime_.num_threads;
    algorithms::ParallelFor(parts.size(), execution, [&](std::size_t i, std::size_t) {
      Part& part = parts[i];
      part.status = CatchExceptions([&] { return ReadPart(*opened[part.file - begin], part); });
    });
    for (const Part& part : parts) {
      if (statuses[part.file - begin].ok()) statuses[part.file - begin] = part.status;
    }
    for (std::size_t file = begin; file < end; ++file) {
      if (sample_.rows[file].empty() || request_.bad_files.Has(File(file))) continue;
      arrow::Status read = ReadUnchanged(File(file), [&] { return statuses[file - begin]; });
      if (read.ok()) read = CheckDimension(file, parts);
      ARROW_RETURN_NOT_OK(request_.bad_files.Take(File(file), read));
      if (read.ok()) Append(file, parts);
    }
    return arrow::Status::OK();
  }

  EmbeddingMatrix Finish() && { return std::move(matrix_); }

 private:
  const arrow_io::InputFile& File(std::size_t file) const { return request_.input.files[file]; }

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
    ARROW_ASSIGN_OR_RAISE(
        const int column,
        arrow_io::FindEmbeddingColumn(*parquet.schema(), request_.embedding, parquet.name()));
    ParquetInput::Cursor cursor = parquet.ReadRowGroup({column}, part.row_group);
    arrow_io::ColumnLocation location{request_.embedding, parquet.name(), part.first_row};
    auto next = part.rows.begin();
    while (next != part.rows.end()) {
      if (runtime_.ShouldStop()) return arrow::Status::Cancelled("interrupted");
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
      return arrow::Status::Invalid("column '", request_.embedding, "' of ", File(file).name,
                                    ": expected dimension ", dimension, " but found ",
                                    part.found.dimension);
    }
    return arrow::Status::OK();
  }

  // Takes over what was found in a file.
  void Append(std::size_t file, std::vector<Part>& parts) {
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

  const MatrixRequest& request_;
  const RowSample& sample_;
  const Runtime& runtime_;
  EmbeddingMatrix matrix_;
};

}  // namespace

arrow::Result<EmbeddingMatrix> ReadSampledMatrix(const MatrixRequest& request,
                                                 const RowSample& sample, StageClock& clock) {
  SampleReader reader(request, sample, clock.runtime());
  const std::size_t num_files = request.input.files.size();
  const bool is_stored = request.input.files.front().filesystem != nullptr;
  const std::size_t at_once = is_stored ? kStoredFilesAtOnce : kFilesAtOnce;
  for (std::size_t begin = 0; begin < num_files; begin += at_once) {
    clock.Report("read", static_cast<double>(begin) / static_cast<double>(num_files));
    ARROW_RETURN_NOT_OK(reader.Read(begin, std::min(begin + at_once, num_files)));
  }
  EmbeddingMatrix matrix = std::move(reader).Finish();
  ARROW_RETURN_NOT_OK(matrix.RequireRows(request.option, NameOf(request.input)));
  return matrix;
}

}  // namespace spuna
