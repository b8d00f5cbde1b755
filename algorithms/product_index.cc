// Exact neighbors by blocked matrix products: |x - y|² = |x|² + |y|² - 2 x·y, with x·y from sgemm.
//
// The product form rounds. Every value it gives is therefore taken as an interval that surely holds
// the true squared distance; a row is let go only when its interval lies above k others, and the
// rows that remain are measured directly. The result is that of a direct search in float64.

#include <cblas.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "algorithms/blas.h"
#include "algorithms/neighbor_index_internal.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kQueriesPerBlock = 128;
constexpr std::size_t kBankRowsPerBlock = 512;
// Values compared at once before any of them is looked at alone.
constexpr std::size_t kValuesPerGlance = 16;

constexpr double kUnitRoundoff = 1.0 / (1 << 24);
// Below this a scaled value may have lost digits to underflow.
constexpr float kUnderflowSlack = 1e-30F;
// A query of a larger scaled squared norm, astronomically far from the bank, could overflow a
// float32 product; it is measured against every row.
constexpr double kMaxSquaredNorm = 1e30;

struct Candidate {
  float lower;
  float upper;
  std::uint32_t bank_row;
};

struct Scratch {
  std::vector<float> queries;
  std::vector<float> products;
  RowNumbers candidate_rows;
  std::vector<double> distances;
};

class ProductIndex : public NeighborIndex {
 public:
  explicit ProductIndex(BankRows bank)
      : bank_(std::move(bank)),
        // All rounding, in units of u (|x|² + |y|²), u = 2^-24: the product d, in any order of
        // summation; centering 4; the norms and their sum 2; adding the product 2; the interval's
        // ends 2; and 6 for what is rounded in computing the slack itself.
        error_(static_cast<float>(static_cast<double>(bank_.dimension() + 16) * kUnitRoundoff)),
        scale_(ScaleOf(bank_.view())),
        center_(bank_.dimension()),
        centered_(bank_.num_rows() * bank_.dimension()),
        squared_norms_(bank_.num_rows()) {
    const EmbeddingsView rows = bank_.view();
    std::vector<double> sums(rows.dimension);
    for (std::size_t i = 0; i < rows.num_rows; ++i) {
      for (std::size_t j = 0; j < rows.dimension; ++j) sums[j] += rows.row(i)[j];
    }
    for (std::size_t j = 0; j < rows.dimension; ++j) {
      center_[j] = static_cast<float>(sums[j] / static_cast<double>(rows.num_rows));
    }
    for (std::size_t i = 0; i < rows.num_rows; ++i) {
      squared_norms_[i] =
          static_cast<float>(Center(rows.row(i), centered_.data() + i * rows.dimension));
    }
  }

  void MergeNearest(const Queries& queries, const Execution& execution,
                    NearestDistances& lists) const override {
    const SingleThreadedBlas single_threaded;
    std::vector<Scratch> scratch(static_cast<std::size_t>(std::max(execution.num_threads, 1)));
    const std::size_t num_queries = queries.rows.size();
    ParallelFor((num_queries + kQueriesPerBlock - 1) / kQueriesPerBlock, execution,
                [&](std::size_t block, std::size_t worker) {
                  const std::size_t begin = block * kQueriesPerBlock;
                  const std::size_t end = std::min(begin + kQueriesPerBlock, num_queries);
                  MergeBlock(queries, begin, end, execution, scratch[worker], lists);
                });
  }

 private:
  // A power of two that brings the bank's values to about 1, so that no float32 square overflows.
  // Both it and its inverse are normal numbers.
  static float ScaleOf(const EmbeddingsView& rows) {
    float largest = 0;
    for (const float value : rows.values()) largest = std::max(largest, std::abs(value));
    if (largest == 0) return 1;
    return std::ldexp(1.0F, -std::clamp(std::ilogb(largest) + 1, -120, 120));
  }

  // Writes the centered and scaled row, and returns its squared norm.
  double Center(const float* row, float* centered) const {
    double squared_norm = 0;
    for (std::size_t j = 0; j < bank_.dimension(); ++j) {
      const double value = (static_cast<double>(row[j]) - center_[j]) * scale_;
      squared_norm += value * value;
      // Beyond the bound the value is not used.
      centered[j] = squared_norm < kMaxSquaredNorm ? static_cast<float>(value) : 0.0F;
    }
    return squared_norm;
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
    scratch.queries.resize(count * dimension);
    scratch.products.resize(kBankRowsPerBlock * count);
    std::array<double, kQueriesPerBlock> norms{};
    std::array<std::vector<Candidate>, kQueriesPerBlock> candidates;
    std::array<float, kQueriesPerBlock> limits{};
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t row = queries.rows[begin + i];
      float* const centered = scratch.queries.data() + i * dimension;
      norms[i] = Center(queries.embeddings.row(row), centered);
      limits[i] = Scaled(lists.limit(row));
    }

    for (std::size_t first = 0; first < bank_.num_rows(); first += kBankRowsPerBlock) {
      execution.CheckStop();
      const std::size_t num_bank = std::min(kBankRowsPerBlock, bank_.num_rows() - first);
      cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<blasint>(num_bank),
                  static_cast<blasint>(count), static_cast<blasint>(dimension), -2.0F,
                  centered_.data() + first * dimension, static_cast<blasint>(dimension),
                  scratch.queries.data(), static_cast<blasint>(dimension), 0.0F,
                  scratch.products.data(), static_cast<blasint>(num_bank));
      for (std::size_t i = 0; i < count; ++i) {
        if (!(norms[i] < kMaxSquaredNorm)) continue;
        Scan(scratch.products.data() + i * num_bank, first, num_bank, static_cast<float>(norms[i]),
             queries.LeftOut(begin + i), lists.num_neighbors(), limits[i], candidates[i]);
        if (candidates[i].size() > 4 * lists.num_neighbors() + kBankRowsPerBlock) {
          // Too many rows too close to call: measure them now.
          const std::uint32_t row = queries.rows[begin + i];
          Measure(queries.embeddings.row(row), row, limits[i], candidates[i], scratch, lists);
          limits[i] = std::min(limits[i], Scaled(lists.limit(row)));
        }
      }
    }

    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t row = queries.rows[begin + i];
      if (norms[i] < kMaxSquaredNorm) {
        Measure(queries.embeddings.row(row), row, limits[i], candidates[i], scratch, lists);
      } else {
        RowNumbers others = AllRows(bank_.num_rows());
        std::erase(others, queries.LeftOut(begin + i));
        bank_.MergeDistances(queries.embeddings.row(row), others, row, scratch.distances, lists);
      }
    }
  }

  // Takes the bank rows whose interval reaches below `limit`, and lowers the limit as k others are
  // seen to lie below it.
  void Scan(const float* products, std::size_t first, std::size_t num_bank, float query_norm,
            std::int64_t left_out, std::size_t num_neighbors, float& limit,
            std::vector<Candidate>& candidates) const {
    const float* const bank_norms = squared_norms_.data() + first;
    auto look = [&](std::size_t j) {
      const float norms = bank_norms[j] + query_norm;
      const float value = norms + products[j];
      const float slack = error_ * norms + kUnderflowSlack;
      if (value - slack > limit || static_cast<std::int64_t>(first + j) == left_out) return;
      candidates.push_back({value - slack, value + slack, static_cast<std::uint32_t>(first + j)});
      if (candidates.size() % (2 * num_neighbors + kValuesPerGlance) == 0) {
        Prune(num_neighbors, limit, candidates);
      }
    };

    std::size_t j = 0;
    for (; j + kValuesPerGlance <= num_bank; j += kValuesPerGlance) {
      std::array<float, kValuesPerGlance> lower;
      for (std::size_t g = 0; g < kValuesPerGlance; ++g) {
        const float norms = bank_norms[j + g] + query_norm;
        lower[g] = (norms + products[j + g]) - (error_ * norms + kUnderflowSlack);
      }
      float smallest = lower[0];
      for (std::size_t g = 1; g < kValuesPerGlance; ++g) {
        smallest = lower[g] < smallest ? lower[g] : smallest;
      }
      if (smallest > limit) continue;
      for (std::size_t g = 0; g < kValuesPerGlance; ++g) look(j + g);
    }
    for (; j < num_bank; ++j) look(j);
  }

  // Lowers the limit to the k-th smallest upper end and drops the candidates beyond it.
  static void Prune(std::size_t num_neighbors, float& limit, std::vector<Candidate>& candidates) {
    if (candidates.size() >= num_neighbors) {
      const auto kth = candidates.begin() + static_cast<std::ptrdiff_t>(num_neighbors) - 1;
      std::nth_element(candidates.begin(), kth, candidates.end(),
                       [](const Candidate& a, const Candidate& b) { return a.upper < b.upper; });
      limit = std::min(limit, kth->upper);
    }
    std::erase_if(candidates, [&](const Candidate& c) { return c.lower > limit; });
  }

  void Measure(const float* query, std::uint32_t list, float& limit,
               std::vector<Candidate>& candidates, Scratch& scratch,
               NearestDistances& lists) const {
    Prune(lists.num_neighbors(), limit, candidates);
    scratch.candidate_rows.clear();
    for (const Candidate& candidate : candidates) {
      scratch.candidate_rows.push_back(candidate.bank_row);
    }
    candidates.clear();
    bank_.MergeDistances(query, scratch.candidate_rows, list, scratch.distances, lists);
  }

  BankRows bank_;
  float error_;
  float scale_;
  std::vector<float> center_;
  std::vector<float> centered_;
  std::vector<float> squared_norms_;
};

}  // namespace

std::unique_ptr<NeighborIndex> MakeProductIndex(BankRows bank) {
  return std::make_unique<ProductIndex>(std::move(bank));
}

}  // namespace spuna::algorithms
