#pragma once

#include <arrow/status.h>

#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow_io/input_files.h"
#include "pipelines/run/runtime.h"
#include "pipelines/score/batch_scorer.h"

namespace spuna {

/// A file to write, and what messages call it.
struct FileTarget {
  std::filesystem::path path;
  std::string name;
};

/// How scoring a file ended.
struct FileOutcome {
  RowCounts counts;
  arrow::Status status;
  /// Whether it was the input that failed, not the output.
  bool is_input_error = false;
};

/// Scores files one by one, in memory for a few batches of rows whatever their size.
class FileScorer {
 public:
  /// `embedding` is the column of the embeddings. `runtime` must outlive it.
  FileScorer(std::shared_ptr<const PreparedModel> model, std::string embedding,
             const Runtime& runtime)
      : model_(std::move(model)), embedding_(std::move(embedding)), runtime_(runtime) {}

  /// Writes the rows of a file with our columns appended to `kept`, and those that `drop` leaves
  /// out to `dropped` where it is given. `on_progress` gets the number of rows done. `reviews`,
  /// which may be null, decide about their rows. After `max_rows` no other row group is begun.
  FileOutcome Score(const arrow_io::InputFile& file, const FileTarget& kept,
                    const std::optional<FileTarget>& dropped,
                    const std::function<void(std::int64_t)>& on_progress,
                    const FileReviews* reviews,
                    std::int64_t max_rows = std::numeric_limits<std::int64_t>::max()) const;

 private:
  struct Task;

  template <typename Cursor, typename Write>
  arrow::Status ScoreBatches(Task& task, Cursor cursor, Write write) const;
  arrow::Status Rewrite(Task& task) const;
  arrow::Status Copy(Task& task) const;

  std::shared_ptr<const PreparedModel> model_;
  std::string embedding_;
  const Runtime& runtime_;
};

}  // namespace spuna
