// The part of the C interface that many processes expand labels by.
#include <arrow/record_batch.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/expansion/expansion_partition.h"
#include "algorithms/expansion/spectral_entropy.h"
#include "algorithms/rows/ranking.h"
#include "pipelines/fit/fit.h"
#include "pipelines/matrix/embedding_matrix.h"
#include "pipelines/options/call_options.h"
#include "plugin/c/arguments_internal.h"
#include "plugin/c/error_internal.h"
#include "plugin/c/spuna.h"

struct spuna_partition {
  spuna::algorithms::ExpansionPartition part;
};

struct spuna_entropy {
  spuna::algorithms::SpectralEntropy entropy;
  std::size_t dimension;
};

namespace spuna::c {
namespace {

constexpr std::int64_t kDefaultNeighbors = 100;

arrow::Result<algorithms::EmbeddingsView> ViewOf(const float* values, std::int64_t num_rows,
                                                 std::int64_t dimension) {
  if (num_rows < 0 || dimension < 1 || (num_rows > 0 && values == nullptr) ||
      num_rows > std::numeric_limits<std::int64_t>::max() / 4 / dimension) {
    return arrow::Status::Invalid("expected a matrix but found ", num_rows, " rows of dimension ",
                                  dimension);
  }
  return algorithms::EmbeddingsView{values, static_cast<std::size_t>(num_rows),
                                    static_cast<std::size_t>(dimension)};
}

arrow::Result<algorithms::ExpansionPartition> ReadPart(arrow::RecordBatchReader& rows,
                                                       std::int64_t first_number,
                                                       const FitOptions& options) {
  FitInput input;
  input.where = "the stream";
  ARROW_ASSIGN_OR_RAISE(input.column,
                        ResolveEmbeddingColumn(*rows.schema(), input.where, options.embedding, ""));
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(rows.ReadNext(&batch));
    if (batch == nullptr) break;
    ARROW_RETURN_NOT_OK(input.Append(*batch, options.invalid));
  }
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < input.rows.valid.size(); ++i) {
    if (input.rows.valid[i] != 0) {
      numbers.push_back(first_number + static_cast<std::int64_t>(i));
    }
  }
  algorithms::Matrix matrix{{input.rows.values.begin(), input.rows.values.end()},
                            static_cast<std::size_t>(input.rows.dimension)};
  return algorithms::ExpansionPartition(
      std::move(matrix), std::move(numbers),
      static_cast<std::size_t>(options.k.value_or(kDefaultNeighbors)));
}

}  // namespace
}  // namespace spuna::c

using spuna::c::Guard;
using spuna::c::OwnedStream;
using spuna::c::RequireArgument;

extern "C" {

spuna_code spuna_partition_read(ArrowArrayStream* rows, int64_t first_number, const char* options,
                                spuna_partition** out_partition, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    OwnedStream stream(rows);
    ARROW_RETURN_NOT_OK(RequireArgument(out_partition, "out_partition"));
    ARROW_ASSIGN_OR_RAISE(const spuna::CallOptions parsed,
                          spuna::ParseCallOptions(spuna::c::Text(options), spuna::Call::kFit));
    ARROW_ASSIGN_OR_RAISE(const auto reader, stream.Take("rows"));
    ARROW_ASSIGN_OR_RAISE(auto part, spuna::c::ReadPart(*reader, first_number, parsed.fit));
    *out_partition = new spuna_partition{std::move(part)};
    return arrow::Status::OK();
  });
}

void spuna_partition_free(spuna_partition* partition) { delete partition; }

int64_t spuna_partition_num_rows(const spuna_partition* partition) {
  return static_cast<int64_t>(partition->part.numbers().size());
}

int64_t spuna_partition_dimension(const spuna_partition* partition) {
  return static_cast<int64_t>(partition->part.dimension());
}

const int64_t* spuna_partition_numbers(const spuna_partition* partition) {
  return partition->part.numbers().data();
}

const float* spuna_partition_values(const spuna_partition* partition) {
  return partition->part.rows().data;
}

spuna_code spuna_partition_merge(spuna_partition* partition, spuna_bank bank, const float* values,
                                 int64_t num_rows, int64_t dimension, const char* options,
                                 spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(partition, "partition"));
    ARROW_ASSIGN_OR_RAISE(const spuna::CallOptions parsed,
                          spuna::ParseCallOptions(spuna::c::Text(options), spuna::Call::kFit));
    ARROW_ASSIGN_OR_RAISE(const auto added, spuna::c::ViewOf(values, num_rows, dimension));
    spuna::algorithms::Execution execution;
    execution.num_threads = parsed.num_threads;
    if (bank == SPUNA_BANK_CLEAN) {
      partition->part.MergeClean(added, parsed.fit.neighbors, execution);
    } else if (bank == SPUNA_BANK_SHIFTED) {
      partition->part.MergeShifted(added, parsed.fit.neighbors, execution);
    } else {
      return arrow::Status::Invalid("`bank`: expected 0 or 1 but found ", static_cast<int>(bank));
    }
    return arrow::Status::OK();
  });
}

spuna_code spuna_partition_scores(const spuna_partition* partition, spuna_ranking ranking,
                                  double* out_scores, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(partition, "partition"));
    if (ranking != SPUNA_RANKING_SEEDS && ranking != SPUNA_RANKING_ROUND) {
      return arrow::Status::Invalid("`ranking`: expected 0 or 1 but found ",
                                    static_cast<int>(ranking));
    }
    const std::vector<double> scores = ranking == SPUNA_RANKING_SEEDS
                                           ? partition->part.SeedScores()
                                           : partition->part.RoundScores();
    if (scores.empty()) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(RequireArgument(out_scores, "out_scores"));
    std::copy(scores.begin(), scores.end(), out_scores);
    return arrow::Status::OK();
  });
}

spuna_code spuna_partition_remove(spuna_partition* partition, const int64_t* numbers,
                                  int64_t num_numbers, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(partition, "partition"));
    if (num_numbers < 1) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(RequireArgument(numbers, "numbers"));
    partition->part.Remove({numbers, static_cast<std::size_t>(num_numbers)});
    return arrow::Status::OK();
  });
}

spuna_code spuna_partition_serialize(const spuna_partition* partition, char** out_bytes,
                                     size_t* out_size, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(partition, "partition"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_bytes, "out_bytes"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_size, "out_size"));
    if (partition->part.dimension() == 0) {
      return arrow::Status::Invalid("a part that never had a row can't be written");
    }
    const std::string bytes = partition->part.Serialize();
    *out_bytes = spuna::c::CopyText(bytes);
    *out_size = bytes.size();
    return arrow::Status::OK();
  });
}

spuna_code spuna_partition_parse(const void* bytes, size_t size, spuna_partition** out_partition,
                                 spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(bytes, "bytes"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_partition, "out_partition"));
    *out_partition = new spuna_partition{spuna::algorithms::ExpansionPartition::Parse(
        std::string_view(static_cast<const char*>(bytes), size))};
    return arrow::Status::OK();
  });
}

spuna_code spuna_entropy_make(int64_t dimension, spuna_entropy** out_entropy, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(out_entropy, "out_entropy"));
    if (dimension < 1) {
      return arrow::Status::Invalid("expected a dimension of 1 or more but found ", dimension);
    }
    const auto size = static_cast<std::size_t>(dimension);
    *out_entropy = new spuna_entropy{spuna::algorithms::SpectralEntropy(size), size};
    return arrow::Status::OK();
  });
}

spuna_code spuna_entropy_add(spuna_entropy* entropy, const float* values, int64_t num_rows,
                             double* out_value, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(entropy, "entropy"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_value, "out_value"));
    if (num_rows < 1) {
      return arrow::Status::Invalid("expected at least one row but found ", num_rows);
    }
    ARROW_ASSIGN_OR_RAISE(
        const auto rows,
        spuna::c::ViewOf(values, num_rows, static_cast<int64_t>(entropy->dimension)));
    entropy->entropy.Add(rows, spuna::algorithms::AllRows(rows.num_rows));
    *out_value = entropy->entropy.Value();
    return arrow::Status::OK();
  });
}

void spuna_entropy_free(spuna_entropy* entropy) { delete entropy; }

}  // extern "C"
