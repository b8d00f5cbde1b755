#include "pipelines/fit/fit_groups.h"

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "algorithms/rows/near_copies.h"

namespace spuna {
namespace {

// With fewer groups of near copies than this there is nothing to split but the rows in them.
constexpr std::size_t kFewestNearCopies = 10;

using Numbers = std::unordered_map<std::string, std::uint32_t>;

// `next` is the first number that is free.
std::vector<std::uint32_t> NumbersOf(const std::vector<std::string>& names, Numbers& numbers,
                                     std::uint32_t& next) {
  std::vector<std::uint32_t> found;
  found.reserve(names.size());
  for (const std::string& name : names) {
    const std::uint32_t number =
        name.empty() ? next : numbers.try_emplace(name, next).first->second;
    if (number == next) ++next;
    found.push_back(number);
  }
  return found;
}

}  // namespace

arrow::Status CheckGroups(const FitInput& trusted, const FitInput& pool,
                          const std::string& column) {
  if (column.empty()) return arrow::Status::OK();
  if (trusted.groups.empty() || pool.groups.empty()) {
    return arrow::Status::Invalid(
        "`fold-by` needs a column of groups, which a node of a plan does not read; fit on files or "
        "on a stream");
  }
  const std::unordered_set<std::string> in_pool(pool.groups.begin(), pool.groups.end());
  std::unordered_set<std::string> on_both;
  std::string first;
  for (const std::string& name : trusted.groups) {
    if (name.empty() || !in_pool.contains(name)) continue;
    if (on_both.empty()) first = name;
    on_both.insert(name);
  }
  if (on_both.empty()) return arrow::Status::OK();
  const std::string more =
      on_both.size() == 1 ? "" : ", and so are " + std::to_string(on_both.size() - 1) + " more";
  return arrow::Status::Invalid("`fold-by`: group '", first, "' of column '", column,
                                "' is in the trusted rows and in the pool", more,
                                "; leave each group out of one of the two");
}

algorithms::Groups GroupsOf(const FitInput& trusted, const FitInput& pool) {
  Numbers numbers;
  std::uint32_t next = 0;
  algorithms::Groups groups;
  groups.trusted = NumbersOf(trusted.groups, numbers, next);
  groups.pool = NumbersOf(pool.groups, numbers, next);
  return groups;
}

std::vector<std::uint32_t> GroupNumbers(const FitInput& input) {
  Numbers numbers;
  std::uint32_t next = 0;
  if (!input.groups.empty()) return NumbersOf(input.groups, numbers, next);
  const algorithms::EmbeddingsView rows = input.rows.view();
  std::vector<std::uint32_t> groups =
      algorithms::NearCopyGroups(rows, algorithms::NearCopyDistance(rows));
  const std::size_t num_groups = algorithms::CountGroups(groups, rows.num_rows);
  if (num_groups == rows.num_rows || num_groups < kFewestNearCopies) groups.clear();
  return groups;
}

std::vector<algorithms::RowNumbers> RowsByGroup(const FitInput& input) {
  return algorithms::RowsByGroup(GroupNumbers(input),
                                 static_cast<std::size_t>(input.rows.num_rows()));
}

}  // namespace spuna
