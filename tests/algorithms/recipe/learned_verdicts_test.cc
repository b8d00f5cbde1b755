// What a fit learns from verdicts of a person: fit_context.h, discriminant.h, refinement.h.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "algorithms/classifier/soft_network.h"
#include "algorithms/guarantees/metrics.h"
#include "algorithms/recipe/fit_context.h"
#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kNumPool = 1000;
constexpr std::size_t kEvery = 25;

// Every 25th row of the pool is moved in one direction, too faintly to be proven.
struct RareShift {
  test::Matrix trusted = test::RandomRows(150, 20, 1);
  test::Matrix pool = test::RandomRows(kNumPool, 20, 12);
  test::Matrix fresh = test::RandomRows(kNumPool, 20, 3);
  std::vector<std::uint8_t> truth;

  explicit RareShift(float by = 2) {
    for (std::size_t i = 0; i < kNumPool; ++i) {
      truth.push_back(i % kEvery == 0 ? 1 : 0);
      if (truth.back() == 0) continue;
      pool.row(i)[3] += by;
      fresh.row(i)[3] += by;
    }
  }

  // So many shifted rows and as many clean ones are known.
  RowVerdicts Know(std::size_t count) const {
    RowVerdicts verdicts(kNumPool, RowVerdict::kNone);
    for (std::size_t i = 0; i < count; ++i) {
      verdicts[i * kEvery] = RowVerdict::kShifted;
      verdicts[i * kEvery + 1] = RowVerdict::kClean;
    }
    return verdicts;
  }
};

RecipeOptions Options() {
  RecipeOptions options;
  options.switches = {Metric::kWhitened, Seeds::kCrossFitted, false, Sides::kShare,
                      Targets::kRefined};
  options.network.hidden = 64;
  options.network.epochs = 20;
  return options;
}

FitContext Context(const RareShift& data, const RowVerdicts& verdicts) {
  return {data.trusted.view(), data.pool.view(), {}, {}, verdicts, Options(), {}};
}

double FreshAuroc(const RareShift& data, const RowVerdicts& verdicts) {
  const FitContext context = Context(data, verdicts);
  const Classifier classifier = context.Distill(context.Expand({}), {}, {});
  const std::vector<float> scores = classifier.Score(data.fresh.view(), {});
  return EvaluateDetection(std::vector<double>(scores.begin(), scores.end()), data.truth).auroc;
}

BOOST_AUTO_TEST_SUITE(learned_verdicts)

BOOST_AUTO_TEST_CASE(twenty_verdicts_help_where_nothing_else_does) {
  const RareShift data;
  const double without = FreshAuroc(data, {});
  const double with = FreshAuroc(data, data.Know(10));
  BOOST_TEST_MESSAGE("AUROC " << without << " and " << with);
  BOOST_TEST(with > without + 0.05);
}

BOOST_AUTO_TEST_CASE(a_row_marked_shifted_opens_the_gate_and_clean_ones_do_not) {
  const RareShift none(0);
  BOOST_TEST_REQUIRE(!Context(none, {}).found());
  RowVerdicts verdicts(kNumPool, RowVerdict::kNone);
  verdicts[5] = RowVerdict::kClean;
  BOOST_TEST(!Context(none, verdicts).found());
  verdicts[7] = RowVerdict::kShifted;
  BOOST_TEST(Context(none, verdicts).found());
}

BOOST_AUTO_TEST_CASE(reviewed_rows_have_their_label_from_round_0_on) {
  const RareShift data;
  RowVerdicts verdicts = data.Know(10);
  const Expansion labeled = Context(data, verdicts).Expand({});
  for (std::size_t i = 0; i < kNumPool; ++i) {
    if (verdicts[i] == RowVerdict::kNone) continue;
    BOOST_TEST((labeled.labels[i] == PseudoLabel::kShifted) ==
               (verdicts[i] == RowVerdict::kShifted));
    BOOST_TEST(labeled.rounds[i] == 0);
  }
}

BOOST_AUTO_TEST_CASE(verdicts_that_say_nothing_change_nothing) {
  const RareShift data(4);
  const FitContext without = Context(data, {});
  const FitContext with = Context(data, RowVerdicts(kNumPool, RowVerdict::kNone));
  BOOST_TEST(with.discriminant()->pool == without.discriminant()->pool,
             boost::test_tools::per_element());
  BOOST_TEST(with.discriminant()->separation.p_value == without.discriminant()->separation.p_value);
  BOOST_TEST(with.ShareInterval().estimate == without.ShareInterval().estimate,
             boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(the_share_counts_reviewed_rows_by_their_verdicts) {
  const RareShift data(4);
  const RowVerdicts verdicts = data.Know(20);
  const FitContext context = Context(data, verdicts);
  const double of_others = context.discriminant()->share.estimate;
  BOOST_TEST(context.ShareInterval().estimate == (of_others * 960 + 20) / 1000,
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(context.ShareInterval().low >= 0.02);
}

BOOST_AUTO_TEST_CASE(a_row_that_counts_thrice_weighs_as_three_rows) {
  const std::vector<float> targets = {0, 1, 0.25};
  const std::vector<float> counts = {1, 3, 2};
  const std::vector<float> repeated = {0, 1, 1, 1, 0.25, 0.25};
  const std::vector<float> weights = BalancedWeights(targets, counts);
  const std::vector<float> of_repeated = BalancedWeights(repeated);
  // Both sum to the number of rows, which differs.
  BOOST_TEST(weights[1] / weights[0] == 3 * of_repeated[1] / of_repeated[0],
             boost::test_tools::tolerance(1e-5F));
  BOOST_TEST(weights[2] / weights[0] == 2 * of_repeated[4] / of_repeated[0],
             boost::test_tools::tolerance(1e-5F));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
