#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spuna {

/// What a person said about a row after looking at it.
enum class Answer : std::uint8_t { kShifted, kClean, kUnsure };

/// "shifted", "clean" or "unsure".
std::string NameOf(Answer answer);

/// One row that a person has looked at.
struct ReviewedRow {
  /// Its id, or its file (relative to the input) and its number there, from 0. Where both are
  /// there the place counts. `file` and `row` are set together or not at all.
  std::optional<std::string> id;
  std::optional<std::string> file;
  std::optional<std::int64_t> row;
  Answer answer = Answer::kUnsure;
  /// Whether it is a trusted row that was held out for calibration, not a row of the pool.
  bool is_trusted = false;
  /// How likely it was to be drawn, above 0 and at most 1; set for rows drawn at random.
  std::optional<double> probability;
  /// What the model had decided when the row was chosen.
  std::optional<bool> keep;
  /// Its embedding, all numbers finite; empty where the file has none. All have one dimension.
  std::vector<float> embedding = {};
  /// Where it stands, for messages: "review.csv, line 3".
  std::string where;
};

struct ReviewedRows {
  /// In the order of the files and their lines.
  std::vector<ReviewedRow> rows;
  /// 32 hexadecimal digits over the bytes of all files, in the order given.
  std::string hash;
};

/// Reads the files of the option `reviewed`: CSV with a header (.csv), JSON lines (.jsonl, .ndjson,
/// .json) or Parquet (.parquet, .parq, .pq), on this machine.
///
/// The column `verdict` says shifted, clean or unsure; a row without one has not been looked at and
/// is passed over. `id`, or `file` and `row`, name the row. Optional: `input` (pool or trusted),
/// `probability`, `keep`, and in JSON and Parquet the embedding, in the column called `embedding`,
/// or "embedding" where that is empty. Other columns are passed over. What is empty counts as
/// missing.
///
/// An error says file and line (the rows of a Parquet file count from 0), what was expected and
/// what was found. Values of CSV that hold newlines count as one line.
arrow::Result<ReviewedRows> ReadReviewedRows(const std::vector<std::string>& paths,
                                             const std::string& embedding);

}  // namespace spuna
