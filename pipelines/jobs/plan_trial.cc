#include "pipelines/jobs/plan_trial.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "algorithms/rows/evenly_taken.h"
#include "arrow_io/parquet_input.h"
#include "arrow_io/staged_output.h"
#include "pipelines/fit/fit.h"
#include "pipelines/matrix/source_rows.h"
#include "pipelines/run/system_memory.h"
#include "pipelines/score/file_scorer.h"

namespace spuna {
namespace {

using arrow_io::ParquetInput;
using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The files that are looked at, and how much of a row group of each.
constexpr std::size_t kMaxFiles = 8;
constexpr std::int64_t kBytesPerFile = 16 << 20;
constexpr std::int64_t kBytesToScore = 128 << 20;

// Some files from all over an input that was surveyed, and have rows.
std::vector<std::size_t> SpreadFiles(const Source& source) {
  std::vector<std::size_t> good;
  for (std::size_t i = 0; i < source.files().size(); ++i) {
    if (source.RowsOf(i) > 0 && source.IsRead(i)) good.push_back(i);
  }
  std::vector<std::size_t> spread;
  for (const std::uint32_t i : algorithms::EvenlyTaken(good.size(), kMaxFiles)) {
    spread.push_back(good[i]);
  }
  return spread;
}

struct SmallPool {
  EmbeddingMatrix rows;
  double seconds_per_row = 0;
};

// Reads about `wanted` rows spread over the pool, and measures how fast rows were read on the way.
arrow::Result<SmallPool> ReadSmallPool(const FitRequest& request, std::int64_t wanted,
                                       const Runtime& runtime) {
  const Source& source = request.pool;
  const std::vector<std::size_t> files = SpreadFiles(source);
  RowSample sample;
  sample.rows.resize(source.files().size());
  std::int64_t rows_passed = 0;
  std::int64_t rows_available = 0;
  for (const std::size_t file : files) rows_available += source.RowsOf(file);
  for (const std::size_t file : files) {
    const std::int64_t num_rows = source.RowsOf(file);
    const std::int64_t count = std::min(num_rows, (wanted * num_rows + rows_available - 1) /
                                                      std::max<std::int64_t>(rows_available, 1));
    std::int64_t stretch = count;
    auto measure = [&](std::size_t, const ParquetInput& parquet) {
      stretch = std::max(
          count, std::min(num_rows, arrow_io::RowsWithin(parquet.metadata(), kBytesPerFile)));
      return arrow::Status::OK();
    };
    ARROW_RETURN_NOT_OK(source.ReadFile(file, measure, runtime));
    for (std::int64_t i = 0; i < count; ++i) {
      sample.rows[file].push_back((i + 1) * stretch / count - 1);
    }
    rows_passed += stretch;
  }
  SmallPool pool;
  const Runtime quiet = runtime.Quiet();
  StageClock clock(quiet);
  const auto begin = Clock::now();
  ARROW_ASSIGN_OR_RAISE(
      SourceRows rows,
      ReadSampledRows({source, request.options.invalid, "", "", {}}, sample, clock));
  pool.rows = std::move(rows.matrix);
  pool.seconds_per_row = SecondsSince(begin) / static_cast<double>(rows_passed);
  return pool;
}

// The first rows of a matrix.
EmbeddingMatrix FirstRows(const EmbeddingMatrix& matrix, std::int64_t num_rows) {
  EmbeddingMatrix first;
  first.dimension = matrix.dimension;
  first.values.assign(
      matrix.values.begin(),
      matrix.values.begin() + static_cast<std::ptrdiff_t>(num_rows * matrix.dimension));
  first.valid.assign(static_cast<std::size_t>(num_rows), 1);
  return first;
}

struct SmallFit {
  std::map<std::string, double> seconds;
  Model model;
};

arrow::Result<SmallFit> RunSmallFit(const FitInput& trusted, const FitInput& pool,
                                    std::int64_t num_rows, const FitRequest& request,
                                    const Runtime& runtime) {
  FitInput part;
  part.column = pool.column;
  part.where = pool.where;
  part.rows = FirstRows(pool.rows, num_rows);
  FitOptions options = request.options;
  // Classes, groups and findings would need texts of the rows, and take no time beside the rest.
  options.stratify.clear();
  options.fold_by.clear();
  FitExtras extras = request.extras;
  extras.findings = false;
  if (options.alpha)
    options.alpha = std::min(*options.alpha, std::max<std::int64_t>(num_rows / 4, 1));
  const Runtime quiet = runtime.Quiet();
  StageClock clock(quiet);
  ARROW_ASSIGN_OR_RAISE(FitResult fit, Fit(trusted, std::move(part), options, extras, clock));
  return SmallFit{clock.Seconds(), std::move(fit.model)};
}

bool IsQuadratic(const std::string& stage) {
  return stage == "expand" || stage == "neighbor_score" || stage == "entropy";
}

// The rows that learning sees in all: those of one epoch and the number of epochs.
double RowsLearned(const FitOptions& options, std::int64_t rows_trusted, std::int64_t rows_pool,
                   std::int64_t dimension) {
  const FitChoices choices = options.Choose(rows_trusted, rows_pool, dimension);
  return static_cast<double>(choices.epochs) * static_cast<double>(rows_trusted + rows_pool);
}

// What two terms that work may grow like come to at three sizes.
struct Growth {
  double steep[3];
  double flat[3];
};

// Seconds at the third size, from those at two smaller ones, of work that grows like both terms
// together.
double Extrapolate(const double seconds[2], const Growth& growth) {
  const auto& [s0, s1, s2] = growth.steep;
  const auto& [f0, f1, f2] = growth.flat;
  const double determinant = s0 * f1 - s1 * f0;
  double steep = determinant == 0 ? -1 : (seconds[0] * f1 - seconds[1] * f0) / determinant;
  double flat = determinant == 0 ? -1 : (s0 * seconds[1] - s1 * seconds[0]) / determinant;
  // Time that would shrink with the size is noise: then one term has to explain the larger.
  if (steep < 0) {
    steep = 0;
    flat = seconds[1] / f1;
  } else if (flat < 0) {
    flat = 0;
    steep = seconds[1] / s1;
  }
  return steep * s2 + flat * f2;
}

}  // namespace

arrow::Result<FitTrial> TryFit(const FitRequest& request, const Runtime& runtime) {
  const FitOptions& options = request.options;
  FitInput trusted;
  FitInput pool;
  trusted.where = request.trusted.files().front().name;
  pool.where = request.pool.files().front().name;
  trusted.column = request.trusted.embedding();
  pool.column = request.pool.embedding();
  const Runtime quiet = runtime.Quiet();
  StageClock clock(quiet);
  const auto begin = Clock::now();
  ARROW_ASSIGN_OR_RAISE(SourceRows trusted_rows,
                        ReadAllRows({request.trusted, options.invalid, "", "", {}}, clock));
  trusted.rows = std::move(trusted_rows.matrix);
  FitTrial trial;
  trial.seconds["read"] = SecondsSince(begin);

  const std::int64_t num_rows = request.NumFitRows();
  const std::int64_t wanted =
      std::clamp<std::int64_t>(num_rows / 16, std::min<std::int64_t>(num_rows, 1000), 4000);
  ARROW_ASSIGN_OR_RAISE(SmallPool small, ReadSmallPool(request, wanted, runtime));
  trial.seconds["read"] += small.seconds_per_row * static_cast<double>(request.pool.num_rows());
  pool.rows = std::move(small.rows);

  const std::int64_t sizes[] = {std::max<std::int64_t>(pool.rows.num_rows() / 2, 1),
                                pool.rows.num_rows(), num_rows};
  SmallFit fits[2];
  for (int i = 0; i < 2; ++i) {
    ARROW_ASSIGN_OR_RAISE(fits[i], RunSmallFit(trusted, pool, sizes[i], request, runtime));
  }
  for (const auto& [stage, seconds] : fits[1].seconds) {
    if (stage == "total") continue;
    const double both[] = {fits[0].seconds[stage], seconds};
    Growth growth{};
    for (int i = 0; i < 3; ++i) {
      const auto n = static_cast<double>(sizes[i]);
      const double m = n + static_cast<double>(trusted.rows.num_rows());
      growth.steep[i] = IsQuadratic(stage) ? n * n : m;
      growth.flat[i] = IsQuadratic(stage) ? n
                                          : RowsLearned(options, trusted.rows.num_rows(), sizes[i],
                                                        trusted.rows.dimension);
    }
    trial.seconds[stage] += Extrapolate(both, growth);
  }
  for (const auto& [stage, seconds] : trial.seconds) trial.total += seconds;
  trial.model = std::move(fits[1].model);
  return trial;
}

arrow::Result<double> TryScore(const ScoreRequest& request, const std::string& output,
                               const Runtime& runtime) {
  const std::vector<std::size_t> files = SpreadFiles(request.source);
  if (files.empty()) return 0.0;
  // The file of middling size.
  std::vector<std::size_t> by_size = files;
  std::ranges::sort(by_size, {}, [&](std::size_t i) { return request.source.RowsOf(i); });
  const arrow_io::InputFile& file = request.source.files()[by_size[by_size.size() / 2]];
  ARROW_ASSIGN_OR_RAISE(auto model, PreparedModel::Make(request.model, request.options));
  const FileScorer file_scorer(std::move(model), request.source.embedding(), runtime);
  const std::filesystem::path folder =
      arrow_io::WithoutTrailingSlash(std::filesystem::absolute(output)).parent_path();
  ARROW_ASSIGN_OR_RAISE(const auto staged,
                        arrow_io::StagedOutput::Create({folder / "spuna-plan", true, "out"}));
  ARROW_ASSIGN_OR_RAISE(const auto parquet, ParquetInput::Open(file));
  const std::int64_t max_rows = arrow_io::RowsWithin(parquet->metadata(), kBytesToScore);
  auto begin = Clock::now();
  const FileOutcome score = file_scorer.Score(
      file, {staged.path(), staged.target().string()}, std::nullopt, [](std::int64_t) {},
      /*reviews=*/nullptr, max_rows);
  ARROW_RETURN_NOT_OK(score.status);
  const double work = SecondsSince(begin);
  const double share = static_cast<double>(std::max<std::int64_t>(score.counts.in, 1)) /
                       static_cast<double>(std::max<std::int64_t>(request.source.num_rows(), 1));
  // Much more than the system holds back goes no faster than the disk. This is how fast it is.
  begin = Clock::now();
  const int written = open(staged.path().c_str(), O_RDONLY | O_CLOEXEC);
  if (written >= 0) {
    fdatasync(written);
    close(written);
  }
  const double sync = SecondsSince(begin);
  std::error_code error;
  const auto num_bytes =
      static_cast<double>(std::filesystem::file_size(staged.path(), error)) / share;
  const bool is_held_back = num_bytes < 0.1 * FreeMemory();
  return (is_held_back ? work : std::max(work, sync)) / share;
}

}  // namespace spuna
