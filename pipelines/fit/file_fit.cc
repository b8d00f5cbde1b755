#include <algorithm>
#include <numeric>
#include <utility>

#include "pipelines/fit/fit.h"
#include "pipelines/fit/fit_checkpoint.h"
#include "pipelines/fit/memory.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/source/row_ids.h"

namespace spuna {
namespace {

// Those of the rows that are valid; `valid` has a byte for each.
RowSample OnlyValid(const arrow_io::InputFiles& input, RowSample rows,
                    const std::vector<std::uint8_t>& valid, const BadFiles& bad_files) {
  std::size_t next = 0;
  rows.num_rows = 0;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    if (bad_files.Has(input.files[i])) {
      rows.rows[i].clear();
    } else {
      std::erase_if(rows.rows[i], [&](std::int64_t) { return valid[next++] == 0; });
    }
    rows.num_rows += static_cast<std::int64_t>(rows.rows[i].size());
  }
  return rows;
}

// Every row of every file.
arrow::Result<RowSample> EveryRow(const arrow_io::InputFiles& input, const BadFiles& bad_files) {
  RowSample sample;
  for (const arrow_io::InputFile& file : input.files) {
    sample.rows.emplace_back();
    if (bad_files.Has(file)) continue;
    ARROW_ASSIGN_OR_RAISE(const auto parquet, arrow_io::ParquetInput::Open(file));
    sample.rows.back().resize(static_cast<std::size_t>(parquet->num_rows()));
    std::iota(sample.rows.back().begin(), sample.rows.back().end(), 0);
  }
  return sample;
}

// One byte for every row of a pool: whether it is in the sample, and valid there.
std::vector<std::uint8_t> AmongAllRows(const FitRequest& request, const RowSample& sample,
                                       const BadFiles& bad_files,
                                       const std::vector<std::uint8_t>& valid_in_sample) {
  std::vector<std::uint8_t> valid;
  std::size_t next = 0;
  for (std::size_t file = 0; file < sample.rows.size(); ++file) {
    if (bad_files.Has(request.pool.files[file])) continue;
    const std::size_t begin = valid.size();
    valid.resize(begin + static_cast<std::size_t>(request.pool_survey.num_rows[file]), 0);
    for (const std::int64_t row : sample.rows[file]) {
      valid[begin + static_cast<std::size_t>(row)] = valid_in_sample[next++];
    }
  }
  return valid;
}

}  // namespace

arrow::Result<std::string> ResolvePoolEmbedding(const FitRequest& request, BadFiles& bad_files) {
  const std::string& asked = request.options.embedding;
  ARROW_ASSIGN_OR_RAISE(const std::string trusted,
                        ResolveEmbeddingColumn(request.trusted, asked, ""));
  return ResolveEmbeddingColumn(request.pool, asked, trusted, &bad_files);
}

arrow::Status SurveyPool(FitRequest& request,
                         const std::function<arrow::Status(const arrow_io::ParquetInput&)>& check,
                         BadFiles& bad_files, const Runtime& runtime) {
  ARROW_ASSIGN_OR_RAISE(const std::string column, ResolvePoolEmbedding(request, bad_files));
  ARROW_ASSIGN_OR_RAISE(request.pool_survey,
                        SurveyFiles(request.pool, column, check, bad_files, runtime));
  if (!request.IsSampled()) return arrow::Status::OK();
  std::vector<std::size_t> order(request.pool.files.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return request.pool.files[i].relative_path; });
  arrow_io::InputFiles sorted = request.pool;
  std::vector<std::int64_t> num_rows = request.pool_survey.num_rows;
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted.files[i] = request.pool.files[order[i]];
    num_rows[i] = request.pool_survey.num_rows[order[i]];
  }
  request.pool = std::move(sorted);
  request.pool_survey.num_rows = std::move(num_rows);
  return arrow::Status::OK();
}

arrow::Result<FitResult> Fit(const FitRequest& request, BadFiles& bad_files,
                             FitCheckpoint* checkpoint, StageClock& clock) {
  return CatchExceptions([&]() -> arrow::Result<FitResult> {
    const FitOptions& options = request.options;
    ARROW_RETURN_NOT_OK(options.Validate());
    FitInput trusted;
    FitInput pool;
    trusted.where = request.trusted.files.front().name;
    pool.where = request.pool.files.front().name;
    BadFiles none(OnBadFile::kError);
    ARROW_ASSIGN_OR_RAISE(trusted.column,
                          ResolveEmbeddingColumn(request.trusted, options.embedding, ""));
    ARROW_ASSIGN_OR_RAISE(pool.column, ResolvePoolEmbedding(request, bad_files));
    if (!request.force) {
      ARROW_ASSIGN_OR_RAISE(const FitShape shape, MeasureFit(request, clock.runtime()));
      ARROW_RETURN_NOT_OK(CheckFitMemory(shape, FreeMemory()));
    }
    ARROW_ASSIGN_OR_RAISE(trusted.rows, ReadEmbeddingMatrix({request.trusted, trusted.column,
                                                             options.invalid, "trusted", none},
                                                            clock));
    const MatrixRequest pool_rows{request.pool, pool.column, options.invalid, "pool", bad_files};
    RowSample sample;
    if (request.IsSampled()) {
      sample = SampleRows(request.pool, request.pool_survey.num_rows, options.fit_rows,
                          options.fit_sample, options.seed);
      ARROW_ASSIGN_OR_RAISE(pool.rows, ReadSampledMatrix(pool_rows, sample, clock));
    } else {
      ARROW_ASSIGN_OR_RAISE(pool.rows, ReadEmbeddingMatrix(pool_rows, clock));
    }
    RowSample trusted_rows;
    RowSample of_pool;
    if (!options.stratify.empty() || request.extras.findings) {
      ARROW_ASSIGN_OR_RAISE(trusted_rows, EveryRow(request.trusted, none));
      trusted_rows = OnlyValid(request.trusted, std::move(trusted_rows), trusted.rows.valid, none);
      of_pool = sample;
      if (!request.IsSampled()) {
        ARROW_ASSIGN_OR_RAISE(of_pool, EveryRow(request.pool, bad_files));
      }
      of_pool = OnlyValid(request.pool, std::move(of_pool), pool.rows.valid, bad_files);
    }
    if (!options.stratify.empty()) {
      const std::string& column = options.stratify;
      ARROW_ASSIGN_OR_RAISE(trusted.classes, ReadTexts(request.trusted, trusted_rows, column,
                                                       "stratify", none, clock.runtime()));
      ARROW_ASSIGN_OR_RAISE(pool.classes, ReadTexts(request.pool, of_pool, column, "stratify",
                                                    bad_files, clock.runtime()));
    }
    if (checkpoint != nullptr) checkpoint->TieTo(trusted.rows, pool.rows);
    ARROW_ASSIGN_OR_RAISE(FitResult result, Fit(trusted, std::move(pool), options, request.extras,
                                                clock, checkpoint));
    if (request.IsSampled()) {
      result.model.summary.sampled_from = request.pool_survey.total_rows;
      result.pool_valid = request.extras.neighbor_scores || request.extras.findings
                              ? AmongAllRows(request, sample, bad_files, result.pool_valid)
                              : std::vector<std::uint8_t>();
    }
    if (result.findings) {
      result.findings->trusted_rows = std::move(trusted_rows);
      result.findings->pool_rows = std::move(of_pool);
    }
    return result;
  });
}

}  // namespace spuna
