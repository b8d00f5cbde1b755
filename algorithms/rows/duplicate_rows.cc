#include "algorithms/rows/duplicate_rows.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace spuna::algorithms {
namespace {

// Equal rows have equal hashes: adding 0 turns -0 into 0.
std::size_t HashRow(const float* row, std::vector<float>& scratch) {
  std::transform(row, row + scratch.size(), scratch.begin(),
                 [](float value) { return value + 0.0F; });
  return std::hash<std::string_view>{}(
      {reinterpret_cast<const char*>(scratch.data()), scratch.size() * sizeof(float)});
}

// Equal rows, kept once with their number: a matrix of many equal rows takes no longer.
struct Distinct {
  std::size_t first_row;
  std::size_t num_equal;
  bool found;
};

class DistinctTable {
 public:
  explicit DistinctTable(const EmbeddingsView& rows) : rows_(rows), scratch_(rows.dimension) {
    for (std::size_t i = 0; i < rows.num_rows; ++i) {
      const std::size_t hash = HashRow(rows.row(i), scratch_);
      Distinct* const known = Find(rows.row(i), hash);
      if (known != nullptr) {
        ++known->num_equal;
      } else {
        by_hash_.emplace(hash, Distinct{i, 1, false});
      }
    }
  }

  // Null where no row is equal.
  Distinct* Find(const float* row) { return Find(row, HashRow(row, scratch_)); }

  const std::unordered_multimap<std::size_t, Distinct>& by_hash() const { return by_hash_; }

 private:
  Distinct* Find(const float* row, std::size_t hash) {
    const auto [begin, end] = by_hash_.equal_range(hash);
    const auto it = std::find_if(begin, end, [&](const auto& entry) {
      return std::equal(row, row + rows_.dimension, rows_.row(entry.second.first_row));
    });
    return it == end ? nullptr : &it->second;
  }

  EmbeddingsView rows_;
  std::vector<float> scratch_;
  std::unordered_multimap<std::size_t, Distinct> by_hash_;
};

}  // namespace

std::size_t CountRowsAlsoIn(const EmbeddingsView& rows, const EmbeddingsView& others) {
  DistinctTable table(rows);
  for (std::size_t i = 0; i < others.num_rows; ++i) {
    Distinct* const known = table.Find(others.row(i));
    if (known != nullptr) known->found = true;
  }
  std::size_t count = 0;
  for (const auto& [hash, distinct] : table.by_hash()) {
    count += distinct.found ? distinct.num_equal : 0;
  }
  return count;
}

RowNumbers RowsWithCopies(const EmbeddingsView& rows, std::size_t num_copies,
                          std::size_t max_rows) {
  const DistinctTable table(rows);
  std::vector<Distinct> often;
  for (const auto& [hash, distinct] : table.by_hash()) {
    if (distinct.num_equal >= num_copies) often.push_back(distinct);
  }
  std::ranges::sort(often, [](const Distinct& a, const Distinct& b) {
    return a.num_equal != b.num_equal ? a.num_equal > b.num_equal : a.first_row < b.first_row;
  });
  RowNumbers first_rows;
  for (const Distinct& distinct : often) {
    if (first_rows.size() == max_rows) break;
    first_rows.push_back(static_cast<std::uint32_t>(distinct.first_row));
  }
  return first_rows;
}

RowNumbers DistinctRows(const EmbeddingsView& rows) {
  RowNumbers distinct_rows;
  const DistinctTable table(rows);
  for (const auto& [hash, distinct] : table.by_hash()) {
    distinct_rows.push_back(static_cast<std::uint32_t>(distinct.first_row));
  }
  std::ranges::sort(distinct_rows);
  return distinct_rows;
}

}  // namespace spuna::algorithms
