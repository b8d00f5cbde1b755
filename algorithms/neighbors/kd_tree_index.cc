// A kind of index behind neighbor_index.h: no header of its own.
//
// Exact neighbors by mlpack's KD-tree. One tree holds one batch of added rows: a growing bank is a
// forest of them, and no tree is ever rebuilt.
//
// The tree is in float64. In float32 its boxes could not be halved between two neighboring numbers,
// where mlpack would recurse forever, and its distances would round and overflow.
//
// mlpack's NeighborSearch runs on one thread and counts its work in members; its rules and its
// single-tree traverser, used directly, leave the tree alone and so can run on several.

#include <algorithm>
#include <mlpack/core.hpp>
#include <mlpack/core/tree/binary_space_tree.hpp>
#include <mlpack/methods/neighbor_search/neighbor_search_rules.hpp>
#include <mlpack/methods/neighbor_search/neighbor_search_stat.hpp>
#include <mlpack/methods/neighbor_search/sort_policies/nearest_neighbor_sort.hpp>

#include "algorithms/neighbors/neighbor_index_internal.h"

namespace spuna::algorithms {
namespace {

using Sort = mlpack::NearestNeighborSort;
using Distance = mlpack::EuclideanDistance;
using Tree = mlpack::KDTree<Distance, mlpack::NeighborSearchStat<Sort>, arma::mat>;
using Rules = mlpack::NeighborSearchRules<Sort, Distance, Tree>;

constexpr std::size_t kQueriesPerBlock = 64;

class KdTreeIndex : public NeighborIndex {
 public:
  explicit KdTreeIndex(BankRows bank)
      : bank_(std::move(bank)), tree_(AsDoubles(bank_), original_from_tree_) {}

  void MergeNearest(const Queries& queries, const Execution& execution,
                    NearestDistances& lists) const override {
    const std::size_t num_queries = queries.rows.size();
    ParallelFor((num_queries + kQueriesPerBlock - 1) / kQueriesPerBlock, execution,
                [&](std::size_t block, std::size_t) {
                  const std::size_t begin = block * kQueriesPerBlock;
                  const std::size_t end = std::min(begin + kQueriesPerBlock, num_queries);
                  MergeBlock(queries, begin, end, lists);
                });
  }

 private:
  static arma::mat AsDoubles(const BankRows& bank) {
    arma::mat doubles(bank.dimension(), bank.num_rows());
    for (std::size_t i = 0; i < bank.num_rows(); ++i) {
      std::copy_n(bank.row(i), bank.dimension(), doubles.colptr(i));
    }
    return doubles;
  }

  void MergeBlock(const Queries& queries, std::size_t begin, std::size_t end,
                  NearestDistances& lists) const {
    arma::mat block(bank_.dimension(), end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      std::copy_n(queries.embeddings.row(queries.rows[i]), bank_.dimension(),
                  block.colptr(i - begin));
    }
    // One more than asked for, in case a query finds itself.
    const std::size_t num_found =
        std::min(lists.num_neighbors() + (queries.left_out.empty() ? 0 : 1), bank_.num_rows());
    Distance distance;
    // The traverser takes the tree as non-const but writes to it for other kinds of tree only.
    Tree& tree = const_cast<Tree&>(tree_);
    Rules rules(tree.Dataset(), block, num_found, distance);
    Tree::SingleTreeTraverser<Rules> traverser(rules);
    for (std::size_t i = 0; i < end - begin; ++i) traverser.Traverse(i, tree);
    arma::Mat<std::size_t> neighbors;
    arma::mat distances;
    rules.GetResults(neighbors, distances);

    // Measured once more, in the order of summation that both kinds of index share.
    std::vector<double> scratch;
    RowNumbers found;
    for (std::size_t i = 0; i < end - begin; ++i) {
      const std::uint32_t row = queries.rows[begin + i];
      found.clear();
      for (std::size_t n = 0; n < num_found; ++n) {
        const std::size_t original = original_from_tree_[neighbors(n, i)];
        if (static_cast<std::int64_t>(original) != queries.LeftOut(begin + i)) {
          found.push_back(static_cast<std::uint32_t>(original));
        }
      }
      bank_.MergeDistances(queries.embeddings.row(row), found, row, scratch, lists);
    }
  }

  BankRows bank_;
  std::vector<std::size_t> original_from_tree_;
  Tree tree_;
};

}  // namespace

std::unique_ptr<NeighborIndex> MakeKdTreeIndex(BankRows bank) {
  return std::make_unique<KdTreeIndex>(std::move(bank));
}

}  // namespace spuna::algorithms
