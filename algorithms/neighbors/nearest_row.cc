#include "algorithms/neighbors/nearest_row.h"

#include <algorithm>
#include <armadillo>
#include <cmath>
#include <stdexcept>

#include "algorithms/compute/armadillo_view_internal.h"
#include "algorithms/compute/blas.h"
#include "algorithms/rows/plain_sums.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kQueriesPerBlock = 256;

}  // namespace

std::vector<NearestRow> FindNearestRows(const EmbeddingsView& bank, const EmbeddingsView& queries,
                                        const Execution& execution) {
  if (bank.num_rows == 0) throw std::invalid_argument("a bank without rows has no nearest row");
  const SingleThreadedBlas single_threaded;
  const arma::fmat rows = AsColumns(bank);
  arma::fvec half_squares(bank.num_rows);
  for (std::size_t i = 0; i < bank.num_rows; ++i) {
    half_squares[i] = arma::dot(rows.col(i), rows.col(i)) / 2;
  }
  std::vector<NearestRow> nearest(queries.num_rows);
  const std::size_t num_blocks = (queries.num_rows + kQueriesPerBlock - 1) / kQueriesPerBlock;
  ParallelFor(num_blocks, execution, [&](std::size_t block, std::size_t) {
    const std::size_t begin = block * kQueriesPerBlock;
    const std::size_t count = std::min(kQueriesPerBlock, queries.num_rows - begin);
    const arma::fmat some = AsColumns({queries.row(begin), count, queries.dimension});
    // The distance is least where x'y - y'y / 2 is greatest.
    arma::fmat products = rows.t() * some;
    products.each_col() -= half_squares;
    for (std::size_t i = 0; i < count; ++i) {
      const auto best = static_cast<std::uint32_t>(products.col(i).index_max());
      nearest[begin + i] = {best, std::sqrt(PlainSquaredDistance(
                                      bank.row(best), queries.row(begin + i), bank.dimension))};
    }
  });
  return nearest;
}

}  // namespace spuna::algorithms
