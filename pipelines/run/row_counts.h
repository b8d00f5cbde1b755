// Plain data: no source file.
#pragma once

#include <cstdint>

namespace spuna {

/// How many rows went which way. `in` is the sum of the other three; without the classifier's score
/// `kept` and `dropped` mean nothing.
struct RowCounts {
  std::int64_t in = 0;
  std::int64_t kept = 0;
  std::int64_t dropped = 0;
  std::int64_t invalid = 0;

  RowCounts& operator+=(const RowCounts& other) {
    in += other.in;
    kept += other.kept;
    dropped += other.dropped;
    invalid += other.invalid;
    return *this;
  }
};

}  // namespace spuna
