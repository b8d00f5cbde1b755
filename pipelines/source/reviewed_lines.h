#pragma once

#include <arrow/status.h>

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace spuna {

/// A line of a file of verdicts, before anything is made of its values.
struct ReviewedLine {
  /// The columns that are read as text, and their names.
  enum Column : std::size_t {
    kVerdict,
    kId,
    kFile,
    kRow,
    kInput,
    kProbability,
    kKeep,
    kNumColumns
  };
  static constexpr std::array<const char*, kNumColumns> kNames = {
      "verdict", "id", "file", "row", "input", "probability", "keep"};

  /// What is missing is empty.
  std::array<std::string, kNumColumns> texts;
  /// Need not be finite.
  std::vector<float> embedding;
  /// "review.csv, line 3".
  std::string where;

  /// "review.csv, line 3: expected … but found …".
  arrow::Status Error(const std::string& expected, const std::string& found) const;
};

/// Reads a file that is there, whatever its format (its name's ending tells it), and calls `visit`
/// with its lines in order. Ends at the first error. ReadReviewedRows says more.
arrow::Status ForEachReviewedLine(const std::string& path, const std::string& embedding,
                                  const std::function<arrow::Status(ReviewedLine)>& visit);

/// An error of a whole file: "`reviewed`: review.csv: …".
arrow::Status ReviewedFileError(const std::string& path, const std::string& what);

/// A text in small letters, without blanks around it.
std::string PlainWord(std::string_view text);

}  // namespace spuna
