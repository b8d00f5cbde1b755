#include "pipelines/fit/findings_maker.h"

#include <algorithm>

#include "algorithms/rows/copy_rows.h"
#include "algorithms/rows/evenly_taken.h"
#include "pipelines/matrix/changed_rows.h"

namespace spuna {
namespace {

constexpr std::size_t kTrustedPoints = 500;
constexpr std::size_t kPoolPoints = 2'000;

// The id of a valid row; "" where ids were not asked for.
std::string IdOf(const FitInput& input, std::uint32_t row) {
  return input.ids.empty() ? "" : input.ids[row];
}

// Which of the scored pool rows are dropped, a byte for each.
std::vector<std::uint8_t> FindDropped(const FitResult& fit) {
  std::vector<std::uint8_t> dropped;
  dropped.reserve(fit.pool.scores.size());
  for (std::size_t i = 0; i < fit.pool.scores.size(); ++i) {
    dropped.push_back(fit.model.decision.Drops(fit.pool.EvidenceOf(i)) ? 1 : 0);
  }
  return dropped;
}

// The rows that give a kind of shift a face.
std::vector<std::vector<Findings::TypicalRow>> FindTypical(
    const algorithms::KindsOfShift& kinds, const algorithms::RowNumbers& dropped_rows,
    const FitInput& pool, const FitResult& fit) {
  std::vector<std::vector<Findings::TypicalRow>> typical(kinds.num_kinds());
  for (std::size_t kind = 0; kind < typical.size(); ++kind) {
    for (const std::uint32_t index : kinds.typical_rows[kind]) {
      const std::uint32_t row = dropped_rows[index];
      typical[kind].push_back({row, IdOf(pool, row), fit.pool.scores[row]});
    }
  }
  return typical;
}

// Some rows of an input in the plane, evenly taken.
std::vector<Findings::Point> FindPoints(const algorithms::Plane& plane, const FitInput& input,
                                        std::size_t at_most, const algorithms::Execution& execution,
                                        algorithms::RowNumbers& chosen) {
  const algorithms::EmbeddingsView rows = input.rows.view();
  chosen = algorithms::EvenlyTaken(rows.num_rows, at_most);
  const algorithms::Matrix copied = algorithms::CopyRows(rows, chosen);
  const algorithms::Matrix places = plane.Project(copied.view(), execution);
  std::vector<Findings::Point> points;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const float* const place = places.view().row(i);
    points.push_back({place[0], place[1], IdOf(input, chosen[i]), 0, false});
  }
  return points;
}

}  // namespace

Findings MakeFindings(FitInput& trusted, FitInput& pool, const FitResult& fit, StageClock& clock) {
  clock.Report("examine");
  const std::vector<std::uint8_t> dropped = FindDropped(fit);
  const ClippedRows clipped_trusted(trusted.rows, fit.model.limits, clock.Execution());
  const ClippedRows clipped_pool(pool.rows, fit.model.limits, clock.Execution());
  const algorithms::EmbeddingsView trusted_view = trusted.rows.view();
  const algorithms::EmbeddingsView pool_view = pool.rows.view();
  algorithms::Execution execution = clock.Execution();
  execution.on_progress = nullptr;
  Findings findings;
  findings.limits = fit.model.limits;
  const algorithms::Whitening whitening = algorithms::FitWhitening(trusted_view);
  const algorithms::Metric metric = fit.model.summary.choices.switches.metric;
  if (metric == algorithms::Metric::kWhitened || metric == algorithms::Metric::kContrast) {
    findings.whitening = whitening;
  }
  findings.trusted = findings.Place(trusted_view, execution);
  findings.trusted_ids = trusted.ids;
  algorithms::RowSet shifted(pool_view.dimension);
  algorithms::RowNumbers dropped_rows;
  algorithms::RowNumbers seed_rows;
  for (std::uint32_t row = 0; row < dropped.size(); ++row) {
    if (dropped[row] != 0) {
      dropped_rows.push_back(row);
      shifted.Add(pool_view.row(row));
    }
    const bool is_seed = fit.expansion.rounds[row] == 0 &&
                         fit.expansion.labels[row] == algorithms::PseudoLabel::kShifted;
    if (is_seed) {
      seed_rows.push_back(row);
      findings.seed_ids.push_back(IdOf(pool, row));
    }
  }
  findings.seeds = findings.Place(algorithms::CopyRows(pool_view, seed_rows).view(), execution);
  findings.kinds = algorithms::FindKindsOfShift(trusted_view, whitening, shifted,
                                                fit.model.options.seed, execution);
  findings.typical_rows = FindTypical(findings.kinds, dropped_rows, pool, fit);
  if (shifted.size() > 0) {
    findings.distance = algorithms::MeasureShiftDistance(trusted_view, shifted);
  }
  findings.trusted_scores = fit.model.calibration.own.empty()
                                ? fit.model.classifier.Score(trusted_view, execution)
                                : fit.model.calibration.own;

  findings.plane = algorithms::FindPlane(trusted_view, pool_view, dropped, whitening, execution);
  algorithms::RowNumbers chosen;
  findings.trusted_points = FindPoints(findings.plane, trusted, kTrustedPoints, execution, chosen);
  findings.pool_points = FindPoints(findings.plane, pool, kPoolPoints, execution, chosen);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    findings.pool_points[i].score = fit.pool.scores[chosen[i]];
    findings.pool_points[i].dropped = dropped[chosen[i]] != 0;
  }
  return findings;
}

}  // namespace spuna
