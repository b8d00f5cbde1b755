#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pipelines/options/options.h"
#include "pipelines/source/source.h"

namespace spuna {

/// Some rows of an input: for each file the numbers of its rows, ascending.
struct RowSample {
  std::vector<std::vector<std::int64_t>> rows;
  std::int64_t num_rows = 0;
};

/// The key that decides whether a row is in a sample: the smallest are. Equal hashes are ordered by
/// names, not by positions, which depend on the order of files.
struct SampleKey {
  std::uint64_t hash = 0;
  std::string_view path;
  std::int64_t row = 0;
  /// Where the path is; it is not what decides.
  std::size_t file = 0;

  auto operator<=>(const SampleKey&) const = default;
};

/// Gives the rows of one file, or of a stream, whose path is "", their keys.
class SampleKeys {
 public:
  SampleKeys(std::string_view path, std::uint64_t seed, std::size_t file = 0);
  SampleKey operator()(std::int64_t row) const;

 private:
  std::string_view path_;
  std::uint64_t path_hash_;
  std::size_t file_;
};

/// Leaves the `wanted` smallest of the keys, in any order: the one way in which rows of files,
/// streams and nodes are sampled. Leaves all where there are no more.
void KeepSmallest(std::size_t wanted, std::vector<SampleKey>& keys);

/// The sample of `num_rows` rows of files with these numbers of rows: the same ones whatever the
/// order of the files. By partition, each combination of hive keys gets a share in proportion to
/// its rows, at least one.
RowSample SampleRows(const std::vector<arrow_io::InputFile>& files,
                     const std::vector<std::int64_t>& rows_of_files, std::int64_t num_rows,
                     FitSample kind, std::uint64_t seed);

/// Every row of an input that was surveyed, but for bad files.
RowSample EveryRow(const Source& source);

/// Those of the rows that are valid; `valid` has a byte for each of them, but for those of bad
/// files.
RowSample OnlyValid(const Source& source, RowSample rows, const std::vector<std::uint8_t>& valid);

/// Those of the rows whose numbers, counted over all files, are given, ascending.
RowSample PickRows(const RowSample& all, const std::vector<std::uint32_t>& ascending);

}  // namespace spuna
