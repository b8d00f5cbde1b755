#include "pipelines/source/file_survey.h"

#include <arrow/type.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "arrow_io/direct_lists.h"
#include "arrow_io/embedding_column.h"
#include "arrow_io/hash.h"
#include "pipelines/run/exception_status.h"

namespace spuna {
namespace {

using arrow_io::ParquetInput;

// A store answers late, so many are asked at once.
constexpr int kFootersAtOnce = 16;

// The dimension of a file's embeddings, where it tells it without being read; else 0.
std::int64_t DimensionOf(const ParquetInput& input, int column) {
  const arrow::DataType& type = *input.schema()->field(column)->type();
  if (type.id() == arrow::Type::FIXED_SIZE_LIST) {
    return static_cast<const arrow::FixedSizeListType&>(type).list_size();
  }
  return input.num_row_groups() > 0 ? arrow_io::UniformLength(input, column, 0) : 0;
}

struct Facts {
  std::int64_t num_rows = 0;
  std::int64_t dimension = 0;
  std::int64_t decoded_bytes = 0;
};

arrow::Result<Facts> Survey(const arrow_io::InputFile& file, const std::string& embedding,
                            const std::function<arrow::Status(const ParquetInput&)>& check) {
  ARROW_ASSIGN_OR_RAISE(const auto parquet, ParquetInput::Open(file));
  ARROW_ASSIGN_OR_RAISE(const int column, arrow_io::FindEmbeddingColumn(
                                              *parquet->schema(), embedding, parquet->name()));
  if (check) ARROW_RETURN_NOT_OK(check(*parquet));
  Facts facts{parquet->num_rows(), DimensionOf(*parquet, column), 0};
  for (int i = 0; i < parquet->num_row_groups(); ++i) {
    facts.decoded_bytes += parquet->metadata().RowGroup(i)->total_byte_size();
  }
  return facts;
}

}  // namespace

arrow::Result<FileSurvey> SurveyFiles(
    const arrow_io::InputFiles& input, const std::string& embedding,
    const std::function<arrow::Status(const ParquetInput&)>& check, BadFiles& bad_files,
    const Runtime& runtime) {
  const std::size_t num_files = input.files.size();
  std::vector<arrow::Result<Facts>> facts(num_files, Facts{});
  algorithms::Execution execution;
  const bool is_stored = input.files.front().filesystem != nullptr;
  execution.num_threads = is_stored ? kFootersAtOnce : runtime.num_threads;
  execution.should_stop = runtime.should_stop;
  ARROW_RETURN_NOT_OK(CatchExceptions([&]() -> arrow::Status {
    algorithms::ParallelFor(num_files, execution, [&](std::size_t i, std::size_t) {
      if (bad_files.Has(input.files[i])) return;
      facts[i] = CatchExceptions([&] { return Survey(input.files[i], embedding, check); });
    });
    return arrow::Status::OK();
  }));
  FileSurvey survey;
  survey.num_rows.assign(num_files, 0);
  arrow::Status first_error;
  bool is_any_left = false;
  for (std::size_t i = 0; i < num_files; ++i) {
    if (!facts[i].ok()) {
      if (first_error.ok()) first_error = facts[i].status();
      ARROW_RETURN_NOT_OK(bad_files.Take(input.files[i], facts[i].status()));
      continue;
    }
    is_any_left |= !bad_files.Has(input.files[i]);
    survey.num_rows[i] = facts[i]->num_rows;
    survey.total_rows += facts[i]->num_rows;
    survey.decoded_bytes += facts[i]->decoded_bytes;
    if (survey.dimension == 0) survey.dimension = facts[i]->dimension;
  }
  if (is_any_left) return survey;
  return first_error.WithMessage("none of ", num_files,
                                 " files can be read; the first: ", first_error.message());
}

nlohmann::json Fingerprint(const arrow_io::InputFiles& input) {
  std::vector<std::string> lines;
  std::int64_t num_bytes = 0;
  for (const arrow_io::InputFile& file : input.files) {
    lines.push_back(file.relative_path.string() + '\n' + std::to_string(file.stamp.size) + '\n' +
                    std::to_string(file.stamp.changed));
    num_bytes += file.stamp.size;
  }
  std::ranges::sort(lines);
  return {
      {"files", lines.size()},
      {"bytes", num_bytes},
      {"hash", arrow_io::HashDigits(std::accumulate(lines.begin(), lines.end(), std::string(),
                                                    [](std::string all, const std::string& line) {
                                                      all += line;
                                                      all += '\n';
                                                      return all;
                                                    }))}};
}

}  // namespace spuna
