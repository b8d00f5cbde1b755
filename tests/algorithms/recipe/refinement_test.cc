#include "algorithms/recipe/refinement.h"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "algorithms/rows/seeded_random.h"
#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kDimension = 24;
constexpr std::size_t kTrusted = 300;
constexpr std::size_t kPool = 1500;
// Every so many rows of the pool is shifted.
constexpr std::size_t kEvery = 12;

// Few rows are moved along one coordinate, and the first ranking knows little of it.
struct RareShift {
  test::Matrix trusted = test::RandomRows(kTrusted, kDimension, 1);
  test::Matrix pool = test::RandomRows(kPool, kDimension, 2);
  std::vector<double> first_scores;
  Whitening whitening;

  explicit RareShift(float shift = 3) {
    SeededRandom random(3);
    for (std::size_t i = 0; i < kPool; ++i) {
      float* const row = pool.values.data() + i * kDimension;
      if (i % kEvery == 0) row[0] += shift;
      first_scores.push_back(0.5 * row[0] + random.Normal());
    }
    whitening = FitWhitening(trusted.view());
  }

  Expansion Refine(const RefinementOptions& options, const Execution& execution = {},
                   const ExpansionRecord& record = {}) const {
    return RefineLabels(trusted.view(), pool.view(), {}, {}, {}, whitening, first_scores, options,
                        execution, record);
  }
};

RefinementOptions Options() {
  RefinementOptions options;
  options.share = 1.0 / kEvery;
  options.epsilon = -10;
  options.network.hidden = 32;
  options.network.epochs = 20;
  return options;
}

// The part of the rows labeled shifted that are.
double Purity(const Expansion& labeled) {
  std::size_t right = 0;
  const RowNumbers shifted = labeled.RowsWith(PseudoLabel::kShifted);
  for (const std::uint32_t row : shifted) right += row % kEvery == 0 ? 1 : 0;
  return static_cast<double>(right) / static_cast<double>(shifted.size());
}

bool AreEqual(const Expansion& a, const Expansion& b) {
  return a.labels == b.labels && a.rounds == b.rounds && a.entropy == b.entropy &&
         a.num_rounds == b.num_rounds && a.stopped_by == b.stopped_by;
}

BOOST_AUTO_TEST_SUITE(refinement)

BOOST_AUTO_TEST_CASE(rounds_make_labels_purer) {
  const RareShift data;
  RefinementOptions options = Options();
  const Expansion refined = data.Refine(options);
  options.max_rounds = 0;
  const Expansion first = data.Refine(options);
  BOOST_TEST(first.num_rounds == 0U);
  BOOST_TEST(refined.num_rounds == 3U);
  BOOST_TEST(refined.entropy.size() == 4U);
  BOOST_TEST((refined.stopped_by == StoppedBy::kRounds));
  BOOST_TEST(Purity(refined) > Purity(first) + 0.05);
  BOOST_TEST(Purity(refined) > 0.7);
}

BOOST_AUTO_TEST_CASE(the_entropy_stops_it_and_the_last_round_stays_or_goes) {
  const RareShift data;
  RefinementOptions options = Options();
  options.epsilon = 100;
  const Expansion kept = data.Refine(options);
  BOOST_TEST(kept.num_rounds == 1U);
  BOOST_TEST((kept.stopped_by == StoppedBy::kEntropy));
  options.on_stop = OnStop::kRollback;
  ExpansionRecord record;
  Expansion before;
  record.on_round = [&](const Expansion& round) { before = round; };
  const Expansion rolled_back = data.Refine(options, {}, record);
  BOOST_TEST(rolled_back.num_rounds == 1U);
  BOOST_TEST(before.num_rounds == 0U);
  BOOST_TEST((rolled_back.labels == before.labels));
  BOOST_TEST((rolled_back.labels != kept.labels));
}

BOOST_AUTO_TEST_CASE(often_shifted_rows_are_labeled_by_the_first_ranking_alone) {
  const RareShift data;
  RefinementOptions options = Options();
  options.share = kLargestRefinedShare;
  const Expansion labeled = data.Refine(options);
  BOOST_TEST(labeled.num_rounds == 0U);
  BOOST_TEST((labeled.labels == LabelByRank(data.first_scores, options.share)));
}

BOOST_AUTO_TEST_CASE(threads_change_nothing) {
  const RareShift data;
  Execution two;
  two.num_threads = 2;
  BOOST_TEST(AreEqual(data.Refine(Options()), data.Refine(Options(), two)));
}

BOOST_AUTO_TEST_CASE(a_run_resumes_from_any_round_to_the_same_labels) {
  const RareShift data;
  std::vector<Expansion> seen;
  ExpansionRecord record;
  record.on_round = [&](const Expansion& labeled) { seen.push_back(labeled); };
  const Expansion whole = data.Refine(Options(), {}, record);
  BOOST_TEST(seen.size() == 3U);
  for (const Expansion& labeled : seen) {
    BOOST_TEST_CONTEXT("round " << labeled.num_rounds) {
      BOOST_TEST(AreEqual(data.Refine(Options(), {}, {labeled, {}}), whole));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_row_is_not_labeled_by_a_model_that_saw_it) {
  // Far out on a side of its own, a pool row that was learned as shifted would score as shifted.
  RareShift data(0);
  for (std::size_t j = 0; j < kDimension; ++j) data.pool.values[j] = j == 5 ? 4.0F : 0.0F;
  std::vector<double> scores(kPool, 0.0);
  scores[0] = 10;
  data.first_scores = scores;
  RefinementOptions options = Options();
  options.max_rounds = 1;
  const Expansion labeled = data.Refine(options);
  BOOST_TEST((labeled.labels[0] != PseudoLabel::kShifted));
}

BOOST_AUTO_TEST_CASE(tiny_pools_do_not_break_it) {
  for (const std::size_t rows : {1, 2, 3, 5}) {
    const test::Matrix trusted = test::RandomRows(20, 4, 5);
    const test::Matrix pool = test::RandomRows(rows, 4, 6);
    RefinementOptions options = Options();
    const Expansion labeled =
        RefineLabels(trusted.view(), pool.view(), {}, {}, {}, FitWhitening(trusted.view()),
                     std::vector<double>(rows, 1.0), options, {});
    BOOST_TEST(labeled.labels.size() == rows);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
