#include "pipelines/source/reviewed_rows.h"

#include <arrow/buffer.h>
#include <arrow/io/file.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "arrow_io/hash.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/run/job_paths.h"
#include "pipelines/source/reviewed_lines.h"

namespace spuna {
namespace {

constexpr const char* kOption = "reviewed";
constexpr const char* kUsualEmbedding = "embedding";
constexpr std::int64_t kBytesAtOnce = 1 << 20;

arrow::Status ValueError(const ReviewedLine& line, ReviewedLine::Column column,
                         const std::string& expected) {
  return line.Error(std::string(ReviewedLine::kNames[column]) + " " + expected,
                    "'" + line.texts[column] + "'");
}

template <typename Number>
std::optional<Number> ParseNumber(const std::string& word) {
  Number number{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

// A number of a row. Tools that know no missing integers write 3 as 3.0.
std::optional<std::int64_t> ParseRow(const std::string& word) {
  if (const auto whole = ParseNumber<std::int64_t>(word)) return whole;
  constexpr double kMaxExact = 9007199254740992.0;
  const std::optional<double> number = ParseNumber<double>(word);
  if (!number || std::floor(*number) != *number || std::abs(*number) > kMaxExact) return {};
  return static_cast<std::int64_t>(*number);
}

// Turns the lines of all files into rows.
class RowMaker {
 public:
  arrow::Status Add(ReviewedLine line) {
    const std::string verdict = PlainWord(line.texts[ReviewedLine::kVerdict]);
    if (verdict.empty()) return arrow::Status::OK();
    ReviewedRow row;
    if (verdict == "shifted") {
      row.answer = Answer::kShifted;
    } else if (verdict == "clean") {
      row.answer = Answer::kClean;
    } else if (verdict != "unsure") {
      return ValueError(line, ReviewedLine::kVerdict, "shifted, clean or unsure");
    }
    ARROW_RETURN_NOT_OK(SetPlace(line, row));
    ARROW_RETURN_NOT_OK(SetExtras(line, row));
    ARROW_RETURN_NOT_OK(SetEmbedding(line, row));
    if (!row.id && !row.file && row.embedding.empty()) {
      const bool has_file = !line.texts[ReviewedLine::kFile].empty();
      const bool has_row = !PlainWord(line.texts[ReviewedLine::kRow]).empty();
      return line.Error("id, or file and row, or an embedding", has_file  ? "file without row"
                                                                : has_row ? "row without file"
                                                                          : "none of them");
    }
    row.where = std::move(line.where);
    rows_.push_back(std::move(row));
    return arrow::Status::OK();
  }

  std::vector<ReviewedRow> Finish() && { return std::move(rows_); }

 private:
  static arrow::Status SetPlace(const ReviewedLine& line, ReviewedRow& row) {
    if (!line.texts[ReviewedLine::kId].empty()) row.id = line.texts[ReviewedLine::kId];
    const std::string number = PlainWord(line.texts[ReviewedLine::kRow]);
    if (number.empty()) return arrow::Status::OK();
    const std::optional<std::int64_t> parsed = ParseRow(number);
    if (!parsed || *parsed < 0) {
      return ValueError(line, ReviewedLine::kRow, "as a whole number from 0 on");
    }
    if (line.texts[ReviewedLine::kFile].empty()) return arrow::Status::OK();
    row.file = line.texts[ReviewedLine::kFile];
    row.row = *parsed;
    return arrow::Status::OK();
  }

  static arrow::Status SetExtras(const ReviewedLine& line, ReviewedRow& row) {
    const std::string input = PlainWord(line.texts[ReviewedLine::kInput]);
    row.is_trusted = input == "trusted";
    if (!input.empty() && input != "trusted" && input != "pool") {
      return ValueError(line, ReviewedLine::kInput, "pool or trusted");
    }
    const std::string probability = PlainWord(line.texts[ReviewedLine::kProbability]);
    if (!probability.empty()) {
      row.probability = ParseNumber<double>(probability);
      if (!row.probability || !(*row.probability > 0 && *row.probability <= 1)) {
        return ValueError(line, ReviewedLine::kProbability, "above 0 and at most 1");
      }
    }
    const std::string keep = PlainWord(line.texts[ReviewedLine::kKeep]);
    if (keep.empty()) return arrow::Status::OK();
    row.keep = keep == "true" || keep == "1";
    if (!*row.keep && keep != "false" && keep != "0") {
      return ValueError(line, ReviewedLine::kKeep, "true or false");
    }
    return arrow::Status::OK();
  }

  arrow::Status SetEmbedding(ReviewedLine& line, ReviewedRow& row) {
    if (line.embedding.empty()) return arrow::Status::OK();
    if (!std::ranges::all_of(line.embedding, [](float value) { return std::isfinite(value); })) {
      return line.Error("an embedding of finite numbers", "one that is not finite");
    }
    if (dimension_ == 0) {
      dimension_ = line.embedding.size();
      first_embedding_ = line.where;
    }
    if (line.embedding.size() != dimension_) {
      return line.Error("an embedding of dimension " + std::to_string(dimension_) + ", as in " +
                            first_embedding_ + ",",
                        std::to_string(line.embedding.size()));
    }
    row.embedding = std::move(line.embedding);
    return arrow::Status::OK();
  }

  std::vector<ReviewedRow> rows_;
  std::size_t dimension_ = 0;
  std::string first_embedding_;
};

// Adds the bytes of a file to the hash, and says what is wrong where it can't be read at all.
arrow::Status HashFile(const std::string& path, arrow_io::RunningHash& hash) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    return WithKind(arrow::Status::IOError("`", kOption, "`: ", path, ": no such file"),
                    FailureKind::kNothingToRead);
  }
  if (!std::filesystem::is_regular_file(status)) {
    return ReviewedFileError(path, "expected a file but found something else");
  }
  const auto opened = arrow::io::ReadableFile::Open(path);
  if (!opened.ok()) {
    const arrow::Status failure = arrow_io::FileFailure(opened.status());
    return failure.WithMessage("`", kOption, "`: ", path, ": ", MessageOf(failure));
  }
  std::int64_t size = 0;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto part, (*opened)->Read(kBytesAtOnce));
    if (part->size() == 0) break;
    hash.Add(part->data(), static_cast<std::size_t>(part->size()));
    size += part->size();
  }
  return size > 0 ? arrow::Status::OK()
                  : ReviewedFileError(path, "expected rows but the file is empty");
}

}  // namespace

std::string NameOf(Answer answer) {
  switch (answer) {
    case Answer::kShifted:
      return "shifted";
    case Answer::kClean:
      return "clean";
    case Answer::kUnsure:
      break;
  }
  return "unsure";
}

arrow::Result<ReviewedRows> ReadReviewedRows(const std::vector<std::string>& paths,
                                             const std::string& embedding) {
  return CatchExceptions([&]() -> arrow::Result<ReviewedRows> {
    RowMaker rows;
    arrow_io::RunningHash hash;
    for (const std::string& named : paths) {
      ARROW_ASSIGN_OR_RAISE(const std::string path, PathOf(named, kOption));
      ARROW_RETURN_NOT_OK(HashFile(path, hash));
      ARROW_RETURN_NOT_OK(
          ForEachReviewedLine(path, embedding.empty() ? kUsualEmbedding : embedding,
                              [&](ReviewedLine line) { return rows.Add(std::move(line)); }));
    }
    return ReviewedRows{std::move(rows).Finish(), hash.Digits()};
  });
}

}  // namespace spuna
