// Draws trusted rows, a pool and fresh rows again and again from rows of known truth, fits, and
// prints a line of JSON for each draw. bench/decisions.py runs it and makes tables of the lines.
//
//   decisions_worker PART CLEAN SHIFTED DIMENSION TRUSTED POOL FRESH SHARE FIRST_SEED DRAWS
//
// CLEAN and SHIFTED are files of float32 rows. PART is `loss`, which calibrates and tells what each
// level costs, `verdict`, which tells the share and the test, `test`, which tells the test alone,
// or `scores`, which tells the discriminant's out-of-fold scores.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "algorithms/compute/format_number.h"
#include "algorithms/guarantees/shift_test.h"
#include "algorithms/recipe/discriminant.h"
#include "algorithms/rows/seeded_random.h"
#include "pipelines/fit/fit.h"
#include "pipelines/model/row_scores.h"

namespace spuna {
namespace {

using nlohmann::json;

struct Rows {
  std::vector<float> values;
  std::size_t dimension = 0;

  std::size_t size() const { return values.size() / dimension; }
};

Rows ReadRows(const std::string& path, std::size_t dimension) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  Rows rows{std::vector<float>(static_cast<std::size_t>(file.tellg()) / sizeof(float)), dimension};
  file.seekg(0);
  file.read(reinterpret_cast<char*>(rows.values.data()),
            static_cast<std::streamsize>(rows.values.size() * sizeof(float)));
  return rows;
}

void Add(const Rows& from, std::size_t row, FitInput& to) {
  const float* const begin = from.values.data() + row * from.dimension;
  to.rows.values.insert(to.rows.values.end(), begin, begin + from.dimension);
  to.rows.valid.push_back(1);
  to.rows.dimension = static_cast<std::int64_t>(from.dimension);
}

struct Draw {
  FitInput trusted;
  FitInput pool;
  FitInput fresh;
  std::size_t num_clean = 0;
};

struct Sizes {
  std::size_t trusted;
  std::size_t pool;
  std::size_t fresh;
  double share;
};

Draw MakeDraw(const Rows& clean, const Rows& shifted, const Sizes& sizes, std::uint64_t seed) {
  algorithms::SeededRandom random(seed * 7919 + 1);
  algorithms::RowNumbers clean_order = algorithms::AllRows(clean.size());
  algorithms::RowNumbers shifted_order = algorithms::AllRows(shifted.size());
  random.Shuffle(clean_order);
  random.Shuffle(shifted_order);
  const auto num_shifted =
      static_cast<std::size_t>(sizes.share * static_cast<double>(sizes.pool) + 0.5);
  Draw draw;
  draw.num_clean = sizes.pool - num_shifted;
  if (sizes.trusted + draw.num_clean + sizes.fresh > clean.size() || num_shifted > shifted.size()) {
    std::fprintf(stderr, "there are too few rows to draw from\n");
    std::exit(2);
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < sizes.trusted; ++i) Add(clean, clean_order[next++], draw.trusted);
  for (std::size_t i = 0; i < draw.num_clean; ++i) Add(clean, clean_order[next++], draw.pool);
  for (std::size_t i = 0; i < num_shifted; ++i) Add(shifted, shifted_order[i], draw.pool);
  for (std::size_t i = 0; i < sizes.fresh; ++i) Add(clean, clean_order[next++], draw.fresh);
  return draw;
}

// The share of scores that reach a threshold.
double ShareFrom(double threshold, std::span<const float> scores) {
  if (scores.empty()) return 0;
  const auto reached =
      std::ranges::count_if(scores, [&](float score) { return score >= threshold; });
  return static_cast<double>(reached) / static_cast<double>(scores.size());
}

json Losses(Draw draw, std::uint64_t seed) {
  FitOptions options;
  options.seed = seed;
  options.decision.calibration = Calibration::kSplit;
  Runtime runtime;
  StageClock clock(runtime);
  const std::size_t num_clean = draw.num_clean;
  const auto fit = Fit(draw.trusted, draw.pool, options, {}, clock);
  if (!fit.ok()) {
    std::fprintf(stderr, "%s\n", fit.status().ToString().c_str());
    std::exit(1);
  }
  // Far rows included, as the decision sees them.
  auto score = [&](const FitInput& rows) {
    return ScoreRows(fit->model, rows.rows.view(), {}, clock.Execution()).deciding();
  };
  const std::vector<float> pool = score(draw.pool);
  const std::span<const float> clean(pool.data(), num_clean);
  const std::vector<float> fresh = score(draw.fresh);
  json told = {{"found", fit->model.summary.found}};
  for (const double level : {0.01, 0.02, 0.05, 0.1}) {
    const double threshold = algorithms::ThresholdAt(fit->model.calibration.own, level);
    const std::string key = algorithms::FormatNumber(level);
    told["pool"][key] = ShareFrom(threshold, clean);
    told["fresh"][key] = ShareFrom(threshold, fresh);
  }
  DecisionOptions few_false;
  few_false.max_false_drops = 0.1;
  const std::vector<double> p_values =
      algorithms::PValues(fit->model.calibration, {}, pool, clock.Execution());
  const PoolScores scores{pool, p_values, 1 - fit->model.summary.share->low};
  const double threshold = Decide(few_false, fit->model.calibration, scores).threshold;
  const double dropped = ShareFrom(threshold, pool) * static_cast<double>(pool.size());
  const double false_drops = ShareFrom(threshold, clean) * static_cast<double>(num_clean);
  told["false_drops"] = dropped > 0 ? false_drops / dropped : 0;
  told["caught"] =
      pool.size() > num_clean ? ShareFrom(threshold, std::span(pool).subspan(num_clean)) : 0;
  return told;
}

json Verdict(const Draw& draw, std::uint64_t seed, bool with_scores) {
  FitOptions options;
  options.seed = seed;
  const FitChoices choices = options.Choose(draw.trusted.rows.num_rows(), draw.pool.rows.num_rows(),
                                            draw.pool.rows.dimension);
  const algorithms::Discriminant found =
      algorithms::CrossFit(draw.trusted.rows.view(), draw.pool.rows.view(), {}, {}, {},
                           options.ForRecipe(choices).network, {});
  if (with_scores) return {{"trusted", found.trusted}, {"pool", found.pool}};
  return {{"p_value", found.separation.p_value},
          {"estimate", found.share.estimate},
          {"low", found.share.low},
          {"high", found.share.high}};
}

json Test(const Draw& draw, std::uint64_t seed) {
  algorithms::Execution execution;
  execution.num_threads = 2;
  return {{"p_value", algorithms::TestShift(draw.trusted.rows.view(), draw.pool.rows.view(), {}, {},
                                            seed, execution)
                          .p_value}};
}

// The share of the fresh rows that are called far; the pool's rows are clean and shifted.
json Far(const Draw& draw, std::uint64_t seed) {
  const algorithms::RowScreen screen = algorithms::FitRowScreen(
      draw.trusted.rows.view(), draw.pool.rows.view(), {}, kDefaultFarLevel, seed, {});
  auto share = [&](const FitInput& rows) {
    const auto odd = screen.Check(rows.rows.view(), {}).odd;
    return static_cast<double>(std::ranges::count(odd, algorithms::OddRow::kFar)) /
           static_cast<double>(odd.size());
  };
  return {{"fresh", share(draw.fresh)},
          {"pool", share(draw.pool)},
          {"level", algorithms::ReachableLevel(kDefaultFarLevel, screen.distance->nearest.size())}};
}

json Tell(const std::string& part, Draw draw, std::uint64_t seed) {
  if (part == "loss") return Losses(std::move(draw), seed);
  if (part == "test") return Test(draw, seed);
  if (part == "far") return Far(draw, seed);
  return Verdict(draw, seed, part == "scores");
}

int Main(int argc, char** argv) {
  if (argc != 11) {
    std::fprintf(stderr, "expected 10 arguments, see the head of the source\n");
    return 2;
  }
  const auto dimension = static_cast<std::size_t>(std::atoi(argv[4]));
  const Rows clean = ReadRows(argv[2], dimension);
  const Rows shifted = ReadRows(argv[3], dimension);
  auto count = [&](int i) { return static_cast<std::size_t>(std::atoll(argv[i])); };
  const Sizes sizes{count(5), count(6), count(7), std::atof(argv[8])};
  for (std::uint64_t seed = count(9); seed < count(9) + count(10); ++seed) {
    const json told = Tell(argv[1], MakeDraw(clean, shifted, sizes, seed), seed);
    std::printf("%s\n", told.dump().c_str());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace spuna

int main(int argc, char** argv) { return spuna::Main(argc, argv); }
