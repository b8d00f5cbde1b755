#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pipelines/report/pool_rows.h"

namespace spuna {

/// A row that is shown as an example.
struct ExampleRow {
  std::string id;
  float score = 0;
  /// A data: URI; empty for none.
  std::string picture;
};

/// Remembers the rows of highest score among those it is given, the highest first. Of equal scores
/// the earlier row comes first.
class HighestRows {
 public:
  /// `image` is the column of their pictures; empty for none.
  HighestRows(std::size_t num_rows, std::string image)
      : num_rows_(num_rows), image_(std::move(image)) {}

  /// Whether a row of this score is among them.
  bool Takes(float score) const;

  /// Adds a row that Takes says yes to, of the part that is read.
  void Add(std::string id, float score, std::int64_t row);

  /// Ends a part that was read: reads the pictures of its rows that are among the highest.
  arrow::Status EndPart(const PoolPart& part);

  std::vector<ExampleRow> Finish() &&;

 private:
  struct Entry {
    ExampleRow row;
    // Its number within the part that is read; below 0 for rows of parts before it.
    std::int64_t number = -1;
  };

  std::size_t num_rows_;
  std::string image_;
  std::vector<Entry> entries_;
};

}  // namespace spuna
