// A kind of index behind neighbor_index.h: no header of its own.
//
// Exact neighbors by blocked matrix products: |x - y|² = |x|² + |y|² - 2 x·y, with x·y from sgemm.
//
// The product form rounds. Every value it gives is therefore taken as an interval that surely holds
// the true squared distance; a row is let go only when its interval lies above k others, and the
// rows that remain are measured directly. The result is that of a direct search in float64.

#include <cblas.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/compute/blas.h"
#include "algorithms/compute/vector_kernels.h"
#include "algorithms/neighbors/neighbor_index_internal.h"

namespace spuna::algorithms {
namespace {

// A block of products, its bank rows and what OpenBLAS packs of them stay in the second-level
// cache; enough queries share a bank block that bringing it there costs little.
constexpr std::size_t kQueriesPerBlock = 384;
constexpr std::size_t kBankRowsPerBlock = 768;

// With very many neighbors the candidates' memory decides how many queries make a block.
constexpr std::size_t kMaxCandidateBytes = 32 << 20;
constexpr std::size_t kBytesPerCandidate = sizeof(float) + 2 * sizeof(std::uint32_t);

constexpr double kUnitRoundoff = 1.0 / (1 << 24);
// Below this a scaled value may have lost digits to underflow.
constexpr float kUnderflowSlack = 1e-30F;
// A query of a larger scaled squared norm, astronomically far from the bank, could overflow a
// float32 product; it is measured against every row.
constexpr double kMaxSquaredNorm = 1e30;

// The bank rows that may be among the k nearest of a query. Those that surely are not any more are
// dropped now and then, and `limit` falls with them.
class Candidates {
 public:
  Candidates(const CandidateArrays& arrays, std::size_t num_neighbors, float limit)
      : arrays_(arrays), num_neighbors_(num_neighbors), limit_(limit) {}

  // How many there may be after a bank block, and what the kernel writes beyond.
  static std::size_t Capacity(std::size_t num_neighbors, std::size_t num_bank_rows) {
    return std::min(FullLength(num_neighbors) + kBankRowsPerBlock, num_bank_rows) + 16;
  }

  std::span<const std::uint32_t> rows() const { return {arrays_.row, length_}; }
  bool IsFull() const { return length_ >= FullLength(num_neighbors_); }

  // No more candidates are taken whose interval begins beyond.
  void LowerLimit(float limit) { limit_ = std::min(limit_, limit); }
  void Clear() { length_ = 0; }

  // Takes the rows of a bank block whose interval reaches below the limit.
  void Append(std::span<const float> products, const float* bank_norms, std::size_t first,
              float query_norm, ProductError error, std::int64_t left_out) {
    const std::size_t before = length_;
    length_ = Kernels().append_near(products.data(), bank_norms, products.size(),
                                    static_cast<std::uint32_t>(first), query_norm, error, limit_,
                                    arrays_, length_);
    for (std::size_t i = before; i < length_ && arrays_.row[i] <= left_out; ++i) {
      if (arrays_.row[i] == left_out) Erase(i);
    }
    if (IsFull()) Prune();
  }

  // Lowers the limit to an upper end that k intervals do not pass, the k-th smallest or one a
  // little above it, and drops the candidates beyond.
  void Prune() {
    if (length_ < num_neighbors_) return;
    LowerLimit(std::bit_cast<float>(Kernels().select(arrays_.upper_bits, length_, num_neighbors_,
                                                     num_neighbors_ + num_neighbors_ / 16)));
    length_ = Kernels().keep_near(arrays_, length_, limit_);
  }

 private:
  static std::size_t FullLength(std::size_t num_neighbors) { return 2 * num_neighbors + 16; }

  void Erase(std::size_t position) {
    --length_;
    for (std::size_t i = position; i < length_; ++i) {
      arrays_.lower[i] = arrays_.lower[i + 1];
      arrays_.upper_bits[i] = arrays_.upper_bits[i + 1];
      arrays_.row[i] = arrays_.row[i + 1];
    }
  }

  CandidateArrays arrays_;
  std::size_t num_neighbors_;
  float limit_;
  std::size_t length_ = 0;
};

// What one thread works in.
struct Scratch {
  std::vector<float> queries;
  std::vector<float> bank;
  std::vector<float> products;
  std::vector<float> lower;
  std::vector<std::uint32_t> upper_bits;
  std::vector<std::uint32_t> rows;
  std::vector<double> distances;
};

class ProductIndex : public NeighborIndex {
 public:
  explicit ProductIndex(BankRows bank)
      : bank_(std::move(bank)),
        // All rounding, in units of u (|x|² + |y|²), u = 2^-24: the product d, in any order of
        // summation; centering 4; the norms and their sum 2; adding the product 2; the interval's
        // ends 2; and 6 for what is rounded in computing the slack itself.
        error_{static_cast<float>(static_cast<double>(bank_.dimension() + 16) * kUnitRoundoff),
               kUnderflowSlack},
        scale_(ScaleOf(bank_)),
        center_(bank_.dimension()),
        squared_norms_(bank_.num_rows()) {
    std::vector<double> sums(bank_.dimension());
    for (std::size_t i = 0; i < bank_.num_rows(); ++i) {
      const float* const row = bank_.row(i);
      for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += row[j];
    }
    for (std::size_t j = 0; j < sums.size(); ++j) {
      center_[j] = static_cast<float>(sums[j] / static_cast<double>(bank_.num_rows())) * scale_;
    }
    std::vector<float> centered(bank_.dimension());
    for (std::size_t i = 0; i < bank_.num_rows(); ++i) {
      Center(bank_.row(i), centered.data());
      squared_norms_[i] = static_cast<float>(Kernels().squared_norm(centered.data(), sums.size()));
    }
  }

  void MergeNearest(const Queries& queries, const Execution& execution,
                    NearestDistances& lists) const override {
    const SingleThreadedBlas single_threaded;
    const auto num_threads = static_cast<std::size_t>(std::max(execution.num_threads, 1));
    std::vector<Scratch> scratch(num_threads);
    const std::size_t num_queries = queries.rows.size();
    // Few queries are shared out evenly. The result depends on no block's size.
    const std::size_t bytes_per_query =
        Candidates::Capacity(lists.num_neighbors(), bank_.num_rows()) * kBytesPerCandidate;
    const std::size_t largest =
        std::clamp<std::size_t>(kMaxCandidateBytes / bytes_per_query, 1, kQueriesPerBlock);
    const std::size_t block_size = std::clamp<std::size_t>(
        (num_queries + 4 * num_threads - 1) / (4 * num_threads), 1, largest);
    ParallelFor((num_queries + block_size - 1) / block_size, execution,
                [&](std::size_t block, std::size_t worker) {
                  const std::size_t begin = block * block_size;
                  const std::size_t end = std::min(begin + block_size, num_queries);
                  MergeBlock(queries, begin, end, execution, scratch[worker], lists);
                });
  }

 private:
  // A power of two that brings the bank's values to about 1, so that no float32 square overflows.
  // Both it and its inverse are normal numbers.
  static float ScaleOf(const BankRows& bank) {
    float largest = 0;
    for (std::size_t i = 0; i < bank.num_rows(); ++i) {
      const float* const row = bank.row(i);
      for (std::size_t j = 0; j < bank.dimension(); ++j) {
        const float size = std::abs(row[j]);
        largest = size > largest ? size : largest;
      }
    }
    if (largest == 0) return 1;
    return std::ldexp(1.0F, -std::clamp(std::ilogb(largest) + 1, -120, 120));
  }

  // Writes the centered and scaled row.
  void Center(const float* row, float* centered) const {
    Kernels().center(row, center_.data(), scale_, bank_.dimension(), centered);
  }

  // A squared distance in the scaled units of the product, not below the given one.
  float Scaled(double squared_distance) const {
    const double scaled = squared_distance * scale_ * scale_ * (1 + 4 * kUnitRoundoff);
    return scaled < std::numeric_limits<float>::max() ? static_cast<float>(scaled)
                                                      : std::numeric_limits<float>::infinity();
  }

  void MergeBlock(const Queries& queries, std::size_t begin, std::size_t end,
                  const Execution& execution, Scratch& scratch, NearestDistances& lists) const {
    const std::size_t dimension = bank_.dimension();
    const std::size_t count = end - begin;
    const std::size_t capacity = Candidates::Capacity(lists.num_neighbors(), bank_.num_rows());
    scratch.queries.resize(count * dimension);
    scratch.bank.resize(kBankRowsPerBlock * dimension);
    scratch.products.resize(kBankRowsPerBlock * count);
    scratch.lower.resize(count * capacity);
    scratch.upper_bits.resize(count * capacity);
    scratch.rows.resize(count * capacity);
    std::vector<double> norms(count);
    std::vector<Candidates> candidates;
    candidates.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t row = queries.rows[begin + i];
      float* const centered = scratch.queries.data() + i * dimension;
      Center(queries.embeddings.row(row), centered);
      norms[i] = Kernels().squared_norm(centered, dimension);
      if (!(norms[i] < kMaxSquaredNorm)) std::fill_n(centered, dimension, 0.0F);
      candidates.emplace_back(CandidateArrays{scratch.lower.data() + i * capacity,
                                              scratch.upper_bits.data() + i * capacity,
                                              scratch.rows.data() + i * capacity},
                              lists.num_neighbors(), Scaled(lists.limit(row)));
    }

    for (std::size_t first = 0; first < bank_.num_rows(); first += kBankRowsPerBlock) {
      execution.CheckStop();
      const std::size_t num_bank = std::min(kBankRowsPerBlock, bank_.num_rows() - first);
      for (std::size_t j = 0; j < num_bank; ++j) {
        Center(bank_.row(first + j), scratch.bank.data() + j * dimension);
      }
      cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<blasint>(num_bank),
                  static_cast<blasint>(count), static_cast<blasint>(dimension), -2.0F,
                  scratch.bank.data(), static_cast<blasint>(dimension), scratch.queries.data(),
                  static_cast<blasint>(dimension), 0.0F, scratch.products.data(),
                  static_cast<blasint>(num_bank));
      for (std::size_t i = 0; i < count; ++i) {
        if (!(norms[i] < kMaxSquaredNorm)) continue;
        candidates[i].Append({scratch.products.data() + i * num_bank, num_bank},
                             squared_norms_.data() + first, first, static_cast<float>(norms[i]),
                             error_, queries.LeftOut(begin + i));
        if (candidates[i].IsFull()) {
          // Too many rows too close to call: measure them now.
          const std::uint32_t row = queries.rows[begin + i];
          bank_.MergeDistances(queries.embeddings.row(row), candidates[i].rows(), row,
                               scratch.distances, lists);
          candidates[i].Clear();
          candidates[i].LowerLimit(Scaled(lists.limit(row)));
        }
      }
    }

    for (Candidates& some : candidates) some.Prune();
    MeasureAll(queries, begin, candidates, scratch.distances, lists);
    for (std::size_t i = 0; i < count; ++i) {
      if (norms[i] < kMaxSquaredNorm) continue;
      const std::uint32_t row = queries.rows[begin + i];
      RowNumbers others = AllRows(bank_.num_rows());
      std::erase(others, queries.LeftOut(begin + i));
      bank_.MergeDistances(queries.embeddings.row(row), others, row, scratch.distances, lists);
    }
  }

  // Measures the candidates of many queries, one part of the bank after the other, so that a bank
  // row comes from memory once for all of them.
  void MeasureAll(const Queries& queries, std::size_t begin, std::span<const Candidates> candidates,
                  std::vector<double>& distances, NearestDistances& lists) const {
    std::vector<std::size_t> first_distance;
    std::size_t total = 0;
    for (const Candidates& some : candidates) {
      first_distance.push_back(total);
      total += some.rows().size();
    }
    distances.resize(total);
    std::vector<std::size_t> num_measured(candidates.size(), 0);
    std::vector<const float*> bank_rows;
    for (std::size_t end = kBankRowsPerBlock; end < bank_.num_rows() + kBankRowsPerBlock;
         end += kBankRowsPerBlock) {
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        const std::span<const std::uint32_t> rows = candidates[i].rows();
        bank_rows.clear();
        for (std::size_t n = num_measured[i]; n < rows.size() && rows[n] < end; ++n) {
          bank_rows.push_back(bank_.row(rows[n]));
        }
        Kernels().squared_distances(queries.embeddings.row(queries.rows[begin + i]),
                                    bank_rows.data(), bank_rows.size(), bank_.dimension(),
                                    distances.data() + first_distance[i] + num_measured[i]);
        num_measured[i] += bank_rows.size();
      }
    }
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      lists.Merge(queries.rows[begin + i],
                  {distances.data() + first_distance[i], candidates[i].rows().size()});
    }
  }

  BankRows bank_;
  ProductError error_;
  float scale_;
  std::vector<float> center_;
  std::vector<float> squared_norms_;
};

}  // namespace

std::unique_ptr<NeighborIndex> MakeProductIndex(BankRows bank) {
  return std::make_unique<ProductIndex>(std::move(bank));
}

}  // namespace spuna::algorithms
