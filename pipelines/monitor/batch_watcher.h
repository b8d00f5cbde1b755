#pragma once

#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>

#include "algorithms/guarantees/batch_share.h"
#include "algorithms/guarantees/drift_watch.h"
#include "pipelines/monitor/monitor_state.h"
#include "pipelines/run/row_counts.h"
#include "pipelines/run/runtime.h"
#include "pipelines/score/batch_scorer.h"
#include "pipelines/source/source.h"

namespace spuna {

/// What messages call a batch that comes as a stream.
inline constexpr const char* kBatchStream = "the stream of new rows";

/// Watches the rows of one batch of a deployment: the model's own classifier decides on them, and
/// its cross-fitted ones, which have held-out trusted rows to compare with, watch them.
class BatchWatcher {
 public:
  /// Both must outlive it.
  BatchWatcher(const Model& model, algorithms::DriftWatch& watch, std::uint64_t seed);

  /// Watches all rows of an input that was surveyed.
  arrow::Status Watch(const Source& source, const std::shared_ptr<const PreparedModel>& prepared,
                      StageClock& clock);
  /// The same for the rows of a stream, whose embeddings are in this column.
  arrow::Status Watch(arrow::RecordBatchReader& rows, const std::string& embedding,
                      const std::shared_ptr<const PreparedModel>& prepared, StageClock& clock);

  const RowCounts& counts() const { return counts_; }
  algorithms::Share EstimateShare() const { return share_.Estimate(); }

 private:
  void Add(const ScoredBatch& scored, const Runtime& runtime);

  const Model& model_;
  algorithms::DriftWatch& watch_;
  algorithms::BatchShare share_;
  RowCounts counts_;
};

/// Adds a batch that was watched to the history.
void Remember(const algorithms::DriftWatch& watch, const BatchWatcher& watcher, double level,
              MonitorState& state);

}  // namespace spuna
