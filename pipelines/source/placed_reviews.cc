#include "pipelines/source/placed_reviews.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "arrow_io/hash.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/run/number_words.h"
#include "pipelines/source/named_column.h"
#include "pipelines/source/row_texts.h"

namespace spuna {
namespace {

using arrow_io::ParquetInput;

std::string TitleOf(const ReviewedRow& row) {
  if (row.file) return "row " + std::to_string(*row.row) + " of " + *row.file;
  return row.id ? "'" + *row.id + "'" : "a row without a name";
}

// Whether a second line about a row adds something, repeats the first, or contradicts it.
enum class Second { kAdds, kRepeats, kContradicts };

// What lines say of one row, taken in order.
struct Merged {
  PlacedReview review;
  bool is_contradicted = false;

  Second Add(const ReviewedRow& row, std::size_t order) {
    if (row.probability && !review.probability) {
      review.probability = row.probability;
      review.keep = row.keep;
    } else if (!review.keep && !review.probability) {
      review.keep = row.keep;
    }
    if (is_contradicted) return Second::kAdds;
    if (row.answer == review.answer) return Second::kRepeats;
    if (row.answer == Answer::kUnsure) return Second::kAdds;
    if (review.answer == Answer::kUnsure) {
      review.answer = row.answer;
      review.order = order;
      return Second::kAdds;
    }
    is_contradicted = true;
    review.answer = Answer::kUnsure;
    return Second::kContradicts;
  }
};

// Puts lines to the rows that they name, in the order of the lines.
class Placement {
 public:
  Placement(const ReviewedRows& reviewed, const std::vector<std::string>& paths)
      : reviewed_(reviewed), files_(paths.size()) {
    for (std::size_t file = 0; file < paths.size(); ++file) placed_.numbers[paths[file]] = file;
  }

  void Add(const PlacedLines::Place& place, std::size_t order) {
    auto [at, is_new] = files_[place.file].try_emplace(place.row);
    Merge(at->second, is_new, order);
  }

  // A line whose row is not in the input.
  void AddOutside(std::size_t order) {
    const ReviewedRow& row = reviewed_.rows[order];
    if (row.embedding.empty()) {
      if (++placed_.num_unknown == 1) {
        placed_.first_unknown = TitleOf(row) + " (" + row.where + ")";
      }
      return;
    }
    // Names of each kind begin with a letter of their own.
    std::string key = row.file ? "p" + *row.file + ":" + std::to_string(*row.row)
                      : row.id ? "i" + *row.id
                               : "e";
    if (key == "e") {
      key.append(reinterpret_cast<const char*>(row.embedding.data()),
                 row.embedding.size() * sizeof(float));
    }
    auto [at, is_new] = outside_.try_emplace(std::move(key));
    Merge(at->second, is_new, order);
  }

  PlacedReviews Finish() && {
    for (const auto& rows : files_) {
      FileReviews& file = placed_.files.emplace_back();
      for (const auto& [row, merged] : rows) file.emplace_hint(file.end(), row, merged.review);
    }
    std::vector<std::size_t> learned;
    for (const auto& [key, merged] : outside_) {
      const PlacedReview& review = merged.review;
      if (review.answer != Answer::kUnsure && !review.probability) learned.push_back(review.order);
    }
    std::ranges::sort(learned);
    for (const std::size_t order : learned) placed_.outside.push_back(reviewed_.rows[order]);
    return std::move(placed_);
  }

 private:
  void Merge(Merged& merged, bool is_new, std::size_t order) {
    const ReviewedRow& row = reviewed_.rows[order];
    if (is_new) {
      merged.review = {row.answer, row.probability, row.keep, order};
      return;
    }
    const ReviewedRow& first = reviewed_.rows[merged.review.order];
    switch (merged.Add(row, order)) {
      case Second::kAdds:
        return;
      case Second::kRepeats:
        ++placed_.num_repeated;
        return;
      case Second::kContradicts:
        if (++placed_.num_contradicting > 1) return;
        placed_.first_contradicting = TitleOf(row) + ": " + first.where + " says " +
                                      NameOf(first.answer) + ", " + row.where + " says " +
                                      NameOf(row.answer);
    }
  }

  const ReviewedRows& reviewed_;
  PlacedReviews placed_;
  std::vector<std::map<std::int64_t, Merged>> files_;
  std::unordered_map<std::string, Merged> outside_;
};

// The numbers of a source's files, by the paths that lines may give.
class FileNumbers {
 public:
  explicit FileNumbers(const Source& source) {
    const auto& files = source.files();
    if (files.size() == 1) {
      numbers_[std::filesystem::path(files[0].name).filename().string()] = 0;
    }
    for (std::size_t i = 0; i < files.size(); ++i) numbers_[files[i].relative_path.string()] = i;
  }

  std::optional<std::size_t> Find(const std::string& path) const {
    auto found = numbers_.find(path);
    if (found == numbers_.end()) {
      found = numbers_.find(std::filesystem::path(path).lexically_normal().string());
    }
    if (found == numbers_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
};

// The id column; without a file that is read nothing says that there is one.
IdColumn ColumnOf(const Source& source, const std::string& asked) {
  if (source.IsRead(source.FirstGood())) return ResolveIdColumn(source, asked);
  return {asked, !asked.empty()};
}

class Placer {
 public:
  Placer(const ReviewedRows& reviewed, const Source& source, const std::string& id,
         const Runtime& runtime)
      : reviewed_(reviewed),
        source_(source),
        runtime_(runtime),
        column_(ColumnOf(source, id)),
        numbers_(source) {}

  arrow::Result<PlacedReviews> Place(bool of_trusted) {
    places_.resize(reviewed_.rows.size());
    for (std::size_t i = 0; i < reviewed_.rows.size(); ++i) {
      const ReviewedRow& row = reviewed_.rows[i];
      if (row.is_trusted != of_trusted) continue;
      if (row.file) {
        AddPlace(*row.file, *row.row, i);
      } else if (row.id && !FindPlaceInId(*row.id, i)) {
        wanted_[*row.id].push_back(i);
      }
    }
    if (!wanted_.empty()) ARROW_RETURN_NOT_OK(ReadIdColumn());
    PlacedLines lines;
    lines.places = std::move(places_);
    bool has_unread_files = false;
    for (std::size_t file = 0; file < source_.files().size(); ++file) {
      lines.paths.push_back(source_.files()[file].relative_path.string());
      has_unread_files |= !source_.IsRead(file);
    }
    PlacedReviews placed = MergeReviews(reviewed_, of_trusted, lines);
    placed.has_unread_files = has_unread_files;
    return placed;
  }

 private:
  void AddPlace(const std::string& path, std::int64_t row, std::size_t order) {
    const std::optional<std::size_t> file = numbers_.Find(path);
    if (!file || (source_.IsRead(*file) && row >= source_.RowsOf(*file))) return;
    places_[order].push_back({*file, row});
  }

  bool HasIds(std::size_t file) const {
    if (!source_.IsRead(file)) return !column_.name.empty();
    return column_.IsIn(source_.SchemaOf(file), source_.files()[file].partitions);
  }

  // Whether an id is a place, as PlaceOf writes it, in a file without an id column.
  bool FindPlaceInId(const std::string& id, std::size_t order) {
    const std::size_t colon = id.rfind(':');
    if (colon == std::string::npos) return false;
    const std::optional<std::size_t> file = numbers_.Find(id.substr(0, colon));
    std::int64_t row = -1;
    const char* const end = id.data() + id.size();
    const auto [parsed, error] = std::from_chars(id.data() + colon + 1, end, row);
    if (!file || HasIds(*file) || error != std::errc() || parsed != end || row < 0) return false;
    AddPlace(id.substr(0, colon), row, order);
    return true;
  }

  arrow::Status ReadIdColumn() {
    for (std::size_t file = 0; file < source_.files().size(); ++file) {
      if (!source_.IsRead(file) || !HasIds(file)) continue;
      std::vector<std::pair<std::size_t, std::int64_t>> found;
      auto visit = [&](std::size_t, const ParquetInput& parquet) {
        return CatchExceptions([&] { return ReadIdsOf(parquet, found); });
      };
      const arrow::Status read = source_.ReadFile(file, visit, runtime_, [&] { found.clear(); });
      ARROW_RETURN_NOT_OK(source_.bad_files().Take(source_.files()[file], read));
      if (!read.ok()) continue;
      for (const auto& [order, row] : found) places_[order].push_back({file, row});
    }
    return arrow::Status::OK();
  }

  // Finds lines and the rows of a file that they name.
  arrow::Status ReadIdsOf(const ParquetInput& parquet,
                          std::vector<std::pair<std::size_t, std::int64_t>>& found) const {
    ARROW_ASSIGN_OR_RAISE(const NamedColumn column,
                          NamedColumn::Find(*parquet.schema(), parquet.name(), parquet.partitions(),
                                            column_.name, "id"));
    auto add = [&](const std::string& id, std::int64_t row) {
      const auto lines = wanted_.find(id);
      if (lines == wanted_.end()) return;
      for (const std::size_t order : lines->second) found.emplace_back(order, row);
    };
    if (column.position < 0) {
      for (std::int64_t row = 0; row < parquet.num_rows(); ++row) add(column.hive_value, row);
      return arrow::Status::OK();
    }
    auto visit = [&](const ParquetInput::Batch& batch) -> arrow::Status {
      ARROW_RETURN_NOT_OK(runtime_.CheckStop());
      ARROW_ASSIGN_OR_RAISE(const auto ids, column.Texts(*batch.rows));
      for (std::int64_t i = 0; i < ids->length(); ++i) {
        if (ids->IsValid(i)) add(ids->GetString(i), batch.first_row + i);
      }
      return arrow::Status::OK();
    };
    return parquet.ForEachBatch({column.position}, visit);
  }

  const ReviewedRows& reviewed_;
  const Source& source_;
  const Runtime& runtime_;
  const IdColumn column_;
  const FileNumbers numbers_;
  // By line.
  std::vector<std::vector<PlacedLines::Place>> places_;
  // The lines that are looked for, by id.
  std::unordered_map<std::string, std::vector<std::size_t>> wanted_;
};

}  // namespace

arrow::Result<PlacedReviews> PlaceReviews(const ReviewedRows& reviewed, bool of_trusted,
                                          const Source& source, const std::string& id,
                                          const Runtime& runtime) {
  return CatchExceptions([&] { return Placer(reviewed, source, id, runtime).Place(of_trusted); });
}

PlacedReviews MergeReviews(const ReviewedRows& reviewed, bool of_trusted,
                           const PlacedLines& lines) {
  Placement placement(reviewed, lines.paths);
  for (std::size_t i = 0; i < reviewed.rows.size(); ++i) {
    if (reviewed.rows[i].is_trusted != of_trusted) continue;
    for (const PlacedLines::Place& place : lines.places[i]) placement.Add(place, i);
    if (lines.places[i].empty()) placement.AddOutside(i);
  }
  return std::move(placement).Finish();
}

algorithms::RowVerdict LearnedVerdict(const PlacedReview& review) {
  if (review.probability || review.answer == Answer::kUnsure) return algorithms::RowVerdict::kNone;
  return review.answer == Answer::kShifted ? algorithms::RowVerdict::kShifted
                                           : algorithms::RowVerdict::kClean;
}

std::string HashOf(const FileReviews* reviews) {
  if (reviews == nullptr || reviews->empty()) return "";
  std::string text;
  for (const auto& [row, review] : *reviews) {
    text += std::to_string(row) + NameOf(review.answer) + (review.probability ? "?" : ".");
  }
  return arrow_io::HashDigits(text);
}

ReviewSummary SummarizeReviews(const PlacedReviews& placed, const std::string& hash) {
  ReviewSummary summary;
  auto count = [&](Answer answer, bool is_random) {
    std::int64_t& of_answer = answer == Answer::kShifted ? summary.shifted
                              : answer == Answer::kClean ? summary.clean
                                                         : summary.unsure;
    ++of_answer;
    if (is_random && answer != Answer::kUnsure) ++summary.random;
  };
  for (const FileReviews& file : placed.files) {
    for (const auto& [row, review] : file) count(review.answer, review.probability.has_value());
  }
  for (const ReviewedRow& row : placed.outside) count(row.answer, false);
  summary.outside = static_cast<std::int64_t>(placed.outside.size());
  summary.unknown = placed.num_unknown;
  summary.repeated = placed.num_repeated;
  summary.contradicting = placed.num_contradicting;
  summary.hash = hash;
  summary.warnings = ReviewWarnings(placed);
  return summary;
}

std::int64_t CountLastAgreeing(const ReviewedRows& reviewed) {
  std::int64_t count = 0;
  for (auto row = reviewed.rows.rbegin(); row != reviewed.rows.rend(); ++row) {
    if (row->is_trusted || row->answer == Answer::kUnsure) continue;
    if (!row->keep || *row->keep != (row->answer == Answer::kClean)) break;
    ++count;
  }
  return count;
}

std::vector<std::string> ReviewWarnings(const PlacedReviews& placed) {
  auto rows = [](std::int64_t count) {
    return Count(count) + (count == 1 ? " reviewed row" : " reviewed rows");
  };
  std::vector<std::string> warnings;
  if (placed.num_unknown > 0) {
    warnings.push_back(rows(placed.num_unknown) + (placed.num_unknown == 1 ? " is" : " are") +
                       " not in the pool" +
                       (placed.has_unread_files ? ", or in files that are not read" : "") +
                       ", and no embedding was given: ignored. The first: " + placed.first_unknown);
  }
  if (placed.num_repeated > 0) {
    warnings.push_back(Count(placed.num_repeated) +
                       (placed.num_repeated == 1 ? " verdict repeats" : " verdicts repeat") +
                       " an earlier one about the same row: each row counts once");
  }
  if (placed.num_contradicting > 0) {
    warnings.push_back(
        rows(placed.num_contradicting) + (placed.num_contradicting == 1 ? " has" : " have") +
        " contradicting verdicts and " + (placed.num_contradicting == 1 ? "counts" : "count") +
        " as unsure. The first: " + placed.first_contradicting);
  }
  return warnings;
}

}  // namespace spuna
