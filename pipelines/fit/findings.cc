#include "pipelines/fit/findings.h"

#include <algorithm>
#include <utility>

#include "algorithms/guarantees/conformal.h"
#include "pipelines/fit/fit.h"

namespace spuna {
namespace {

constexpr std::size_t kTrustedPoints = 500;
constexpr std::size_t kPoolPoints = 2'000;

// At most so many rows, evenly taken.
std::vector<std::uint32_t> TakeEvenly(std::size_t count, std::size_t at_most) {
  std::vector<std::uint32_t> taken;
  const std::size_t num_taken = std::min(count, at_most);
  for (std::size_t i = 0; i < num_taken; ++i) {
    taken.push_back(static_cast<std::uint32_t>(i * count / num_taken));
  }
  return taken;
}

algorithms::Matrix Copy(const algorithms::EmbeddingsView& rows,
                        const std::vector<std::uint32_t>& chosen) {
  algorithms::Matrix copy{{}, rows.dimension};
  copy.values.reserve(chosen.size() * rows.dimension);
  for (const std::uint32_t row : chosen) {
    copy.values.insert(copy.values.end(), rows.row(row), rows.row(row) + rows.dimension);
  }
  return copy;
}

}  // namespace

algorithms::Matrix Findings::Place(const algorithms::EmbeddingsView& rows,
                                   const algorithms::Execution& execution) const {
  if (whitening) return whitening->Apply(rows, execution);
  return {{rows.values().begin(), rows.values().end()}, rows.dimension};
}

std::vector<std::uint8_t> DroppedRows(const FitResult& fit, const algorithms::EmbeddingsView& pool,
                                      StageClock& clock) {
  const Decision& decision = fit.model.decision;
  std::vector<std::uint8_t> dropped;
  for (const float score : fit.pool_scores) dropped.push_back(score >= decision.threshold ? 1 : 0);
  if (!decision.p_value_cutoff) return dropped;
  const std::vector<double> p_values =
      algorithms::PValues(fit.model.calibration, pool, fit.pool_scores, clock.Execution());
  for (std::size_t i = 0; i < dropped.size(); ++i) {
    dropped[i] = p_values[i] <= *decision.p_value_cutoff ? 1 : 0;
  }
  return dropped;
}

Findings MakeFindings(const FitInput& trusted, const FitInput& pool, const FitResult& fit,
                      StageClock& clock) {
  clock.Report("examine");
  const algorithms::EmbeddingsView trusted_view = trusted.rows.view();
  const algorithms::EmbeddingsView pool_view = pool.rows.view();
  algorithms::Execution execution = clock.Execution();
  execution.on_progress = nullptr;
  const std::uint64_t seed = fit.model.options.seed;
  Findings findings;
  const algorithms::Whitening whitening = algorithms::FitWhitening(trusted_view);
  const algorithms::Metric metric = fit.model.summary.choices.switches.metric;
  if (metric == algorithms::Metric::kWhitened || metric == algorithms::Metric::kContrast) {
    findings.whitening = whitening;
  }
  findings.trusted = findings.Place(trusted_view, execution);
  const std::vector<std::uint8_t> dropped = DroppedRows(fit, pool_view, clock);
  algorithms::RowSet shifted(pool_view.dimension);
  for (std::uint32_t row = 0; row < dropped.size(); ++row) {
    if (dropped[row] != 0) {
      findings.dropped_rows.push_back(row);
      shifted.Add(pool_view.row(row));
    }
    const bool is_seed = fit.expansion.rounds[row] == 0 &&
                         fit.expansion.labels[row] == algorithms::PseudoLabel::kShifted;
    if (is_seed) findings.seed_rows.push_back(row);
  }
  const algorithms::Matrix seeds = Copy(pool_view, findings.seed_rows);
  findings.seeds = findings.Place(seeds.view(), execution);
  findings.kinds = algorithms::FindKindsOfShift(trusted_view, whitening, shifted, seed, execution);
  if (shifted.size() > 0) {
    findings.distance = algorithms::MeasureShiftDistance(trusted_view, shifted);
  }
  findings.trusted_scores = fit.model.calibration.own.empty()
                                ? fit.model.classifier.Score(trusted_view, execution)
                                : fit.model.calibration.own;

  findings.plane = algorithms::FindPlane(trusted_view, pool_view, dropped, whitening, execution);
  auto add_points = [&](const algorithms::EmbeddingsView& rows, std::size_t at_most, bool is_pool,
                        std::vector<Findings::Point>& points) {
    const std::vector<std::uint32_t> chosen = TakeEvenly(rows.num_rows, at_most);
    const algorithms::Matrix copied = Copy(rows, chosen);
    const algorithms::Matrix places = findings.plane.Project(copied.view(), execution);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const std::uint32_t row = chosen[i];
      const float* const place = places.view().row(i);
      points.push_back({place[0], place[1], row, is_pool ? fit.pool_scores[row] : 0.0F,
                        is_pool && dropped[row] != 0});
    }
  };
  add_points(trusted_view, kTrustedPoints, false, findings.trusted_points);
  add_points(pool_view, kPoolPoints, true, findings.pool_points);
  return findings;
}

RowSample PickRows(const RowSample& all, const std::vector<std::uint32_t>& ascending) {
  RowSample picked;
  picked.rows.resize(all.rows.size());
  std::size_t next = 0;
  std::size_t first = 0;
  for (std::size_t file = 0; file < all.rows.size(); ++file) {
    const std::size_t end = first + all.rows[file].size();
    for (; next < ascending.size() && ascending[next] < end; ++next) {
      picked.rows[file].push_back(all.rows[file][ascending[next] - first]);
    }
    first = end;
  }
  picked.num_rows = static_cast<std::int64_t>(next);
  return picked;
}

}  // namespace spuna
