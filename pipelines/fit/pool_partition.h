#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/expansion/expansion_partition.h"
#include "algorithms/expansion/spectral_entropy.h"
#include "pipelines/options/options.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// A matrix of float32 of someone else's, row by row.
struct MatrixView {
  const float* values = nullptr;
  std::int64_t num_rows = 0;
  std::int64_t dimension = 0;
};

/// A part of a pool whose labels are expanded by many processes; algorithms::ExpansionPartition has
/// the contract. What it throws is for the caller to catch.
class PoolPartition {
 public:
  /// Reads a stream to its end. Its first row has this number in the whole pool; rows without a
  /// valid embedding are left out.
  static arrow::Result<PoolPartition> Read(arrow::RecordBatchReader& rows,
                                           std::int64_t first_number, const FitOptions& options);
  static PoolPartition Parse(std::string_view bytes);
  arrow::Result<std::string> Serialize() const;

  std::int64_t dimension() const { return static_cast<std::int64_t>(part_.dimension()); }
  const std::vector<std::int64_t>& numbers() const { return part_.numbers(); }
  const float* values() const { return part_.rows().data; }

  /// Merges rows that joined the bank of clean or of shifted rows.
  arrow::Status Merge(bool is_clean_bank, const MatrixView& added, const FitOptions& options,
                      const Runtime& runtime);
  std::vector<double> SeedScores() const { return part_.SeedScores(); }
  std::vector<double> RoundScores() const { return part_.RoundScores(); }
  void Remove(std::span<const std::int64_t> numbers) { part_.Remove(numbers); }

 private:
  explicit PoolPartition(algorithms::ExpansionPartition part) : part_(std::move(part)) {}

  algorithms::ExpansionPartition part_;
};

/// The spectral entropy of rows that come in batches.
class GrowingEntropy {
 public:
  static arrow::Result<GrowingEntropy> Make(std::int64_t dimension);

  /// Adds rows and returns the entropy of all.
  arrow::Result<double> Add(const float* values, std::int64_t num_rows);

 private:
  explicit GrowingEntropy(std::size_t dimension)
      : entropy_(std::make_unique<algorithms::SpectralEntropy>(dimension)), dimension_(dimension) {}

  std::unique_ptr<algorithms::SpectralEntropy> entropy_;
  std::size_t dimension_;
};

}  // namespace spuna
