#include "pipelines/review/row_choice.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "algorithms/findings/spread_choice.h"
#include "algorithms/neighbors/neighbor_index.h"
#include "algorithms/rows/copy_rows.h"
#include "algorithms/rows/seeded_random.h"

namespace spuna {
namespace {

// One in so many of the rows that are not random is near the threshold.
constexpr std::size_t kOneNearThreshold = 10;

// Whether there are trusted rows to whiten by and to show beside others.
bool HasTrusted(const ChoiceRows& from) { return from.trusted.rows.num_rows() > 1; }

// Pool rows that nobody has reviewed, then calibration rows.
class RowChooser {
 public:
  RowChooser(const ChoiceRows& from, const ChoiceOptions& options,
             const algorithms::Whitening& whitening, const algorithms::Execution& execution)
      : from_(from),
        options_(options),
        whitening_(whitening),
        execution_(execution),
        rows_(static_cast<std::size_t>(from.pool.rows.dimension)),
        random_(options.seed) {
    const algorithms::EmbeddingsView pool = from.pool.rows.view();
    for (std::uint32_t row = 0; row < pool.num_rows; ++row) {
      if (!from.is_reviewed.empty() && from.is_reviewed[row] != 0) continue;
      numbers_.push_back(row);
      rows_.Add(pool.row(row));
      scores_.push_back(from.scores.scores[row]);
    }
    num_of_pool_ = numbers_.size();
    if (from.calibration.empty()) return;
    const algorithms::Matrix held_out =
        algorithms::CopyRows(from.trusted.rows.view(), from.calibration);
    const std::vector<float> scores =
        ScoreRows(from.model, held_out.view(), {FarRows::kKeep, false, false}, execution).scores;
    for (std::size_t i = 0; i < from.calibration.size(); ++i) {
      numbers_.push_back(from.calibration[i]);
      rows_.Add(from.trusted.rows.view().row(from.calibration[i]));
      scores_.push_back(scores[i]);
    }
  }

  std::vector<ChosenRow> Choose() {
    const auto wanted = std::min(static_cast<std::size_t>(options_.num_rows), num_of_pool_);
    const auto num_random =
        static_cast<std::size_t>(std::lround(options_.random_share * static_cast<double>(wanted)));
    const std::size_t num_valued = wanted - num_random;
    std::vector<std::uint8_t> counts(numbers_.size());
    std::fill_n(counts.begin(), num_of_pool_, std::uint8_t{1});
    const algorithms::Candidates candidates{rows_, scores_, counts};
    const bool has_threshold =
        !from_.model.decision.DropsNone() && !from_.model.decision.NeedsPValues();
    const std::size_t num_near = has_threshold ? num_valued / kOneNearThreshold : 0;
    const algorithms::RowNumbers top =
        algorithms::ChooseSpread(candidates, num_valued - num_near, whitening_, execution_);
    const algorithms::RowNumbers near =
        algorithms::ChooseNear(candidates, from_.model.decision.threshold, top, num_near);
    std::vector<ChosenRow> chosen;
    Add(top, "high score", chosen);
    Add(near, "near the threshold", chosen);
    AddRandom(num_random, chosen);
    random_.Shuffle(chosen);
    return chosen;
  }

 private:
  void Add(const algorithms::RowNumbers& rows, const std::string& why,
           std::vector<ChosenRow>& chosen) {
    for (const std::uint32_t row : rows) {
      taken_.resize(numbers_.size());
      taken_[row] = 1;
      const bool calibrates = row >= num_of_pool_;
      chosen.push_back({numbers_[row],
                        calibrates,
                        scores_[row],
                        !calibrates && IsDropped(numbers_[row]),
                        why,
                        std::nullopt,
                        std::nullopt,
                        {}});
    }
  }

  bool IsDropped(std::uint32_t pool_row) const {
    return from_.model.decision.Drops(from_.scores.EvidenceOf(pool_row));
  }

  // Half among the rows that are dropped, half among the others; more where one has too few.
  void AddRandom(std::size_t wanted, std::vector<ChosenRow>& chosen) {
    taken_.resize(numbers_.size());
    std::vector<std::uint32_t> dropped;
    std::vector<std::uint32_t> kept;
    for (std::uint32_t i = 0; i < num_of_pool_; ++i) {
      if (taken_[i] == 0) (IsDropped(numbers_[i]) ? dropped : kept).push_back(i);
    }
    wanted = std::min(wanted, dropped.size() + kept.size());
    std::size_t of_dropped = std::min((wanted + 1) / 2, dropped.size());
    const std::size_t of_kept = std::min(wanted - of_dropped, kept.size());
    of_dropped = std::min(wanted - of_kept, dropped.size());
    Draw(dropped, of_dropped, "random, of the dropped rows", chosen);
    Draw(kept, of_kept, "random, of the kept rows", chosen);
  }

  void Draw(std::vector<std::uint32_t>& from, std::size_t count, const std::string& why,
            std::vector<ChosenRow>& chosen) {
    if (count == 0) return;
    const double probability = static_cast<double>(count) / static_cast<double>(from.size());
    random_.Shuffle(from);
    from.resize(count);
    for (const std::uint32_t row : from) {
      Add({row}, why, chosen);
      chosen.back().probability = probability;
    }
  }

  const ChoiceRows& from_;
  const ChoiceOptions& options_;
  const algorithms::Whitening& whitening_;
  const algorithms::Execution& execution_;
  // Of every candidate: its number in its input, its row and its score; and whether it is chosen.
  std::vector<std::uint32_t> numbers_;
  algorithms::RowSet rows_;
  std::vector<float> scores_;
  std::vector<std::uint8_t> taken_;
  std::size_t num_of_pool_ = 0;
  algorithms::SeededRandom random_;
};

// The pool rows that are most like a place, nearest first, but for the row that is there itself.
std::vector<algorithms::NearestRow> NearestOf(const algorithms::EmbeddingsView& pool,
                                              const float* place, const ChosenRow& itself,
                                              std::size_t count) {
  std::vector<algorithms::NearestRow> all;
  all.reserve(pool.num_rows);
  for (std::uint32_t row = 0; row < pool.num_rows; ++row) {
    if (!itself.calibrates && row == itself.row) continue;
    double sum = 0;
    for (std::size_t j = 0; j < pool.dimension; ++j) {
      const double difference = static_cast<double>(pool.row(row)[j]) - place[j];
      sum += difference * difference;
    }
    all.push_back({row, std::sqrt(sum)});
  }
  count = std::min(count, all.size());
  std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(count), {},
                            &algorithms::NearestRow::distance);
  all.resize(count);
  return all;
}

// Holds the chosen rows against the others, in whitened coordinates.
void FindNeighbors(const ChoiceRows& from, const algorithms::Whitening& whitening,
                   std::size_t num_neighbors, const algorithms::Execution& execution,
                   std::vector<ChosenRow>& chosen) {
  algorithms::RowSet shown(static_cast<std::size_t>(from.pool.rows.dimension));
  for (const ChosenRow& row : chosen) {
    shown.Add((row.calibrates ? from.trusted : from.pool).rows.view().row(row.row));
  }
  const algorithms::Matrix places = whitening.Apply(shown, execution);
  if (HasTrusted(from)) {
    const algorithms::Matrix trusted = whitening.Apply(from.trusted.rows.view(), execution);
    const auto nearest = algorithms::FindNearestRows(trusted.view(), places.view(), execution);
    for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i].nearest_trusted = nearest[i];
  }
  if (num_neighbors == 0) return;
  const algorithms::Matrix pool = whitening.Apply(from.pool.rows.view(), execution);
  algorithms::ParallelFor(chosen.size(), execution, [&](std::size_t i, std::size_t) {
    execution.CheckStop();
    chosen[i].neighbors = NearestOf(pool.view(), places.view().row(i), chosen[i], num_neighbors);
  });
}

}  // namespace

std::vector<ChosenRow> ChooseRows(const ChoiceRows& from, const ChoiceOptions& options,
                                  const algorithms::Execution& execution) {
  const algorithms::Whitening whitening =
      algorithms::FitWhitening((HasTrusted(from) ? from.trusted : from.pool).rows.view());
  std::vector<ChosenRow> chosen = RowChooser(from, options, whitening, execution).Choose();
  if (!chosen.empty()) FindNeighbors(from, whitening, options.num_neighbors, execution, chosen);
  return chosen;
}

}  // namespace spuna
