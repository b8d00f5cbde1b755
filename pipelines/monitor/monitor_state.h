#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "algorithms/guarantees/drift_watch.h"
#include "algorithms/guarantees/share_estimate.h"

namespace spuna {

/// One batch of a watched deployment, as its history tells it.
struct WatchedBatch {
  /// From 1.
  std::uint64_t batch = 0;
  /// When it was watched, in UTC: "2026-01-31T12:00:00Z".
  std::string time;
  std::uint64_t rows = 0;
  std::uint64_t kept = 0;
  std::uint64_t dropped = 0;
  std::uint64_t invalid = 0;
  algorithms::Share share;
  /// The most evidence there was up to now.
  double evidence = 1;
  bool found = false;
};

/// What `monitor` remembers from one batch to the next.
struct MonitorState {
  /// So many batches are remembered one by one.
  static constexpr std::size_t kMaxHistory = 10'000;

  /// The hash of the model that it belongs to.
  std::string model_hash;
  algorithms::DriftMemory memory;
  /// The last batches, the latest last.
  std::vector<WatchedBatch> history;
};

/// A batch under the keys that the report's page takes, and `kept`, `dropped` and `invalid`.
nlohmann::json ToJson(const WatchedBatch& batch);

/// The state as the JSON text of its file; its size is bounded.
std::string SerializeState(const MonitorState& state);

/// Reads a state from its text. What does not fit is an error that says what; `num_classifiers` is
/// how many the model is watched with.
arrow::Result<MonitorState> ParseState(const std::string& text, const std::string& model_hash,
                                       std::size_t num_classifiers);

/// ParseState of a file; a new state where there is no file. Errors name the file.
arrow::Result<MonitorState> LoadState(const std::filesystem::path& path,
                                      const std::string& model_hash, std::size_t num_classifiers);

}  // namespace spuna
