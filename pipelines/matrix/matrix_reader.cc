// ReadAllRows of source_rows.h: reads the embeddings of many files into one matrix. Row groups
// whose lists are all there and of one length, which is most of them, are read straight to their
// place; others go through Arrow's lists. A few row groups are read at the same time, each into a
// stretch of the matrix that its footer asks for, and what invalid rows leave free is closed
// afterwards.

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

#include "algorithms/compute/execution.h"
#include "arrow_io/direct_lists.h"
#include "arrow_io/parquet_input.h"
#include "pipelines/matrix/source_rows.h"
#include "pipelines/run/exception_status.h"

namespace spuna {
namespace {

using arrow_io::ColumnLocation;
using arrow_io::EmbeddingRows;
using arrow_io::ParquetInput;

// A row group on its way into the matrix.
struct Stretch {
  const ParquetInput* input;
  int column;
  int row_group;
  std::int64_t first_row;
  std::int64_t num_rows;
  // Where its rows lie in the matrix, and how many of them are valid.
  std::int64_t begin;
  std::int64_t num_valid;
  std::vector<std::uint8_t> valid;
};

class MatrixReader {
 public:
  MatrixReader(const RowsRequest& request, const Runtime& runtime)
      : request_(request), embedding_(request.source.embedding()), runtime_(runtime) {}

  // Reads a file of the input.
  arrow::Status Read(std::size_t file, const ParquetInput& input) {
    const Mark mark = Here();
    ARROW_RETURN_NOT_OK(ReadEmbeddings(input, request_.source.files().size() == 1));
    return rows_.AppendTexts(request_, file, input, ValidRowsSince(mark), runtime_);
  }

  SourceRows Finish() && { return std::move(rows_); }

  // How far the rows have come, to leave out again what was read after it.
  struct Mark {
    std::size_t num_values;
    std::size_t num_rows;
    std::int64_t num_invalid;
    std::int64_t dimension;
    std::size_t num_classes;
    std::size_t num_groups;
    std::size_t num_ids;
  };
  Mark Here() const {
    return {matrix_.values.size(), matrix_.valid.size(), matrix_.num_invalid, matrix_.dimension,
            rows_.classes.size(),  rows_.groups.size(),  rows_.ids.size()};
  }
  void GoBackTo(const Mark& mark) {
    matrix_.values.resize(mark.num_values);
    matrix_.valid.resize(mark.num_rows);
    matrix_.num_invalid = mark.num_invalid;
    matrix_.dimension = mark.dimension;
    rows_.classes.resize(mark.num_classes);
    rows_.groups.resize(mark.num_groups);
    rows_.ids.resize(mark.num_ids);
  }

 private:
  // The numbers, within their file, of the valid rows that were read after a mark.
  std::vector<std::int64_t> ValidRowsSince(const Mark& mark) const {
    std::vector<std::int64_t> rows;
    if (!request_.HasTexts()) return rows;
    for (std::size_t i = mark.num_rows; i < matrix_.valid.size(); ++i) {
      if (matrix_.valid[i] != 0) rows.push_back(static_cast<std::int64_t>(i - mark.num_rows));
    }
    return rows;
  }

  arrow::Status ReadEmbeddings(const ParquetInput& input, bool is_only_file) {
    ARROW_ASSIGN_OR_RAISE(const int column,
                          arrow_io::FindEmbeddingColumn(*input.schema(), embedding_, input.name()));
    std::int64_t first_row = 0;
    std::vector<Stretch> stretches;
    for (int i = 0; i < input.num_row_groups(); ++i) {
      const std::int64_t num_rows = input.RowsOf(i);
      if (num_rows > 0) stretches.push_back({&input, column, i, first_row, num_rows, 0, 0, {}});
      first_row += num_rows;
    }
    std::size_t next = 0;
    while (next < stretches.size() && matrix_.dimension == 0) {
      ARROW_RETURN_NOT_OK(ReadFirst(stretches[next++]));
    }
    if (is_only_file) Reserve(input.num_rows());
    const auto window = static_cast<std::size_t>(std::max(2 * runtime_.num_threads, 1));
    for (; next < stretches.size(); next += window) {
      ARROW_RETURN_NOT_OK(
          ReadWindow({stretches.data() + next, std::min(window, stretches.size() - next)}));
    }
    return arrow::Status::OK();
  }

  ColumnLocation LocationOf(const Stretch& stretch) const {
    return {embedding_, stretch.input->name(), stretch.first_row};
  }

  // Only a hint: where the memory can't be had the matrix grows as rows come.
  void Reserve(std::int64_t num_rows) {
    try {
      matrix_.values.reserve(static_cast<std::size_t>(num_rows * matrix_.dimension));
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {
    }
  }

  // A row group before which the dimension is not known.
  arrow::Status ReadFirst(Stretch& stretch) {
    const std::int64_t length =
        arrow_io::UniformLength(*stretch.input, stretch.column, stretch.row_group);
    if (length > 0) {
      matrix_.dimension = length;
      bool is_uniform = true;
      ARROW_RETURN_NOT_OK(ReadWindow({&stretch, 1}, &is_uniform));
      if (is_uniform) return arrow::Status::OK();
      matrix_.dimension = 0;
    }
    return AppendLists(stretch);
  }

  // The general way, one batch after the other.
  arrow::Status AppendLists(const Stretch& stretch) {
    ColumnLocation location = LocationOf(stretch);
    return ForEachBatch(stretch, [&](const arrow::RecordBatch& rows) -> arrow::Status {
      ARROW_RETURN_NOT_OK(matrix_.Append(rows.column(0), request_.invalid, location));
      location.first_row += rows.num_rows();
      return arrow::Status::OK();
    });
  }

  // Reads some row groups at the same time and appends their valid rows. With `is_uniform` given,
  // a row group that can't be read directly is left out, and told so.
  arrow::Status ReadWindow(std::span<Stretch> window, bool* is_uniform = nullptr) {
    const std::int64_t rows_before = matrix_.num_rows();
    std::int64_t end = rows_before;
    for (Stretch& stretch : window) {
      stretch.begin = end;
      end += stretch.num_rows;
    }
    const auto width = static_cast<std::size_t>(matrix_.dimension);
    auto resize = [&](std::int64_t num_rows) {
      matrix_.values.resize(static_cast<std::size_t>(num_rows) * width);
    };
    if (!CatchExceptions([&]() -> arrow::Status {
           resize(end);
           return arrow::Status::OK();
         }).ok()) {
      // There is no memory for what the footer says; for what the file holds there may be.
      for (const Stretch& stretch : window) ARROW_RETURN_NOT_OK(AppendLists(stretch));
      return arrow::Status::OK();
    }
    std::vector<arrow::Status> statuses(window.size());
    algorithms::ParallelFor(
        window.size(), runtime_.MakeExecution(),
        [&](std::size_t i, std::size_t) { statuses[i] = ReadStretch(window[i], is_uniform); });
    for (const arrow::Status& status : statuses) ARROW_RETURN_NOT_OK(status);
    if (is_uniform != nullptr && !*is_uniform) {
      resize(rows_before);
      return arrow::Status::OK();
    }
    end = rows_before;
    for (const Stretch& stretch : window) {
      std::memmove(RowAt(end), RowAt(stretch.begin),
                   static_cast<std::size_t>(stretch.num_valid) * width * sizeof(float));
      end += stretch.num_valid;
      matrix_.valid.insert(matrix_.valid.end(), stretch.valid.begin(), stretch.valid.end());
      matrix_.num_invalid += stretch.num_rows - stretch.num_valid;
    }
    resize(end);
    return arrow::Status::OK();
  }

  float* RowAt(std::int64_t row) {
    return matrix_.values.data() + static_cast<std::size_t>(row * matrix_.dimension);
  }

  arrow::Status ReadStretch(Stretch& stretch, bool* is_uniform) {
    ARROW_RETURN_NOT_OK(runtime_.CheckStop());
    const std::int64_t dimension = matrix_.dimension;
    bool done = false;
    if (arrow_io::UniformLength(*stretch.input, stretch.column, stretch.row_group) == dimension) {
      ARROW_ASSIGN_OR_RAISE(
          done, arrow_io::ReadListsDirectly(*stretch.input, stretch.column, stretch.row_group,
                                            dimension, RowAt(stretch.begin)));
    }
    if (is_uniform != nullptr) *is_uniform = done;
    if (done) {
      const EmbeddingRows rows =
          arrow_io::CheckRows(RowAt(stretch.begin), stretch.num_rows, dimension);
      return Take(rows, LocationOf(stretch), stretch);
    }
    if (is_uniform != nullptr) return arrow::Status::OK();
    ColumnLocation location = LocationOf(stretch);
    return ForEachBatch(stretch, [&](const arrow::RecordBatch& batch) -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(const EmbeddingRows rows,
                            arrow_io::ReadEmbeddings(batch.column(0), dimension, location));
      ARROW_RETURN_NOT_OK(Take(rows, location, stretch));
      location.first_row += batch.num_rows();
      return arrow::Status::OK();
    });
  }

  // Puts the valid ones of the rows, which may be in place already, at the end of the stretch.
  arrow::Status Take(const EmbeddingRows& rows, const ColumnLocation& location, Stretch& stretch) {
    ARROW_RETURN_NOT_OK(CheckInvalidRows(rows, request_.invalid, location));
    ForEachValidRun(rows, [&](const float* values, std::size_t num_rows) {
      std::memmove(RowAt(stretch.begin + stretch.num_valid), values,
                   num_rows * static_cast<std::size_t>(rows.dimension) * sizeof(float));
      stretch.num_valid += static_cast<std::int64_t>(num_rows);
    });
    stretch.valid.insert(stretch.valid.end(), rows.valid.begin(), rows.valid.end());
    return arrow::Status::OK();
  }

  template <typename Visit>
  arrow::Status ForEachBatch(const Stretch& stretch, Visit visit) const {
    ParquetInput::Cursor cursor = stretch.input->ReadRowGroup({stretch.column}, stretch.row_group);
    while (true) {
      ARROW_RETURN_NOT_OK(runtime_.CheckStop());
      ARROW_ASSIGN_OR_RAISE(const ParquetInput::Batch batch, cursor.Next());
      if (batch.rows == nullptr) return arrow::Status::OK();
      ARROW_RETURN_NOT_OK(visit(*batch.rows));
    }
  }

  const RowsRequest& request_;
  const std::string& embedding_;
  const Runtime& runtime_;
  SourceRows rows_;
  EmbeddingMatrix& matrix_ = rows_.matrix;
};

}  // namespace

arrow::Result<SourceRows> ReadAllRows(const RowsRequest& request, StageClock& clock) {
  const Source& source = request.source;
  const auto num_files = static_cast<double>(source.files().size());
  MatrixReader reader(request, clock.runtime());
  for (std::size_t file = 0; file < source.files().size(); ++file) {
    clock.Report("read", static_cast<double>(file) / num_files);
    if (source.IsBad(file)) continue;
    const MatrixReader::Mark mark = reader.Here();
    auto read_rows = [&](std::size_t number, const ParquetInput& parquet) {
      return reader.Read(number, parquet);
    };
    const arrow::Status read =
        source.ReadFile(file, read_rows, clock.runtime(), [&] { reader.GoBackTo(mark); });
    if (read.ok()) continue;
    ARROW_RETURN_NOT_OK(source.bad_files().Take(source.files()[file], read));
    reader.GoBackTo(mark);
  }
  ARROW_RETURN_NOT_OK(source.RequireFiles());
  SourceRows rows = std::move(reader).Finish();
  ARROW_RETURN_NOT_OK(rows.matrix.RequireRows(source.option(), source.name()));
  return rows;
}

}  // namespace spuna
