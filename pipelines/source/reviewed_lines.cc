#include "pipelines/source/reviewed_lines.h"

#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <arrow/csv/api.h>
#include <arrow/io/file.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "arrow_io/embedding_column.h"
#include "arrow_io/parquet_input.h"
#include "pipelines/source/named_column.h"

namespace spuna {
namespace {

using arrow_io::ParquetInput;
using nlohmann::json;
using Visit = std::function<arrow::Status(ReviewedLine)>;

constexpr auto kNumColumns = ReviewedLine::kNumColumns;
constexpr auto& kColumns = ReviewedLine::kNames;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// A line of CSV must fit into it.
constexpr std::int32_t kBlockBytes = 16 << 20;

// The columns of a file that are ours; that of the verdicts must be there.
arrow::Result<std::array<std::optional<NamedColumn>, kNumColumns>> FindColumns(
    const arrow::Schema& schema, const std::string& path) {
  std::array<std::optional<NamedColumn>, kNumColumns> columns;
  for (std::size_t i = 0; i < kNumColumns; ++i) {
    ARROW_ASSIGN_OR_RAISE(columns[i], NamedColumn::FindIfThere(schema, path, {}, kColumns[i]));
  }
  if (columns[ReviewedLine::kVerdict]) return columns;
  return ReviewedFileError(path, "expected a column 'verdict' but found " +
                                     arrow_io::QuotedNames(schema, arrow_io::AllColumns(schema)));
}

// The texts of a batch, column by column; null where a column is not there.
using Texts = std::array<std::shared_ptr<arrow::StringArray>, kNumColumns>;

arrow::Result<Texts> TextsOf(const std::array<std::optional<NamedColumn>, kNumColumns>& columns,
                             const arrow::RecordBatch& batch) {
  Texts texts;
  for (std::size_t i = 0; i < kNumColumns; ++i) {
    if (!columns[i]) continue;
    ARROW_ASSIGN_OR_RAISE(texts[i], columns[i]->Texts(batch));
  }
  return texts;
}

ReviewedLine LineOf(const Texts& texts, std::int64_t at, std::string where) {
  ReviewedLine line;
  for (std::size_t i = 0; i < kNumColumns; ++i) {
    if (texts[i] && texts[i]->IsValid(at)) line.texts[i] = texts[i]->GetString(at);
  }
  line.where = std::move(where);
  return line;
}

// A line with too few or too many values, as the reader of CSV meets it.
struct WrongLine {
  std::int64_t number = 0;
  std::int64_t expected = 0;
  std::int64_t found = 0;
};

// Without names all columns are there, as the reader guesses them; with names these alone, as text.
arrow::Result<std::shared_ptr<arrow::csv::StreamingReader>> OpenCsv(
    const std::string& path, const std::vector<std::string>& names, WrongLine& wrong) {
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::ReadableFile::Open(path));
  auto read = arrow::csv::ReadOptions::Defaults();
  // The numbers of lines are not known to several threads.
  read.use_threads = false;
  read.block_size = kBlockBytes;
  auto parse = arrow::csv::ParseOptions::Defaults();
  parse.newlines_in_values = true;
  parse.invalid_row_handler = [&wrong](const arrow::csv::InvalidRow& row) {
    wrong = {row.number, row.expected_columns, row.actual_columns};
    return arrow::csv::InvalidRowResult::Error;
  };
  auto convert = arrow::csv::ConvertOptions::Defaults();
  convert.include_columns = names;
  for (const std::string& name : names) convert.column_types[name] = arrow::utf8();
  return arrow::csv::StreamingReader::Make(arrow::io::default_io_context(), file, read, parse,
                                           convert);
}

arrow::Status ReadCsv(const std::string& path, const Visit& visit) {
  WrongLine wrong;
  auto explain = [&](const arrow::Status& status) {
    if (wrong.number > 0) {
      return arrow::Status::Invalid(path, ", line ", wrong.number, ": expected ", wrong.expected,
                                    " values, as many as the header has, but found ", wrong.found);
    }
    return status.WithMessage("`reviewed`: ", path, ": ", status.message());
  };
  const auto header = OpenCsv(path, {}, wrong);
  if (!header.ok()) return explain(header.status());
  ARROW_ASSIGN_OR_RAISE(const auto columns, FindColumns(*(*header)->schema(), path));
  std::vector<std::string> names;
  for (const auto& column : columns) {
    if (column) names.push_back(column->name);
  }
  const auto reader = OpenCsv(path, names, wrong);
  if (!reader.ok()) return explain(reader.status());
  std::int64_t number = 2;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    const arrow::Status read = (*reader)->ReadNext(&batch);
    if (!read.ok()) return explain(read);
    if (batch == nullptr) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const Texts texts, TextsOf(columns, *batch));
    for (std::int64_t i = 0; i < batch->num_rows(); ++i, ++number) {
      ARROW_RETURN_NOT_OK(visit(LineOf(texts, i, path + ", line " + std::to_string(number))));
    }
  }
}

// A value of JSON as NamedColumn::Texts has it.
arrow::Result<std::string> TextOf(const json& value, const ReviewedLine& line, const char* column) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) {
    ARROW_ASSIGN_OR_RAISE(const auto text,
                          arrow::compute::Cast(arrow::Datum(value.get<double>()), arrow::utf8()));
    return std::string(text.scalar_as<arrow::StringScalar>().view());
  }
  if (value.is_number() || value.is_boolean()) return value.dump();
  return line.Error(std::string(column) + " as text or a number",
                    value.is_array() ? "a list" : "an object");
}

arrow::Result<std::vector<float>> EmbeddingOf(const json& value, const ReviewedLine& line,
                                              const std::string& column) {
  std::vector<float> embedding;
  if (value.is_null()) return embedding;
  auto is_number = [](const json& item) { return item.is_number(); };
  if (!value.is_array() || value.empty() || !std::ranges::all_of(value, is_number)) {
    const std::string found = value.dump(-1, ' ', false, json::error_handler_t::replace);
    return line.Error(column + " as a list of numbers",
                      found.size() > 60 ? found.substr(0, 60) + "…" : found);
  }
  for (const json& item : value) embedding.push_back(static_cast<float>(item.get<double>()));
  return embedding;
}

arrow::Status ReadJson(const std::string& path, const std::string& embedding, const Visit& visit) {
  std::ifstream file(path, std::ios::binary);
  bool has_verdict = false;
  bool is_empty = true;
  std::string text;
  for (std::int64_t number = 1; std::getline(file, text); ++number) {
    if (number == 1 && text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
    if (PlainWord(text).empty()) continue;
    is_empty = false;
    ReviewedLine line;
    line.where = path + ", line " + std::to_string(number);
    const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!object.is_object()) {
      return line.Error("one JSON object in the line",
                        object.is_discarded() ? "something else" : object.type_name());
    }
    for (std::size_t i = 0; i < kNumColumns; ++i) {
      const auto found = object.find(kColumns[i]);
      if (found == object.end()) continue;
      has_verdict = has_verdict || i == ReviewedLine::kVerdict;
      ARROW_ASSIGN_OR_RAISE(line.texts[i], TextOf(*found, line, kColumns[i]));
    }
    if (const auto found = object.find(embedding); found != object.end()) {
      ARROW_ASSIGN_OR_RAISE(line.embedding, EmbeddingOf(*found, line, embedding));
    }
    ARROW_RETURN_NOT_OK(visit(std::move(line)));
  }
  if (file.bad()) return ReviewedFileError(path, "it can't be read to its end");
  if (is_empty) return ReviewedFileError(path, "expected a JSON object a line but found no line");
  if (has_verdict) return arrow::Status::OK();
  return ReviewedFileError(path, "expected 'verdict' in its lines but found it in none");
}

arrow::Status ReadParquet(const std::string& path, const std::string& embedding,
                          const Visit& visit) {
  ARROW_ASSIGN_OR_RAISE(const auto parquet, ParquetInput::Open(path));
  const arrow::Schema& schema = *parquet->schema();
  ARROW_ASSIGN_OR_RAISE(const auto columns, FindColumns(schema, path));
  ARROW_ASSIGN_OR_RAISE(const auto vectors, NamedColumn::FindIfThere(schema, path, {}, embedding));
  std::vector<const NamedColumn*> wanted;
  for (const auto& column : columns) {
    if (column) wanted.push_back(&*column);
  }
  if (vectors) wanted.push_back(&*vectors);
  return parquet->ForEachBatch(
      Positions(wanted), [&](const ParquetInput::Batch& batch) -> arrow::Status {
        ARROW_ASSIGN_OR_RAISE(const Texts texts, TextsOf(columns, *batch.rows));
        arrow_io::EmbeddingRows read;
        const auto lists = vectors ? batch.rows->GetColumnByName(embedding) : nullptr;
        if (lists) {
          ARROW_ASSIGN_OR_RAISE(
              read, arrow_io::ReadEmbeddings(lists, 0, {embedding, path, batch.first_row}));
        }
        for (std::int64_t i = 0; i < batch.rows->num_rows(); ++i) {
          ReviewedLine line =
              LineOf(texts, i, path + ", row " + std::to_string(batch.first_row + i));
          if (lists && lists->IsValid(i)) {
            const float* const values = read.values + i * read.dimension;
            line.embedding.assign(values, values + read.dimension);
            // A null among the numbers has no value of its own.
            if (read.valid[static_cast<std::size_t>(i)] == 0) line.embedding[0] = std::nanf("");
          }
          ARROW_RETURN_NOT_OK(visit(std::move(line)));
        }
        return arrow::Status::OK();
      });
}

}  // namespace

arrow::Status ReviewedLine::Error(const std::string& expected, const std::string& found) const {
  return arrow::Status::Invalid(where, ": expected ", expected, " but found ", found);
}

arrow::Status ReviewedFileError(const std::string& path, const std::string& what) {
  return arrow::Status::Invalid("`reviewed`: ", path, ": ", what);
}

std::string PlainWord(std::string_view text) {
  constexpr const char* kBlanks = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return "";
  std::string word(text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1));
  for (char& letter : word) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return word;
}

arrow::Status ForEachReviewedLine(const std::string& path, const std::string& embedding,
                                  const Visit& visit) {
  const std::string ending = PlainWord(std::filesystem::path(path).extension().string());
  auto is_one_of = [&](std::initializer_list<const char*> endings) {
    return std::ranges::find(endings, ending) != endings.end();
  };
  if (is_one_of({".csv"})) return ReadCsv(path, visit);
  if (is_one_of({".jsonl", ".ndjson", ".json"})) return ReadJson(path, embedding, visit);
  if (is_one_of({".parquet", ".parq", ".pq"})) return ReadParquet(path, embedding, visit);
  return ReviewedFileError(
      path,
      "expected a name that ends in .csv (CSV), .jsonl (JSON lines) or .parquet "
      "(Parquet) but found '" +
          ending + "'");
}

}  // namespace spuna
