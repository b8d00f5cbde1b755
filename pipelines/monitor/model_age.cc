#include "pipelines/monitor/model_age.h"

#include <algorithm>
#include <memory>

#include "arrow_io/hash.h"
#include "pipelines/monitor/batch_watcher.h"
#include "pipelines/monitor/monitor_state.h"
#include "pipelines/options/json_text.h"
#include "pipelines/run/number_words.h"
#include "pipelines/score/batch_scorer.h"

namespace spuna {
namespace {

using algorithms::Share;
using nlohmann::json;

std::string InPercent(const Share& share) {
  return Percent(share.estimate) + " (" + Percent(share.low) + " to " + Percent(share.high) + ")";
}

constexpr double kManyFar = 0.05;

// The share of valid rows that are far from all trusted rows.
double FarShare(const RowCounts& counts) {
  const std::int64_t valid = counts.in - counts.invalid;
  return valid == 0 ? 0 : static_cast<double>(counts.odd.far) / static_cast<double>(valid);
}

std::string ReasonFor(const FitSummary& fit, const WatchedBatch& batch, const RowCounts& counts,
                      const RowCounts& before) {
  const std::string rows = Count(static_cast<std::int64_t>(batch.rows)) + " new rows";
  if (!fit.found) {
    return "the fit detected no shift, so its model keeps all " + rows +
           "; of these an estimated " + InPercent(batch.share) + " are shifted";
  }
  if (FarShare(counts) > std::max(kManyFar, 2 * FarShare(before))) {
    return Percent(FarShare(counts)) + " of " + rows +
           " are far from all trusted rows: a kind that the fit has not seen";
  }
  if (!fit.share || batch.share.low <= fit.share->high) return "";
  return "an estimated " + InPercent(batch.share) + " of " + rows +
         " are shifted, but the fit had " + InPercent(*fit.share);
}

}  // namespace

arrow::Result<ModelAge> WatchNewRows(const Source& source, const Model& model,
                                     const ScoreOptions& scoring, const EarlierRows& before,
                                     StageClock& clock) {
  ModelAge age;
  if (model.watch.empty()) return age;
  const std::string bytes = SerializeModel(model);
  MonitorState state;
  state.model_hash = arrow_io::HashDigits(bytes);
  if (before.watch.is_object()) {
    // What belongs to another model, or can't be read, is begun anew.
    arrow::Result<MonitorState> earlier =
        ParseState(DumpJson(before.watch), state.model_hash, model.watch.size());
    if (earlier.ok()) state = *std::move(earlier);
  }
  ARROW_ASSIGN_OR_RAISE(const auto prepared, PreparedModel::Make(model, scoring));
  const std::uint64_t seed = arrow_io::Hash(bytes.data(), bytes.size());
  algorithms::DriftWatch watch(model.watch, seed, state.memory);
  BatchWatcher watcher(model, watch, seed);
  ARROW_RETURN_NOT_OK(watcher.Watch(source, prepared, clock));
  clock.Pause();
  const RowCounts& counts = watcher.counts();
  if (counts.in == counts.invalid) {
    age.watch = before.watch;
    return age;
  }
  Remember(watch, watcher, MonitorOptions().level, state);
  age.refit_reason = ReasonFor(model.summary, state.history.back(), counts, before.counts);
  age.watch = json::parse(SerializeState(state));
  return age;
}

}  // namespace spuna
