#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/distillation.h"
#include "algorithms/expansion.h"

namespace spuna {

/// What happens to rows whose embedding is null or not finite.
enum class InvalidRows {
  kNull,   ///< they stay, with null in every column of ours
  kDrop,   ///< they are left out of the output
  kError,  ///< the first one is an error
};

/// What a row is scored by.
enum class ScoreBy { kClassifier, kNeighbors };

/// How to fit. The paper's symbols: alpha seeds a side, beta rows a side and round, k neighbors.
struct FitOptions {
  std::string recipe = "paper";
  /// The embedding column; empty chooses "embedding", else the only column that can be one.
  std::string embedding;
  std::int64_t alpha = 30;
  /// Unset: 1500 for the paper's pool of 14,000 rows, and in proportion for others.
  std::optional<std::int64_t> beta;
  std::int64_t k = 100;
  double epsilon = 0;
  algorithms::OnStop on_stop = algorithms::OnStop::kKeep;
  algorithms::SearchKind neighbors = algorithms::SearchKind::kAuto;
  std::int64_t hidden = 512;
  std::int64_t epochs = 20;
  double learning_rate = 0.001;
  std::int64_t batch_size = 128;
  std::uint64_t seed = 0;
  InvalidRows invalid = InvalidRows::kNull;

  /// Whether every value can be used, whatever the data.
  arrow::Status Validate() const;

  /// beta as set, else scaled to the pool.
  std::int64_t BetaFor(std::int64_t num_pool_rows) const;

  algorithms::ExpansionOptions Expansion(std::int64_t num_pool_rows) const;
  algorithms::DistillationOptions Distillation() const;
};

/// How to score and what to write.
struct ScoreOptions {
  /// The embedding column; empty takes the model's, else chooses as FitOptions does.
  std::string embedding;
  ScoreBy by = ScoreBy::kClassifier;
  /// What the names of our columns start with.
  std::string prefix = "spuna_";
  InvalidRows invalid = InvalidRows::kNull;
  algorithms::SearchKind neighbors = algorithms::SearchKind::kAuto;
  /// Whether rows that are not kept are left out.
  bool drop = false;
  /// Whether an existing output may be replaced.
  bool overwrite = false;

  arrow::Status Validate() const;
};

/// The words that options and reports use for the enumerations.
std::string ToString(algorithms::OnStop value);
std::string ToString(algorithms::StoppedBy value);
std::string ToString(InvalidRows value);

}  // namespace spuna
