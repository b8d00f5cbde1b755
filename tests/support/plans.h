#pragma once

#include <arrow/acero/exec_plan.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace spuna::test {

/// How a table is cut into the batches of a source node.
struct BatchLayout {
  std::int64_t rows_per_batch = 1 << 20;
  /// Put an empty batch before every batch.
  bool empty_batches = false;
  /// Deliver the batches in another order than that of their rows; 0 means in order.
  std::uint64_t shuffle_seed = 0;
};

/// A source node with the rows of a table.
arrow::acero::Declaration Source(const arrow::Table& table, const BatchLayout& layout = {});

/// A source node that fails with "the source is broken" after this many batches of the table.
arrow::acero::Declaration BrokenSource(const arrow::Table& table, std::int64_t rows_per_batch,
                                       int good_batches);

/// Runs a plan whose rows have an order, and combines the chunks.
std::shared_ptr<arrow::Table> RunPlan(const arrow::acero::Declaration& plan,
                                      bool use_threads = true);

}  // namespace spuna::test
