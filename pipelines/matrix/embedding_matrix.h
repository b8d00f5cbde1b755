#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/rows/embeddings_view.h"
#include "arrow_io/embedding_column.h"
#include "arrow_io/input_files.h"
#include "pipelines/options/options.h"
#include "pipelines/run/runtime.h"
#include "pipelines/source/bad_files.h"
#include "pipelines/source/row_sample.h"

namespace spuna {

/// Memory that nobody has touched yet, in large pages where the system has them: a matrix of
/// gigabytes then comes without millions of page faults. Throws std::bad_alloc.
void* AllocateUntouched(std::size_t num_bytes);
void FreeUntouched(void* memory);

/// A vector whose new elements are not set, so that whoever fills them is the first to touch their
/// memory.
template <typename T>
struct UninitializedAllocator : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };
  T* allocate(std::size_t count) { return static_cast<T*>(AllocateUntouched(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) { FreeUntouched(memory); }

  template <typename U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <typename U, typename... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
};

/// The valid embeddings of an input in memory, in the order of its rows.
struct EmbeddingMatrix {
  std::vector<float, UninitializedAllocator<float>> values;
  std::int64_t dimension = 0;
  /// One byte for every row of the input: whether it is one of the rows here.
  std::vector<std::uint8_t> valid;
  std::int64_t num_invalid = 0;

  std::int64_t num_rows() const { return static_cast<std::int64_t>(valid.size()) - num_invalid; }
  algorithms::EmbeddingsView view() const;

  /// Adds the rows of an embedding column. All must have the dimension of the first; with
  /// InvalidRows::kError none may be invalid.
  arrow::Status Append(const std::shared_ptr<arrow::Array>& column, InvalidRows invalid,
                       const arrow_io::ColumnLocation& location);

  /// An error when there is no valid row. `option` names the input ("trusted"), `where` its place.
  arrow::Status RequireRows(const std::string& option, const std::string& where) const;
};

/// The column that holds the embeddings of an input, told from its first file: the one `asked` for;
/// else the `preferred` one, if it is there; else as arrow_io::FindEmbeddingColumn chooses. With
/// `bad_files` the first one that can be read tells it.
arrow::Result<std::string> ResolveEmbeddingColumn(const arrow_io::InputFiles& input,
                                                  const std::string& asked,
                                                  const std::string& preferred,
                                                  BadFiles* bad_files = nullptr);

/// The same for one schema, which messages call `where`.
arrow::Result<std::string> ResolveEmbeddingColumn(const arrow::Schema& schema,
                                                  const std::string& where,
                                                  const std::string& asked,
                                                  const std::string& preferred);

/// What to read into a matrix.
struct MatrixRequest {
  const arrow_io::InputFiles& input;
  /// The column of the embeddings.
  const std::string& embedding;
  InvalidRows invalid = InvalidRows::kNull;
  /// The name of the input in messages ("trusted").
  std::string option;
  /// What becomes of files that can't be read.
  BadFiles& bad_files;
};

/// Reads all rows. It is an error when no row is valid, and with InvalidRows::kError when one row
/// is not.
arrow::Result<EmbeddingMatrix> ReadEmbeddingMatrix(const MatrixRequest& request, StageClock& clock);

/// The same for some rows only, in memory for no more than these and a few batches.
arrow::Result<EmbeddingMatrix> ReadSampledMatrix(const MatrixRequest& request,
                                                 const RowSample& sample, StageClock& clock);

/// Reads a file with `read`, and makes sure that it did not change meanwhile. Where it did, that is
/// the error, whatever else it led to.
template <typename Read>
arrow::Status ReadUnchanged(const arrow_io::InputFile& file, Read read) {
  const arrow::Status status = read();
  if (status.IsCancelled()) return status;
  ARROW_RETURN_NOT_OK(file.CheckUnchanged());
  return status;
}

/// What messages call an input: its file, or how many there are.
std::string NameOf(const arrow_io::InputFiles& input);

/// Calls `visit(first value, number of rows)` for each run of valid rows.
template <typename Visit>
void ForEachValidRun(const arrow_io::EmbeddingRows& rows, Visit visit) {
  const auto count = static_cast<std::size_t>(rows.num_rows);
  for (std::size_t begin = 0; begin < count;) {
    std::size_t end = begin;
    while (end < count && rows.valid[end] != 0) ++end;
    if (end > begin) {
      visit(rows.values + begin * static_cast<std::size_t>(rows.dimension), end - begin);
    }
    begin = end + 1;
  }
}

/// With InvalidRows::kError, an error that names the first invalid row if there is one.
arrow::Status CheckInvalidRows(const arrow_io::EmbeddingRows& rows, InvalidRows invalid,
                               const arrow_io::ColumnLocation& location);

}  // namespace spuna
