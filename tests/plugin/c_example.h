#pragma once

#include <arrow/c/abi.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>

#include "plugin/c/spuna.h"
#include "tests/support/files_example.h"
#include "tests/support/parquet_files.h"

namespace spuna::test {

/// The options of FilesExample's jobs, as the C interface takes them.
inline constexpr const char* kCallOptions =
    R"({"recipe": "paper", "alpha": 10, "k": 20, "hidden": 16, "epochs": 3, "threads": 2})";

using ModelHandle = std::unique_ptr<spuna_model, decltype(&spuna_model_free)>;

/// A stream over a table in batches of the given size.
ArrowArrayStream Export(const arrow::Table& table, std::int64_t rows_per_batch = 90);

/// The rows of a stream, in one chunk.
std::shared_ptr<arrow::Table> Import(ArrowArrayStream* stream);

/// The rows of FilesExample as tables, for streams that must give what its jobs give.
struct CExample : FilesExample {
  std::shared_ptr<arrow::Table> trusted_table = EmbeddingTable(trusted);
  std::shared_ptr<arrow::Table> pool_table = EmbeddingTable(pool);
  spuna_error error{};

  ModelHandle FitModel();
  std::shared_ptr<arrow::Table> CleanedByTheCommand() const;
};

}  // namespace spuna::test
