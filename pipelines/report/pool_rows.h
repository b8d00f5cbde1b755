#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pipelines/source/row_texts.h"
#include "pipelines/source/source.h"

namespace spuna {

/// A part of a pool: one of its files, or all of a stream.
class PoolPart {
 public:
  /// Gets some rows and the number of their first one within the part.
  using Visit = std::function<arrow::Status(const arrow::RecordBatch& rows, std::int64_t first)>;

  virtual ~PoolPart() = default;

  /// What messages call it.
  virtual std::string name() const = 0;
  /// The relative path of a file; empty for a stream.
  virtual std::string path() const = 0;
  virtual const arrow::Schema& schema() const = 0;
  /// The hive keys of a file's path.
  virtual const std::vector<std::pair<std::string, std::string>>& hive_keys() const = 0;
  /// What stands for the id of a row where there is none.
  virtual std::string PlaceOf(std::int64_t row) const = 0;

  /// Calls `visit` with all rows in order, holding at least the given columns.
  virtual arrow::Status ForEachBatch(const std::vector<int>& columns, const Visit& visit) const = 0;

  /// The pictures that some rows, ascending, have in a column, as data: URIs; "" for none.
  virtual arrow::Result<std::vector<std::string>> Pictures(std::span<const std::int64_t> rows,
                                                           const std::string& column) const = 0;
};

/// The pool of a clean, to be read once more: files, or a stream that can be opened again.
class PoolRows {
 public:
  using Visit = std::function<arrow::Status(std::size_t number, const PoolPart& part)>;

  virtual ~PoolRows() = default;

  /// What a report calls it.
  virtual std::string name() const = 0;
  virtual const std::string& embedding() const = 0;
  virtual std::int64_t num_rows() const = 0;
  /// The column that names its rows: the one asked for, else "id" where there is one.
  virtual IdColumn FindIdColumn(const std::string& asked) const = 0;
  /// Files that could not be read, and why.
  virtual SkippedFiles skipped() const = 0;

  /// Calls `visit` with every part in order. Ends at the first error.
  virtual arrow::Status ForEachPart(const Visit& visit, const Runtime& runtime) const = 0;
};

/// The files of a source that was surveyed, which must outlive it. Where it `may_skip`, a file that
/// can't be read is known as bad from then on, if the source skips such files: the reading fails
/// all the same, since what was made of the file can't be taken back, but the next passes it over.
class FilePool : public PoolRows {
 public:
  explicit FilePool(const Source& source, bool may_skip = false)
      : source_(source), may_skip_(may_skip) {}

  std::string name() const override { return source_.files().front().name; }
  const std::string& embedding() const override { return source_.embedding(); }
  std::int64_t num_rows() const override { return source_.num_rows(); }
  IdColumn FindIdColumn(const std::string& asked) const override {
    return ResolveIdColumn(source_, asked);
  }
  SkippedFiles skipped() const override { return source_.bad_files().skipped(); }
  arrow::Status ForEachPart(const Visit& visit, const Runtime& runtime) const override;

 private:
  const Source& source_;
  bool may_skip_;
};

/// Opens a stream of the same rows each time.
using OpenRows = std::function<arrow::Result<std::shared_ptr<arrow::RecordBatchReader>>()>;

/// A stream as a pool of one part.
class StreamPool : public PoolRows {
 public:
  StreamPool(OpenRows open, std::shared_ptr<arrow::Schema> schema, std::string embedding,
             std::int64_t num_rows)
      : open_(std::move(open)),
        schema_(std::move(schema)),
        embedding_(std::move(embedding)),
        num_rows_(num_rows) {}

  std::string name() const override;
  const std::string& embedding() const override { return embedding_; }
  std::int64_t num_rows() const override { return num_rows_; }
  IdColumn FindIdColumn(const std::string& asked) const override {
    return ResolveIdColumn(*schema_, asked);
  }
  SkippedFiles skipped() const override { return {}; }
  arrow::Status ForEachPart(const Visit& visit, const Runtime& runtime) const override;

 private:
  OpenRows open_;
  std::shared_ptr<arrow::Schema> schema_;
  std::string embedding_;
  std::int64_t num_rows_;
};

}  // namespace spuna
