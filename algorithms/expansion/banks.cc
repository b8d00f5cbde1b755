#include "algorithms/expansion/banks.h"

#include "algorithms/rows/copy_rows.h"

namespace spuna::algorithms {

Banks MakeBanks(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                const Expansion& expansion) {
  Banks banks;
  AppendRows(trusted, AllRows(trusted.num_rows), banks.clean);
  AppendRows(pool, expansion.RowsWith(PseudoLabel::kClean), banks.clean);
  AppendRows(pool, expansion.RowsWith(PseudoLabel::kShifted), banks.shifted);
  return banks;
}

}  // namespace spuna::algorithms
