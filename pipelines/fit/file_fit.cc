#include "pipelines/fit/file_fit.h"

#include <utility>

#include "pipelines/fit/fit.h"
#include "pipelines/matrix/learned_verdicts.h"
#include "pipelines/matrix/source_rows.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/run/system_memory.h"
#include "pipelines/source/named_column.h"
#include "pipelines/source/row_texts.h"

namespace spuna {
namespace {

// Whether every file of an input has a column.
arrow::Status CheckColumn(const Source& source, const TextColumn& column) {
  for (std::size_t i = 0; i < source.files().size(); ++i) {
    if (source.IsBad(i)) continue;
    const arrow_io::InputFile& file = source.files()[i];
    ARROW_RETURN_NOT_OK(NamedColumn::Find(source.SchemaOf(i), file.name, file.partitions,
                                          column.name, column.option)
                            .status());
  }
  return arrow::Status::OK();
}

FitInput InputOf(const Source& source, SourceRows rows) {
  FitInput input;
  input.rows = std::move(rows.matrix);
  input.classes = std::move(rows.classes);
  input.groups = std::move(rows.groups);
  input.ids = std::move(rows.ids);
  input.column = source.embedding();
  input.where = source.files().front().name;
  return input;
}

// One byte for every row of a pool: whether it is in the sample, and valid there.
std::vector<std::uint8_t> AmongAllRows(const Source& pool, const RowSample& sample,
                                       const std::vector<std::uint8_t>& valid_in_sample) {
  std::vector<std::uint8_t> valid;
  std::size_t next = 0;
  for (std::size_t file = 0; file < sample.rows.size(); ++file) {
    if (pool.IsBad(file)) continue;
    const std::size_t begin = valid.size();
    valid.resize(begin + static_cast<std::size_t>(pool.RowsOf(file)), 0);
    for (const std::int64_t row : sample.rows[file]) {
      valid[begin + static_cast<std::size_t>(row)] = valid_in_sample[next++];
    }
  }
  return valid;
}

// The numbers of the valid rows among all.
std::vector<std::int64_t> NumbersOf(const EmbeddingMatrix& rows) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < rows.valid.size(); ++i) {
    if (rows.valid[i] != 0) numbers.push_back(static_cast<std::int64_t>(i));
  }
  return numbers;
}

// Where each file of a pool begins among its rows; -1 for those that are bad by now.
std::vector<std::int64_t> FirstRows(const Source& pool) {
  std::vector<std::int64_t> first_rows;
  std::int64_t next = 0;
  for (std::size_t file = 0; file < pool.files().size(); ++file) {
    first_rows.push_back(pool.IsBad(file) ? -1 : next);
    if (!pool.IsBad(file)) next += pool.RowsOf(file);
  }
  return first_rows;
}

arrow::Result<FitResult> ReadAndFit(const FitRequest& request, FitCheckpoint* checkpoint,
                                    StageClock& clock) {
  const FitOptions& options = request.options;
  const bool has_findings = request.extras.findings;
  auto rows_of = [&](const Source& source, const std::string& id) {
    RowsRequest rows{source, options.invalid, options.stratify, options.fold_by, {}};
    if (request.extras.ids) rows.ids = ResolveIdColumn(source, id);
    return rows;
  };
  ARROW_ASSIGN_OR_RAISE(SourceRows trusted_rows, ReadAllRows(rows_of(request.trusted, ""), clock));
  const RowsRequest of_pool = rows_of(request.pool, request.id);
  RowSample sample;
  SourceRows pool_rows;
  if (request.IsSampled()) {
    sample = SampleRows(request.pool.files(), request.pool.RowsOfFiles(), options.fit_rows,
                        options.fit_sample, options.seed);
    AddReviewedRows(request.pool, request.pool_reviews.get(), sample);
    ARROW_ASSIGN_OR_RAISE(pool_rows, ReadSampledRows(of_pool, sample, clock));
  } else {
    ARROW_ASSIGN_OR_RAISE(pool_rows, ReadAllRows(of_pool, clock));
  }
  FitInput trusted = InputOf(request.trusted, std::move(trusted_rows));
  FitInput pool = InputOf(request.pool, std::move(pool_rows));
  RowSample valid_rows;
  if (has_findings || request.examine || request.pool_reviews != nullptr) {
    valid_rows = OnlyValid(request.pool, request.IsSampled() ? sample : EveryRow(request.pool),
                           pool.rows.valid);
  }
  pool.verdicts = LearnedVerdicts(request.pool, request.pool_reviews.get(), valid_rows);
  if (request.trusted_reviews != nullptr) {
    trusted.verdicts =
        LearnedVerdicts(request.trusted, request.trusted_reviews.get(),
                        OnlyValid(request.trusted, EveryRow(request.trusted), trusted.rows.valid));
  }
  if (request.pool_reviews != nullptr) {
    ARROW_RETURN_NOT_OK(AddOutsideRows(request.pool_reviews->outside, options, pool));
  }
  if (checkpoint != nullptr) checkpoint->TieTo(trusted, pool);
  FitExtras extras = request.extras;
  const ExamineFit examine = [&](const FitInput& learned, const FitInput& fitted,
                                 const FitResult& result) {
    request.examine(learned, fitted, result, valid_rows);
  };
  if (request.examine) {
    trusted.numbers = NumbersOf(trusted.rows);
    extras.examine = &examine;
  }
  ARROW_ASSIGN_OR_RAISE(FitResult result, Fit(std::move(trusted), std::move(pool), options, extras,
                                              clock, checkpoint));
  if (request.IsSampled()) {
    result.model.summary.sampled_from = request.pool.num_rows();
    result.pool_valid = request.extras.neighbor_scores || has_findings
                            ? AmongAllRows(request.pool, sample, result.pool_valid)
                            : std::vector<std::uint8_t>();
  }
  if (request.pool_reviews != nullptr) {
    result.reviews = request.pool_reviews;
    result.model.summary.review = SummarizeReviews(*request.pool_reviews, request.reviewed.hash);
  }
  if (result.findings) result.findings->pool_rows = valid_rows;
  result.pool_rows = std::move(valid_rows);
  result.first_rows = FirstRows(request.pool);
  return result;
}

}  // namespace

arrow::Status FitRequest::Survey(const Source::FileCheck& check, const Runtime& runtime) {
  ARROW_RETURN_NOT_OK(trusted.Survey({options.embedding, ""}, {}, runtime));
  ARROW_RETURN_NOT_OK(pool.Survey({options.embedding, trusted.embedding()}, check, runtime));
  if (IsSampled()) pool.SortByPath();
  if (!reviewed.rows.empty() && pool_reviews == nullptr) ARROW_RETURN_NOT_OK(PlaceReviews(runtime));
  if (!reviewed.rows.empty()) {
    ARROW_ASSIGN_OR_RAISE(PlacedReviews placed,
                          spuna::PlaceReviews(reviewed, /*of_trusted=*/true, trusted, "", runtime));
    trusted_reviews = std::make_shared<const PlacedReviews>(std::move(placed));
  }
  const std::vector<TextColumn> columns = {{options.stratify, "stratify"},
                                           {options.fold_by, "fold-by"}};
  for (const TextColumn& column : columns) {
    if (column.name.empty()) continue;
    ARROW_RETURN_NOT_OK(CheckColumn(trusted, column));
    ARROW_RETURN_NOT_OK(CheckColumn(pool, column));
  }
  return arrow::Status::OK();
}

arrow::Status FitRequest::PlaceReviews(const Runtime& runtime) {
  ARROW_ASSIGN_OR_RAISE(PlacedReviews placed,
                        spuna::PlaceReviews(reviewed, /*of_trusted=*/false, pool, id, runtime));
  pool_reviews = std::make_shared<const PlacedReviews>(std::move(placed));
  return arrow::Status::OK();
}

FitShape FitRequest::Shape() const {
  FitShape shape{trusted.num_rows(), NumFitRows(), trusted.dimension(), 0};
  shape.k = options.Choose(shape.rows_trusted, shape.rows_pool, shape.dimension).k;
  return shape;
}

arrow::Result<FitResult> Fit(const FitRequest& request, FitCheckpoint* checkpoint,
                             StageClock& clock) {
  return CatchExceptions([&]() -> arrow::Result<FitResult> {
    ARROW_RETURN_NOT_OK(request.options.Validate());
    if (!request.force) ARROW_RETURN_NOT_OK(CheckFitMemory(request.Shape(), FreeMemory()));
    return ReadAndFit(request, checkpoint, clock);
  });
}

}  // namespace spuna
