#include "pipelines/source/row_sample.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "arrow_io/hash.h"

namespace spuna {
namespace {

// Files that share the rows of a sample, and how many they get.
struct Stratum {
  std::vector<std::size_t> files;
  std::int64_t num_rows = 0;
  std::int64_t wanted = 0;
};

// In proportion, by the largest remainders; at least one row where there is one.
void Allot(std::int64_t wanted, std::vector<Stratum>& strata) {
  std::int64_t total = 0;
  for (const Stratum& stratum : strata) total += stratum.num_rows;
  std::vector<std::pair<double, std::size_t>> remainders;
  std::int64_t allotted = 0;
  for (std::size_t i = 0; i < strata.size(); ++i) {
    const double exact = static_cast<double>(wanted) * static_cast<double>(strata[i].num_rows) /
                         static_cast<double>(total);
    strata[i].wanted = static_cast<std::int64_t>(exact);
    remainders.emplace_back(static_cast<double>(strata[i].wanted) - exact, i);
    allotted += strata[i].wanted;
  }
  std::ranges::sort(remainders);
  for (const auto& [unused, i] : remainders) {
    if (allotted >= wanted) break;
    ++strata[i].wanted;
    ++allotted;
  }
  for (Stratum& stratum : strata) {
    stratum.wanted = std::max<std::int64_t>(stratum.wanted, stratum.num_rows > 0 ? 1 : 0);
  }
}

std::vector<Stratum> MakeStrata(const std::vector<arrow_io::InputFile>& files,
                                const std::vector<std::int64_t>& rows_of_files,
                                std::int64_t num_rows, FitSample kind) {
  std::map<std::vector<std::pair<std::string, std::string>>, Stratum> by_keys;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const bool is_apart = kind == FitSample::kByPartition;
    Stratum& stratum = by_keys[is_apart ? files[i].partitions
                                        : std::vector<std::pair<std::string, std::string>>()];
    stratum.files.push_back(i);
    stratum.num_rows += rows_of_files[i];
  }
  std::vector<Stratum> strata;
  strata.reserve(by_keys.size());
  for (auto& [unused, stratum] : by_keys) strata.push_back(std::move(stratum));
  Allot(num_rows, strata);
  return strata;
}

}  // namespace

SampleKeys::SampleKeys(std::string_view path, std::uint64_t seed, std::size_t file)
    : path_(path), path_hash_(arrow_io::Hash(path.data(), path.size(), seed)), file_(file) {}

SampleKey SampleKeys::operator()(std::int64_t row) const {
  return {arrow_io::Hash(&row, sizeof(row), path_hash_), path_, row, file_};
}

void KeepSmallest(std::size_t wanted, std::vector<SampleKey>& keys) {
  if (keys.size() <= wanted) return;
  const auto middle = keys.begin() + static_cast<std::ptrdiff_t>(wanted);
  std::nth_element(keys.begin(), middle, keys.end());
  keys.erase(middle, keys.end());
}

RowSample SampleRows(const std::vector<arrow_io::InputFile>& files,
                     const std::vector<std::int64_t>& rows_of_files, std::int64_t num_rows,
                     FitSample kind, std::uint64_t seed) {
  std::vector<std::string> paths;
  paths.reserve(files.size());
  for (const arrow_io::InputFile& file : files) {
    paths.push_back(file.relative_path.generic_string());
  }
  RowSample sample;
  sample.rows.resize(files.size());
  for (const Stratum& stratum : MakeStrata(files, rows_of_files, num_rows, kind)) {
    const auto wanted = static_cast<std::size_t>(stratum.wanted);
    // Memory for twice as many as are wanted serves any number of rows.
    std::vector<SampleKey> kept;
    std::uint64_t limit = ~std::uint64_t{0};
    for (const std::size_t file : stratum.files) {
      const SampleKeys key_of(paths[file], seed, file);
      for (std::int64_t row = 0; row < rows_of_files[file]; ++row) {
        const SampleKey key = key_of(row);
        if (key.hash > limit) continue;
        kept.push_back(key);
        if (kept.size() < 2 * wanted + 1024) continue;
        KeepSmallest(wanted, kept);
        limit = kept.empty() ? 0 : std::ranges::max(kept, {}, &SampleKey::hash).hash;
      }
    }
    KeepSmallest(wanted, kept);
    for (const SampleKey& key : kept) sample.rows[key.file].push_back(key.row);
    sample.num_rows += static_cast<std::int64_t>(kept.size());
  }
  for (std::vector<std::int64_t>& rows : sample.rows) std::ranges::sort(rows);
  return sample;
}

RowSample EveryRow(const Source& source) {
  RowSample sample;
  for (std::size_t file = 0; file < source.files().size(); ++file) {
    std::vector<std::int64_t>& rows = sample.rows.emplace_back();
    if (source.IsBad(file)) continue;
    rows.resize(static_cast<std::size_t>(source.RowsOf(file)));
    std::iota(rows.begin(), rows.end(), 0);
    sample.num_rows += source.RowsOf(file);
  }
  return sample;
}

RowSample OnlyValid(const Source& source, RowSample rows, const std::vector<std::uint8_t>& valid) {
  std::size_t next = 0;
  rows.num_rows = 0;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    if (source.IsBad(i)) {
      rows.rows[i].clear();
    } else {
      std::erase_if(rows.rows[i], [&](std::int64_t) { return valid[next++] == 0; });
    }
    rows.num_rows += static_cast<std::int64_t>(rows.rows[i].size());
  }
  return rows;
}

RowSample PickRows(const RowSample& all, const std::vector<std::uint32_t>& ascending) {
  RowSample picked;
  picked.rows.resize(all.rows.size());
  std::size_t next = 0;
  std::size_t first = 0;
  for (std::size_t file = 0; file < all.rows.size(); ++file) {
    const std::size_t end = first + all.rows[file].size();
    for (; next < ascending.size() && ascending[next] < end; ++next) {
      picked.rows[file].push_back(all.rows[file][ascending[next] - first]);
    }
    first = end;
  }
  picked.num_rows = static_cast<std::int64_t>(next);
  return picked;
}

}  // namespace spuna
