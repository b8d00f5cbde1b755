#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "algorithms/rows/row_verdicts.h"
#include "pipelines/run/fit_summary.h"
#include "pipelines/run/runtime.h"
#include "pipelines/source/reviewed_rows.h"
#include "pipelines/source/source.h"

namespace spuna {

/// What is known about a row of an input from all lines that name it.
struct PlacedReview {
  Answer answer = Answer::kUnsure;
  std::optional<double> probability;
  std::optional<bool> keep;
  /// The position, in ReviewedRows::rows, of the line whose answer counts.
  std::size_t order = 0;
};

/// The reviewed rows of one file, by their number there.
using FileReviews = std::map<std::int64_t, PlacedReview>;

/// Reviewed rows, each where it is in an input.
///
/// Where several lines name a row, the first sure answer counts, and an unsure one where no other
/// is there. `probability` and `keep` come together from the first line that has a probability;
/// where none has, `keep` comes from the first line that has it. So a row that was drawn at random
/// stays so, whoever looks at it again. A row that lines call shifted and clean counts as unsure.
struct PlacedReviews {
  /// By number of the source's files: rows by their number within the file.
  std::vector<FileReviews> files;
  /// The same numbers by the files' relative paths: files may be put in another order.
  std::unordered_map<std::string, std::size_t> numbers;
  /// Rows that are not in the input and have an embedding to learn from: neither unsure nor drawn
  /// at random, and without contradiction. Lines with an equal name, or without a name and with an
  /// equal embedding, are one row.
  std::vector<ReviewedRow> outside;
  /// Lines whose row is not in the input and that have no embedding.
  std::int64_t num_unknown = 0;
  /// "'img-7' (review.csv, line 3)" or "row 9 of a.parquet (review.csv, line 3)".
  std::string first_unknown;
  /// How often a line repeats what an earlier line says of a row.
  std::int64_t num_repeated = 0;
  /// Rows that lines call shifted and clean.
  std::int64_t num_contradicting = 0;
  /// "'img-7': review.csv, line 3 says shifted, other.csv, line 9 says clean".
  std::string first_contradicting;
  /// Whether the source has files that are not read: bad ones, or left alone. Ids that are unknown
  /// may be in them.
  bool has_unread_files = false;

  /// The reviewed rows of a file, by its relative path; null where there is no such file.
  const FileReviews* Of(const std::string& path) const {
    const auto found = numbers.find(path);
    return found == numbers.end() ? nullptr : &files[found->second];
  }
  const FileReviews* Of(const arrow_io::InputFile& file) const {
    return Of(file.relative_path.string());
  }
};

/// What a fit learns of a row: nothing of rows that were drawn at random, which give estimates, and
/// of rows that a person was unsure of.
algorithms::RowVerdict LearnedVerdict(const PlacedReview& review);

/// What tells the verdicts on a file's rows apart from others; empty where there are none. They may
/// be null.
std::string HashOf(const FileReviews* reviews);

/// What a fit says of the verdicts that it was given.
ReviewSummary SummarizeReviews(const PlacedReviews& placed, const std::string& hash);

/// How many of the last sure verdicts, without a gap, agree with what the model that chose the rows
/// had decided.
std::int64_t CountLastAgreeing(const ReviewedRows& reviewed);

/// Looks for the reviewed rows of the pool, or with `of_trusted` of the trusted rows, in a source
/// that was surveyed. `id` is the id column that was asked for, or empty.
///
/// A place is known without reading; in a file that is bad or left alone any row number is taken.
/// The id column is read only where lines have nothing but an id. An id that several rows have
/// stands for all of them. Rows of files without an id column are named as PlaceOf does.
arrow::Result<PlacedReviews> PlaceReviews(const ReviewedRows& reviewed, bool of_trusted,
                                          const Source& source, const std::string& id,
                                          const Runtime& runtime);

/// Where the rows are that lines name.
struct PlacedLines {
  struct Place {
    std::size_t file = 0;
    std::int64_t row = 0;
  };
  /// The files' relative paths; "" for a stream.
  std::vector<std::string> paths;
  /// Of every line; none where its row is not there.
  std::vector<std::vector<Place>> places;
};

/// Joins what lines say of the same row, by the rule of PlacedReviews.
PlacedReviews MergeReviews(const ReviewedRows& reviewed, bool of_trusted, const PlacedLines& lines);

/// What to tell the user: a sentence each for unknown, repeated and contradicting rows.
std::vector<std::string> ReviewWarnings(const PlacedReviews& placed);

}  // namespace spuna
