#include "algorithms/expansion/banks.h"

namespace spuna::algorithms {
namespace {

void AppendRows(const EmbeddingsView& embeddings, const RowNumbers& rows, Matrix& bank) {
  bank.dimension = embeddings.dimension;
  bank.values.reserve(bank.values.size() + rows.size() * embeddings.dimension);
  for (const std::uint32_t row : rows) {
    const float* const values = embeddings.row(row);
    bank.values.insert(bank.values.end(), values, values + embeddings.dimension);
  }
}

}  // namespace

Banks MakeBanks(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                const Expansion& expansion) {
  Banks banks;
  AppendRows(trusted, AllRows(trusted.num_rows), banks.clean);
  AppendRows(pool, expansion.RowsWith(PseudoLabel::kClean), banks.clean);
  AppendRows(pool, expansion.RowsWith(PseudoLabel::kShifted), banks.shifted);
  return banks;
}

}  // namespace spuna::algorithms
