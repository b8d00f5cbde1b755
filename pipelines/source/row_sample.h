#pragma once

#include <cstdint>
#include <vector>

#include "arrow_io/input_files.h"
#include "pipelines/options/options.h"

namespace spuna {

/// Some rows of an input: for each file the numbers of its rows, ascending.
struct RowSample {
  std::vector<std::vector<std::int64_t>> rows;
  std::int64_t num_rows = 0;
};

/// The rows with the smallest hashes of (seed, relative path, row number), `num_rows` of them: the
/// same ones whatever the order of the files. `rows_of_files` are the numbers of rows of the files.
/// By partition, each combination of hive keys gets a share in proportion to its rows, at least
/// one.
RowSample SampleRows(const arrow_io::InputFiles& input,
                     const std::vector<std::int64_t>& rows_of_files, std::int64_t num_rows,
                     FitSample kind, std::uint64_t seed);

/// The hash that decides whether a row is taken. `path_hash` is HashPath of its file.
std::uint64_t HashPath(const std::string& relative_path, std::uint64_t seed);
std::uint64_t HashRow(std::uint64_t path_hash, std::int64_t row);

}  // namespace spuna
