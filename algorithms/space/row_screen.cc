#include "algorithms/space/row_screen.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "algorithms/rows/copy_rows.h"
#include "algorithms/rows/duplicate_rows.h"

namespace spuna::algorithms {
namespace {

// Values that differ by less, relative to the largest, are rounded forms of one number.
constexpr float kSameNumber = 1e-6F;
// How often a row must be there to be said to repeat, and how many times trusted rows would then
// be expected to equal it.
constexpr std::size_t kLeastCopies = 10;
constexpr double kLeastExpected = 3;
// A trusted row resembles another that is nearer than half of them are to their nearest.
constexpr double kResembles = 0.5;
constexpr std::size_t kMaxRepeated = 32;
constexpr float kHighest = 1.99F;

bool IsConstant(const float* row, std::size_t dimension) {
  const float tolerance = kSameNumber * std::abs(row[0]);
  return dimension > 1 && std::all_of(row + 1, row + dimension, [&](float value) {
           return std::abs(value - row[0]) <= tolerance;
         });
}

// Whether some row of zeros, and some other row of one number, is there.
std::pair<bool, bool> FindConstants(const EmbeddingsView& rows) {
  bool zeros = false;
  bool constants = false;
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    if (!IsConstant(rows.row(i), rows.dimension)) continue;
    (rows.row(i)[0] == 0 ? zeros : constants) = true;
  }
  return {zeros, constants};
}

// The rows that repeat in the pool so often that trusted rows would equal them too, and that none
// resembles.
Matrix FindRepeated(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                    const RowScreen& screen, const Execution& execution) {
  Matrix found{{}, pool.dimension};
  if (!screen.distance) return found;
  const double rate = static_cast<double>(trusted.num_rows) / static_cast<double>(pool.num_rows);
  const auto least = std::max(
      kLeastCopies, static_cast<std::size_t>(std::ceil(kLeastExpected / std::max(rate, 1e-12))));
  const Matrix candidates = CopyRows(pool, RowsWithCopies(pool, least, kMaxRepeated));
  const RowScreen::Result known = screen.Check(candidates.view(), execution, true);
  for (std::size_t i = 0; i < candidates.num_rows(); ++i) {
    const EmbeddingsView candidate{candidates.view().row(i), 1, pool.dimension};
    const bool is_new = known.odd[i] == OddRow::kNo || known.odd[i] == OddRow::kFar;
    if (!is_new || screen.distance->PValue(known.distances[i]) > kResembles ||
        CountRowsAlsoIn(candidate, trusted) > 0) {
      continue;
    }
    AppendRows(candidate, {0}, found);
  }
  return found;
}

}  // namespace

float RowScreen::Result::Joined(std::size_t row, float score) const {
  if (odd[row] == OddRow::kNo) return score;
  if (odd[row] != OddRow::kFar) return kHighest;
  const float distance = distances[row];
  return distance > 2 * cutoff ? std::min(1 + distance / (1 + distance), kHighest) : score;
}

RowScreen::Result RowScreen::Check(const EmbeddingsView& rows, const Execution& execution,
                                   bool exact_distances) const {
  Result result;
  result.odd.assign(rows.num_rows, OddRow::kNo);
  if (distance) {
    result.cutoff = distance->CutoffAt(level);
    result.distances = distance->Measure(rows, execution, exact_distances ? 0 : result.cutoff);
    for (std::size_t i = 0; i < rows.num_rows; ++i) {
      if (result.distances[i] > result.cutoff) result.odd[i] = OddRow::kFar;
    }
  }
  const EmbeddingsView known = repeated.view();
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    const float* const row = rows.row(i);
    for (std::size_t k = 0; k < known.num_rows; ++k) {
      if (std::equal(row, row + rows.dimension, known.row(k))) result.odd[i] = OddRow::kRepeated;
    }
    if (!(zeros_are_odd || constants_are_odd) || !IsConstant(row, rows.dimension)) continue;
    if (row[0] == 0 && zeros_are_odd) result.odd[i] = OddRow::kZero;
    if (row[0] != 0 && constants_are_odd) result.odd[i] = OddRow::kConstant;
  }
  return result;
}

RowScreen FitRowScreen(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                       std::span<const std::uint32_t> trusted_groups, double level,
                       std::uint64_t seed, const Execution& execution) {
  RowScreen screen;
  screen.level = level;
  screen.distance = FitTrustedDistance(trusted, trusted_groups, level, seed, execution);
  const auto [zeros, constants] = FindConstants(trusted);
  screen.zeros_are_odd = !zeros && trusted.dimension > 1;
  screen.constants_are_odd = !constants && trusted.dimension > 1;
  screen.repeated = FindRepeated(trusted, pool, screen, execution);
  return screen;
}

}  // namespace spuna::algorithms
