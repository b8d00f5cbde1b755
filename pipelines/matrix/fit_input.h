#pragma once

#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/rows/ranking.h"
#include "algorithms/rows/row_verdicts.h"
#include "pipelines/matrix/embedding_matrix.h"

namespace spuna {

/// One input of a fit, in memory, and what messages call it.
struct FitInput {
  EmbeddingMatrix rows;
  /// The class of every valid row, where rows are compared within classes.
  std::vector<std::string> classes;
  /// The group of every valid row, where groups are kept whole; empty text is a row that is alone.
  std::vector<std::string> groups;
  /// What a person has said of every valid row of a pool, where that is learned.
  algorithms::RowVerdicts verdicts;
  /// The id of every valid row, where findings are asked for.
  std::vector<std::string> ids;
  /// The number of every valid row among all rows that are given, where rows are examined.
  std::vector<std::int64_t> numbers;
  /// How many of the last rows are not of the input, but learned with it: reviewed rows of another.
  std::int64_t num_outside = 0;
  /// The name of the embedding column.
  std::string column;
  /// Where the rows come from: a file, "the stream of trusted rows".
  std::string where;

  /// Adds the rows of a batch that has the column. Messages count rows from `first_row`.
  arrow::Status Append(const arrow::RecordBatch& batch, InvalidRows invalid,
                       std::int64_t first_row);
  arrow::Status Append(const arrow::RecordBatch& batch, InvalidRows invalid) {
    return Append(batch, invalid, static_cast<std::int64_t>(rows.valid.size()));
  }

  /// Adds a valid row of another input of the same kind, with its class, its group and its id.
  void AddRow(const FitInput& from, std::uint32_t row);

  /// Some of the valid rows, ascending, as an input of their own.
  FitInput Select(algorithms::RowNumbers chosen) const;
};

}  // namespace spuna
