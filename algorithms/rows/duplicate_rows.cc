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

}  // namespace

std::size_t CountRowsAlsoIn(const EmbeddingsView& rows, const EmbeddingsView& others) {
  // Equal rows are kept once, with their number: a matrix of many equal rows takes no longer.
  struct Distinct {
    std::size_t first_row;
    std::size_t num_equal;
    bool found;
  };
  std::vector<float> scratch(rows.dimension);
  std::unordered_multimap<std::size_t, Distinct> by_hash;
  auto find = [&](const float* row, std::size_t hash) {
    const auto [begin, end] = by_hash.equal_range(hash);
    const auto it = std::find_if(begin, end, [&](const auto& entry) {
      return std::equal(row, row + rows.dimension, rows.row(entry.second.first_row));
    });
    return it == end ? nullptr : &it->second;
  };
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    const std::size_t hash = HashRow(rows.row(i), scratch);
    Distinct* const known = find(rows.row(i), hash);
    if (known != nullptr) {
      ++known->num_equal;
    } else {
      by_hash.emplace(hash, Distinct{i, 1, false});
    }
  }
  for (std::size_t i = 0; i < others.num_rows; ++i) {
    Distinct* const known = find(others.row(i), HashRow(others.row(i), scratch));
    if (known != nullptr) known->found = true;
  }
  std::size_t count = 0;
  for (const auto& [hash, distinct] : by_hash) count += distinct.found ? distinct.num_equal : 0;
  return count;
}

RowNumbers RowsWithCopies(const EmbeddingsView& rows, std::size_t num_copies,
                          std::size_t max_rows) {
  struct Distinct {
    std::uint32_t first_row;
    std::size_t num_equal;
  };
  std::vector<float> scratch(rows.dimension);
  std::unordered_multimap<std::size_t, Distinct> by_hash;
  for (std::uint32_t i = 0; i < rows.num_rows; ++i) {
    const std::size_t hash = HashRow(rows.row(i), scratch);
    const auto [begin, end] = by_hash.equal_range(hash);
    const auto known = std::find_if(begin, end, [&](const auto& entry) {
      return std::equal(rows.row(i), rows.row(i) + rows.dimension,
                        rows.row(entry.second.first_row));
    });
    if (known != end) {
      ++known->second.num_equal;
    } else {
      by_hash.emplace(hash, Distinct{i, 1});
    }
  }
  std::vector<Distinct> often;
  for (const auto& [hash, distinct] : by_hash) {
    if (distinct.num_equal >= num_copies) often.push_back(distinct);
  }
  std::ranges::sort(often, [](const Distinct& a, const Distinct& b) {
    return a.num_equal != b.num_equal ? a.num_equal > b.num_equal : a.first_row < b.first_row;
  });
  RowNumbers first_rows;
  for (const Distinct& distinct : often) {
    if (first_rows.size() < max_rows) first_rows.push_back(distinct.first_row);
  }
  return first_rows;
}

}  // namespace spuna::algorithms
