#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "pipelines/run/look_counts.h"

namespace spuna {

/// How many rows were odd, by kind: algorithms::OddRow.
struct OddCounts {
  std::int64_t far = 0;
  std::int64_t zero = 0;
  std::int64_t constant = 0;
  std::int64_t repeated = 0;

  std::int64_t all() const { return far + zero + constant + repeated; }

  OddCounts& operator+=(const OddCounts& other) {
    far += other.far;
    zero += other.zero;
    constant += other.constant;
    repeated += other.repeated;
    return *this;
  }
};

/// How many rows went which way. `in` is the sum of `kept`, `dropped`, `undecided` and `invalid`;
/// without the classifier's score `kept` and `dropped` mean nothing.
struct RowCounts {
  std::int64_t in = 0;
  std::int64_t kept = 0;
  /// Odd rows among them, where they are dropped.
  std::int64_t dropped = 0;
  std::int64_t invalid = 0;
  /// Odd rows, where they are null.
  std::int64_t undecided = 0;
  /// Whatever happens to them.
  OddCounts odd;
  /// What a person said of rows, by what the model says of them.
  ReviewCounts reviewed = {};

  RowCounts& operator+=(const RowCounts& other) {
    in += other.in;
    kept += other.kept;
    dropped += other.dropped;
    invalid += other.invalid;
    undecided += other.undecided;
    odd += other.odd;
    reviewed += other.reviewed;
    return *this;
  }
};

/// What looks at rows drawn at random say of the decision; none where there were none.
std::optional<LookEstimates> EstimatesOf(const RowCounts& counts);

/// {`far`, `zero`, `constant`, `repeated`}, and back; numbers that are not there are 0.
nlohmann::json ToJson(const OddCounts& counts);
OddCounts OddCountsFrom(const nlohmann::json& from);

/// "12 far, 3 of zeros": those that there are.
std::string InWords(const OddCounts& counts);

/// What became of the files of an input.
struct FileCounts {
  /// `listed` is the sum of the four behind it.
  std::size_t listed = 0;
  std::size_t scored = 0;
  std::size_t unchanged = 0;
  std::size_t skipped = 0;
  std::size_t failed = 0;
  /// Files that were scored once and are not listed any more, and those of them whose outputs were
  /// removed.
  std::size_t vanished = 0;
  std::size_t pruned = 0;
  /// The rows of the files that were scored, and of those that were not.
  std::int64_t rows_scored = 0;
  std::int64_t rows_unchanged = 0;
};
nlohmann::json ToJson(const FileCounts& counts);

}  // namespace spuna
