#include "pipelines/source/source.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <utility>

#include "arrow_io/direct_lists.h"
#include "arrow_io/embedding_column.h"
#include "arrow_io/file_identity.h"
#include "arrow_io/hash.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/source/retries.h"

namespace spuna {
namespace {

using arrow_io::ParquetInput;

// A store answers late, so many are asked at once.
constexpr int kFootersAtOnce = 16;

// The dimension of a file's embeddings, where it is known without reading them; else 0.
std::int64_t DimensionInFooter(const ParquetInput& parquet, int column) {
  const arrow::DataType& type = *parquet.schema()->field(column)->type();
  if (type.id() == arrow::Type::FIXED_SIZE_LIST) {
    return static_cast<const arrow::FixedSizeListType&>(type).list_size();
  }
  return parquet.num_row_groups() > 0 ? arrow_io::UniformLength(parquet, column, 0) : 0;
}

// The dimension of the first row that has one; 0 where none does. What can't be read is reported by
// whoever reads it.
std::int64_t DimensionOfFirstRow(const ParquetInput& parquet, const std::string& column,
                                 const Runtime& runtime) {
  ParquetInput::Cursor cursor = parquet.Read({parquet.schema()->GetFieldIndex(column)});
  while (!runtime.ShouldStop()) {
    const arrow::Result<ParquetInput::Batch> batch = cursor.Next();
    if (!batch.ok() || batch->rows == nullptr) return 0;
    const auto values = batch->rows->column(0);
    for (std::int64_t row = 0; row < values->length(); ++row) {
      if (values->IsNull(row)) continue;
      const auto read = arrow_io::ReadEmbeddings(values->Slice(row, 1), 0, {"", "", 0});
      if (read.ok() && read->dimension > 0) return read->dimension;
    }
  }
  return 0;
}

// What a fingerprint says of a file in any case.
std::string LineOf(const arrow_io::InputFile& file) {
  return file.relative_path.string() + '\n' + std::to_string(file.stamp.size) + '\n';
}

nlohmann::json FingerprintOf(std::vector<std::string> lines,
                             const std::vector<arrow_io::InputFile>& files) {
  std::ranges::sort(lines);
  std::string all;
  for (const std::string& line : lines) all += line + '\n';
  std::int64_t num_bytes = 0;
  for (const arrow_io::InputFile& file : files) num_bytes += file.stamp.size;
  return {{"files", lines.size()}, {"bytes", num_bytes}, {"hash", arrow_io::HashDigits(all)}};
}

// That every file is bad; `first` is the error of the first one.
arrow::Status NoneLeft(std::size_t num_files, const arrow::Status& first) {
  return WithKind(
      first.WithMessage("none of ", num_files, " files can be read; the first: ", first.message()),
      FailureKind::kNothingToRead);
}

}  // namespace

Source::Source(arrow_io::InputFiles input, std::string option, OnBadFile on_bad_file,
               std::optional<std::int64_t> max_bad_files)
    : input_(std::move(input)),
      option_(std::move(option)),
      bad_files_(std::make_unique<BadFiles>(on_bad_file, max_bad_files)),
      given_order_(input_.files.size()) {
  std::iota(given_order_.begin(), given_order_.end(), 0);
}

arrow::Result<Source> Source::List(const arrow_io::InputListing& listing, OnBadFile on_bad_file,
                                   std::optional<std::int64_t> max_bad_files) {
  ARROW_ASSIGN_OR_RAISE(arrow_io::InputFiles input, arrow_io::ListInputFiles(listing));
  return Source(std::move(input), listing.option, on_bad_file, max_bad_files);
}

arrow::Status Source::ChooseLayout(const std::string& output,
                                   const std::optional<std::string>& dropped) {
  if (!input_.is_single_file) return arrow::Status::OK();
  const bool is_directory = output.ends_with('/');
  if (dropped && dropped->ends_with('/') != is_directory) {
    return arrow::Status::Invalid("`dropped`: ", *dropped, ": expected a ",
                                  is_directory ? "directory, with '/' at the end" : "file",
                                  ", as `out` is one: ", output);
  }
  input_.is_single_file = !is_directory;
  return arrow::Status::OK();
}

arrow::Result<Source::Facts> Source::ReadFacts(const ParquetInput& parquet,
                                               const FileCheck& check) const {
  ARROW_ASSIGN_OR_RAISE(const int column, arrow_io::FindEmbeddingColumn(
                                              *parquet.schema(), embedding_, parquet.name()));
  if (check) ARROW_RETURN_NOT_OK(check(parquet));
  return Facts{parquet.num_rows(), DimensionInFooter(parquet, column), parquet.schema()};
}

arrow::Result<std::optional<Source::First>> Source::SurveyFirst(const ColumnChoice& choice,
                                                                const FileCheck& check,
                                                                const Runtime& runtime) {
  arrow::Status first_error;
  embedding_.clear();
  bool leaves_alone = false;
  for (std::size_t i = 0; i < input_.files.size(); ++i) {
    leaves_alone |= IsLeftAlone(i);
    if (IsLeftAlone(i)) continue;
    const arrow_io::InputFile& file = input_.files[i];
    std::unique_ptr<ParquetInput> parquet;
    arrow::Status surveyed = RetryMayPass(runtime, file, [&] {
      return CatchExceptions([&] { return ParquetInput::Open(file).Value(&parquet); });
    });
    if (surveyed.ok()) {
      // The first file that can be read decides, and so its columns are no reason to skip it.
      if (embedding_.empty()) {
        ARROW_ASSIGN_OR_RAISE(embedding_,
                              ResolveEmbeddingColumn(*parquet->schema(), file.name, choice));
      }
      auto facts = CatchExceptions([&] { return ReadFacts(*parquet, check); });
      surveyed = facts.status();
      if (facts.ok()) {
        facts_[i] = *std::move(facts);
        return std::optional<First>(First{i, std::move(parquet)});
      }
    }
    if (first_error.ok()) first_error = surveyed;
    ARROW_RETURN_NOT_OK(bad_files_->Take(file, surveyed));
  }
  if (leaves_alone) return std::nullopt;
  return NoneLeft(input_.files.size(), first_error);
}

arrow::Status Source::Survey(const ColumnChoice& choice, const FileCheck& check,
                             const Runtime& runtime) {
  facts_.assign(input_.files.size(), {});
  ARROW_ASSIGN_OR_RAISE(const std::optional<First> first, SurveyFirst(choice, check, runtime));
  if (!first) return arrow::Status::OK();
  const std::shared_ptr<arrow::Schema>& first_schema = facts_[first->file].schema;
  const std::size_t begin = first->file + 1;
  std::vector<arrow::Status> statuses(input_.files.size() - begin);
  // A store that is down is not asked for every file: what may pass ends the run anyway.
  std::atomic<bool> gives_up = false;
  algorithms::Execution execution = runtime.MakeExecution();
  const bool is_stored = input_.files.front().filesystem != nullptr;
  if (is_stored) execution.num_threads = kFootersAtOnce;
  ARROW_RETURN_NOT_OK(CatchExceptions([&]() -> arrow::Status {
    algorithms::ParallelFor(statuses.size(), execution, [&](std::size_t i, std::size_t) {
      if (gives_up || IsLeftAlone(begin + i)) return;
      const arrow_io::InputFile& file = input_.files[begin + i];
      auto read_facts = [&]() -> arrow::Status {
        ARROW_ASSIGN_OR_RAISE(const auto parquet, ParquetInput::Open(file));
        Facts& facts = facts_[begin + i];
        ARROW_ASSIGN_OR_RAISE(facts, ReadFacts(*parquet, check));
        // Most files have the columns of the first: one schema serves them all.
        if (facts.schema->Equals(*first_schema, /*check_metadata=*/true)) {
          facts.schema = first_schema;
        }
        return arrow::Status::OK();
      };
      statuses[i] = RetryMayPass(runtime, file,
                                 [&] { return CatchExceptions([&] { return read_facts(); }); });
      if (KindOf(statuses[i]) == FailureKind::kMayPass) gives_up = true;
    });
    return arrow::Status::OK();
  }));
  ARROW_RETURN_NOT_OK(bad_files_->TakeAll(std::span(input_.files).subspan(begin), statuses));
  const auto known = std::ranges::find_if(facts_, [](const Facts& f) { return f.dimension > 0; });
  dimension_ = known != facts_.end() ? known->dimension
                                     : DimensionOfFirstRow(*first->parquet, embedding_, runtime);
  return arrow::Status::OK();
}

std::string Source::name() const {
  return input_.files.size() == 1 ? input_.files.front().name
                                  : std::to_string(input_.files.size()) + " files";
}

std::string Source::Root() const {
  const arrow_io::InputFile& file = input_.files.front();
  const std::string name = file.filesystem == nullptr
                               ? std::filesystem::absolute(file.name).lexically_normal().string()
                               : file.name;
  const std::string relative = file.relative_path.string();
  return name.ends_with(relative) ? name.substr(0, name.size() - relative.size()) : name;
}

nlohmann::json Source::Fingerprint() const {
  std::vector<std::string> lines;
  for (const arrow_io::InputFile& file : input_.files) {
    lines.push_back(LineOf(file) + std::to_string(file.stamp.changed));
  }
  return FingerprintOf(std::move(lines), input_.files);
}

arrow::Result<nlohmann::json> Source::FooterFingerprint() const {
  std::vector<std::string> lines;
  for (const arrow_io::InputFile& file : input_.files) {
    ARROW_ASSIGN_OR_RAISE(const std::string footer, arrow_io::FooterHash(file));
    lines.push_back(LineOf(file) + footer);
  }
  return FingerprintOf(std::move(lines), input_.files);
}

std::vector<std::int64_t> Source::RowsOfFiles() const {
  std::vector<std::int64_t> rows;
  rows.reserve(facts_.size());
  for (const Facts& facts : facts_) rows.push_back(facts.num_rows);
  return rows;
}

std::int64_t Source::num_rows() const {
  std::int64_t total = 0;
  for (const Facts& facts : facts_) total += facts.num_rows;
  return total;
}

std::size_t Source::FirstGood() const {
  std::size_t file = 0;
  while (file + 1 < input_.files.size() && !IsRead(file)) ++file;
  return file;
}

void Source::SortByPath() {
  std::vector<std::size_t> order(input_.files.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return input_.files[i].relative_path; });
  std::vector<arrow_io::InputFile> files;
  std::vector<Facts> facts;
  std::vector<std::size_t> moved_to(order.size());
  for (const std::size_t i : order) {
    moved_to[i] = files.size();
    files.push_back(std::move(input_.files[i]));
    facts.push_back(std::move(facts_[i]));
  }
  input_.files = std::move(files);
  facts_ = std::move(facts);
  for (std::size_t& file : given_order_) file = moved_to[file];
}

arrow::Status Source::RequireFiles() const {
  const SkippedFiles skipped = bad_files_->skipped();
  if (skipped.empty() || skipped.size() < input_.files.size()) return arrow::Status::OK();
  return NoneLeft(skipped.size(), arrow::Status::IOError(skipped.begin()->second.reason));
}

arrow::Status Source::ReadFile(std::size_t file, const FileVisit& visit, const Runtime& runtime,
                               const std::function<void()>& go_back) const {
  const arrow_io::InputFile& input = input_.files[file];
  std::unique_ptr<ParquetInput> parquet;
  auto open = [&] { return ParquetInput::Open(input).Value(&parquet); };
  auto read = [&]() -> arrow::Status {
    if (go_back) go_back();
    ARROW_RETURN_NOT_OK(go_back ? open() : RetryMayPass(runtime, input, open));
    return visit(file, *parquet);
  };
  return CheckUnchanged(input, go_back ? RetryMayPass(runtime, input, read) : read());
}

arrow::Status Source::ForEachFile(const FileVisit& visit, const Runtime& runtime) const {
  for (std::size_t file = 0; file < input_.files.size(); ++file) {
    if (IsRead(file)) ARROW_RETURN_NOT_OK(ReadFile(file, visit, runtime));
  }
  return arrow::Status::OK();
}

arrow::Status CheckUnchanged(const arrow_io::InputFile& file, const arrow::Status& read) {
  if (read.IsCancelled() || KindOf(read) == FailureKind::kMayPass) return read;
  ARROW_RETURN_NOT_OK(file.CheckUnchanged());
  return read;
}

arrow::Result<std::string> ResolveEmbeddingColumn(const arrow::Schema& schema,
                                                  const std::string& where,
                                                  const Source::ColumnChoice& choice) {
  const int known = choice.preferred.empty() ? -1 : schema.GetFieldIndex(choice.preferred);
  if (choice.asked.empty() && known >= 0 &&
      arrow_io::IsEmbeddingType(*schema.field(known)->type())) {
    return choice.preferred;
  }
  ARROW_ASSIGN_OR_RAISE(int column, arrow_io::FindEmbeddingColumn(schema, choice.asked, where));
  // A column is known by its name from here on, so the name must be its own.
  ARROW_ASSIGN_OR_RAISE(column,
                        arrow_io::FindEmbeddingColumn(schema, schema.field(column)->name(), where));
  return schema.field(column)->name();
}

}  // namespace spuna
