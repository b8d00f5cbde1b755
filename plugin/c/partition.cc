// The part of the C interface that many processes expand labels by.
#include <arrow/record_batch.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "pipelines/fit/pool_partition.h"
#include "plugin/boundary/guard.h"
#include "plugin/c/arguments_internal.h"
#include "plugin/c/spuna.h"

struct spuna_partition {
  spuna::PoolPartition part;
};

struct spuna_entropy {
  spuna::GrowingEntropy entropy;
};

using spuna::c::Guard;
using spuna::c::OwnedStream;
using spuna::c::RequireArgument;

extern "C" {

spuna_code spuna_partition_read(ArrowArrayStream* rows, int64_t first_number, const char* options,
                                spuna_partition** out_partition, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    OwnedStream stream(rows);
    ARROW_RETURN_NOT_OK(RequireArgument(out_partition, "out_partition"));
    ARROW_ASSIGN_OR_RAISE(const auto parsed, spuna::c::ParseOptions<spuna::FitJob>(options));
    ARROW_ASSIGN_OR_RAISE(const auto reader, stream.Take("rows"));
    ARROW_ASSIGN_OR_RAISE(auto part,
                          spuna::PoolPartition::Read(*reader, first_number, parsed.job.options));
    *out_partition = new spuna_partition{std::move(part)};
    return arrow::Status::OK();
  });
}

void spuna_partition_free(spuna_partition* partition) { delete partition; }

int64_t spuna_partition_num_rows(const spuna_partition* partition) {
  return static_cast<int64_t>(partition->part.numbers().size());
}

int64_t spuna_partition_dimension(const spuna_partition* partition) {
  return partition->part.dimension();
}

const int64_t* spuna_partition_numbers(const spuna_partition* partition) {
  return partition->part.numbers().data();
}

const float* spuna_partition_values(const spuna_partition* partition) {
  return partition->part.values();
}

spuna_code spuna_partition_merge(spuna_partition* partition, spuna_bank bank, const float* values,
                                 int64_t num_rows, int64_t dimension, const char* options,
                                 spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(partition, "partition"));
    ARROW_ASSIGN_OR_RAISE(const auto parsed, spuna::c::ParseOptions<spuna::FitJob>(options));
    const int number = spuna::c::NumberOf(bank);
    if (number != SPUNA_BANK_CLEAN && number != SPUNA_BANK_SHIFTED) {
      return arrow::Status::Invalid("`bank`: expected 0 or 1 but found ", number);
    }
    spuna::Runtime runtime;
    runtime.num_threads = parsed.num_threads;
    return partition->part.Merge(number == SPUNA_BANK_CLEAN, {values, num_rows, dimension},
                                 parsed.job.options, runtime);
  });
}

spuna_code spuna_partition_scores(const spuna_partition* partition, spuna_ranking ranking,
                                  double* out_scores, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(partition, "partition"));
    const int number = spuna::c::NumberOf(ranking);
    if (number != SPUNA_RANKING_SEEDS && number != SPUNA_RANKING_ROUND) {
      return arrow::Status::Invalid("`ranking`: expected 0 or 1 but found ", number);
    }
    const std::vector<double> scores = number == SPUNA_RANKING_SEEDS
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
    ARROW_ASSIGN_OR_RAISE(const std::string bytes, partition->part.Serialize());
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
    *out_partition = new spuna_partition{
        spuna::PoolPartition::Parse(std::string_view(static_cast<const char*>(bytes), size))};
    return arrow::Status::OK();
  });
}

spuna_code spuna_entropy_make(int64_t dimension, spuna_entropy** out_entropy, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(out_entropy, "out_entropy"));
    ARROW_ASSIGN_OR_RAISE(auto entropy, spuna::GrowingEntropy::Make(dimension));
    *out_entropy = new spuna_entropy{std::move(entropy)};
    return arrow::Status::OK();
  });
}

spuna_code spuna_entropy_add(spuna_entropy* entropy, const float* values, int64_t num_rows,
                             double* out_value, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(entropy, "entropy"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_value, "out_value"));
    return entropy->entropy.Add(values, num_rows).Value(out_value);
  });
}

void spuna_entropy_free(spuna_entropy* entropy) { delete entropy; }

}  // extern "C"
