#include "pipelines/fit/prepared_inputs.h"

#include <cmath>

#include "pipelines/fit/fit_groups.h"

namespace spuna {
namespace {

using algorithms::OddRow;
using algorithms::RowLimits;
using algorithms::RowScreen;

std::optional<RowScreen> MakeScreen(const FitInput& trusted, const FitInput& pool,
                                    const FitOptions& options, StageClock& clock) {
  if (!options.ChosenFar()) return std::nullopt;
  return algorithms::FitRowScreen(trusted.rows.view(), pool.rows.view(), GroupNumbers(trusted),
                                  options.decision.far_level.value_or(kDefaultFarLevel),
                                  options.seed, clock.Execution());
}

// Far rows are learned: they say what shifts. None is left out where they are few, since another
// number of rows is cut into other folds, or where hardly any would remain.
algorithms::RowNumbers RowsToLeaveOut(const std::optional<RowScreen>& screen, const FitInput& pool,
                                      const FitOptions& options, StageClock& clock) {
  constexpr std::size_t kFew = 10;
  constexpr std::size_t kLeastLeft = 20;
  algorithms::RowNumbers rows;
  if (!screen || options.recipe == Recipe::kPaper) return rows;
  const RowScreen::Result checked = screen->Check(pool.rows.view(), clock.Execution());
  for (std::uint32_t row = 0; row < checked.odd.size(); ++row) {
    if (checked.odd[row] != OddRow::kNo && checked.odd[row] != OddRow::kFar) rows.push_back(row);
  }
  if (rows.size() < kFew || rows.size() + kLeastLeft > checked.odd.size()) rows.clear();
  return rows;
}

RowLimits LimitsFor(const FitInput& trusted, const FitOptions& options) {
  if (options.recipe == Recipe::kPaper) return {};
  return algorithms::FitRowLimits(trusted.rows.view());
}

// The paper clips none, but they are counted all the same.
PreparedInputs::Beyond CountBeyond(const FitInput& trusted, const FitInput& pool,
                                   const RowLimits& limits, StageClock& clock) {
  const RowLimits counted = limits.empty() ? algorithms::FitRowLimits(trusted.rows.view()) : limits;
  return {counted.CountBeyond(trusted.rows.view(), clock.Execution()),
          counted.CountBeyond(pool.rows.view(), clock.Execution())};
}

}  // namespace

PreparedInputs::PreparedInputs(FitInput& trusted, FitInput& pool, const FitOptions& options,
                               StageClock& clock)
    : num_pool_rows_(pool.rows.num_rows()),
      screen_(MakeScreen(trusted, pool, options, clock)),
      limits_(LimitsFor(trusted, options)),
      beyond_(CountBeyond(trusted, pool, limits_, clock)),
      left_out_(pool, RowsToLeaveOut(screen_, pool, options, clock)),
      trusted_(trusted.rows, limits_, clock.Execution()),
      pool_(pool.rows, limits_, clock.Execution()) {}

algorithms::Expansion PreparedInputs::OfAllRows(algorithms::Expansion expansion) const {
  expansion.labels = left_out_.Spread(expansion.labels, algorithms::PseudoLabel::kNone);
  expansion.rounds = left_out_.Spread(expansion.rounds, std::int32_t{-1});
  return expansion;
}

std::vector<double> PreparedInputs::OfAllRows(const std::vector<double>& neighbor_scores) const {
  return left_out_.Spread(neighbor_scores, static_cast<double>(NAN));
}

algorithms::Expansion PreparedInputs::OfLearnedRows(algorithms::Expansion expansion) const {
  expansion.labels = left_out_.Without(expansion.labels);
  expansion.rounds = left_out_.Without(expansion.rounds);
  return expansion;
}

void PreparedInputs::AddTo(Model& model) const {
  model.limits = limits_;
  model.screen = screen_;
  for (algorithms::HeldOut& part : model.watch) part.limits = limits_;
  model.summary.rows_pool = num_pool_rows_;
  FitSummary& summary = model.summary;
  summary.rows_beyond_trusted = static_cast<std::int64_t>(beyond_.trusted.beyond);
  summary.rows_beyond_pool = static_cast<std::int64_t>(beyond_.pool.beyond);
  summary.rows_broken_trusted = static_cast<std::int64_t>(beyond_.trusted.broken);
  summary.rows_broken_pool = static_cast<std::int64_t>(beyond_.pool.broken);
}

}  // namespace spuna
