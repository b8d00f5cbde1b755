#include "pipelines/source/row_sample.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "arrow_io/hash.h"

namespace spuna {
namespace {

struct Candidate {
  std::uint64_t hash;
  std::size_t file;
  std::int64_t row;
};

// Keeps the candidates with the smallest hashes of any number that come by, in memory for twice as
// many as are wanted.
class SmallestHashes {
 public:
  SmallestHashes(const arrow_io::InputFiles& input, std::size_t wanted)
      : input_(input), wanted_(wanted) {}

  void Add(const Candidate& candidate) {
    if (candidate.hash > limit_) return;
    kept_.push_back(candidate);
    if (kept_.size() >= 2 * wanted_ + 1024) Shrink();
  }

  std::vector<Candidate> Finish() && {
    Shrink();
    return std::move(kept_);
  }

 private:
  void Shrink() {
    if (kept_.size() <= wanted_) return;
    const auto middle = kept_.begin() + static_cast<std::ptrdiff_t>(wanted_);
    // Equal hashes are told apart by names, not by positions, which depend on the order of files.
    std::nth_element(kept_.begin(), middle, kept_.end(),
                     [&](const Candidate& a, const Candidate& b) {
                       if (a.hash != b.hash) return a.hash < b.hash;
                       return std::pair(PathOf(a), a.row) < std::pair(PathOf(b), b.row);
                     });
    kept_.erase(middle, kept_.end());
    limit_ = 0;
    for (const Candidate& candidate : kept_) limit_ = std::max(limit_, candidate.hash);
  }

  std::string PathOf(const Candidate& candidate) const {
    return input_.files[candidate.file].relative_path.string();
  }

  const arrow_io::InputFiles& input_;
  std::size_t wanted_;
  std::uint64_t limit_ = ~std::uint64_t{0};
  std::vector<Candidate> kept_;
};

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

std::vector<Stratum> MakeStrata(const arrow_io::InputFiles& input,
                                const std::vector<std::int64_t>& rows_of_files,
                                std::int64_t num_rows, FitSample kind) {
  std::map<std::vector<std::pair<std::string, std::string>>, Stratum> by_keys;
  for (std::size_t i = 0; i < input.files.size(); ++i) {
    const bool is_apart = kind == FitSample::kByPartition;
    Stratum& stratum = by_keys[is_apart ? input.files[i].partitions
                                        : std::vector<std::pair<std::string, std::string>>()];
    stratum.files.push_back(i);
    stratum.num_rows += rows_of_files[i];
  }
  std::vector<Stratum> strata;
  for (auto& [unused, stratum] : by_keys) strata.push_back(std::move(stratum));
  Allot(num_rows, strata);
  return strata;
}

}  // namespace

std::uint64_t HashPath(const std::string& relative_path, std::uint64_t seed) {
  return arrow_io::Hash(relative_path.data(), relative_path.size(), seed);
}

std::uint64_t HashRow(std::uint64_t path_hash, std::int64_t row) {
  return arrow_io::Hash(&row, sizeof(row), path_hash);
}

RowSample SampleRows(const arrow_io::InputFiles& input,
                     const std::vector<std::int64_t>& rows_of_files, std::int64_t num_rows,
                     FitSample kind, std::uint64_t seed) {
  RowSample sample;
  sample.rows.resize(input.files.size());
  for (const Stratum& stratum : MakeStrata(input, rows_of_files, num_rows, kind)) {
    SmallestHashes smallest(input, static_cast<std::size_t>(stratum.wanted));
    for (const std::size_t file : stratum.files) {
      const std::uint64_t path = HashPath(input.files[file].relative_path.generic_string(), seed);
      for (std::int64_t row = 0; row < rows_of_files[file]; ++row) {
        smallest.Add({HashRow(path, row), file, row});
      }
    }
    for (const Candidate& taken : std::move(smallest).Finish()) {
      sample.rows[taken.file].push_back(taken.row);
      ++sample.num_rows;
    }
  }
  for (std::vector<std::int64_t>& rows : sample.rows) std::ranges::sort(rows);
  return sample;
}

}  // namespace spuna
