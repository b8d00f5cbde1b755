#include "algorithms/recipe/fit_context.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "algorithms/guarantees/metrics.h"
#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

constexpr Switches kRobust{Metric::kWhitened, Seeds::kCrossFitted, true, Sides::kShare,
                           Targets::kSoft};

RecipeOptions Options(std::size_t num_pool_rows, const Switches& switches = kRobust) {
  RecipeOptions options;
  options.switches = switches;
  options.expansion.alpha = std::min<std::size_t>(30, num_pool_rows / 40);
  options.expansion.beta = num_pool_rows * 1500 / 14'000;
  options.expansion.num_neighbors = 50;
  options.network.hidden = 64;
  options.network.epochs = 10;
  options.distillation.hidden = 64;
  return options;
}

// Wide in its first dimensions, narrow in the last, where every `every`th row is moved by a tenth
// of the widest spread: no distance between rows shows it.
struct FaintShift {
  test::Matrix trusted = Rows(400, 1, 0);
  test::Matrix pool;
  std::vector<std::uint8_t> truth;

  explicit FaintShift(std::size_t every) : pool(Rows(1600, 2, every)) {
    for (std::size_t i = 0; i < pool.num_rows; ++i) truth.push_back(Moved(i, every) ? 1 : 0);
  }

  static bool Moved(std::size_t i, std::size_t every) { return every > 0 && i % every == 0; }

  static test::Matrix Rows(std::size_t num_rows, std::uint64_t seed, std::size_t every) {
    test::Matrix rows = test::RandomRows(num_rows, 12, seed);
    for (std::size_t i = 0; i < num_rows; ++i) {
      float* const row = rows.values.data() + i * 12;
      for (std::size_t j = 0; j < 11; ++j) row[j] *= 3;
      row[11] = row[11] * 0.1F + (Moved(i, every) ? 0.3F : 0.0F);
    }
    return rows;
  }
};

struct Fitted {
  Expansion expansion;
  std::vector<double> neighbor_scores;
  Classifier classifier;
};

Fitted Fit(const EmbeddingsView& trusted, const EmbeddingsView& pool, const RecipeOptions& options,
           const Execution& execution = {}) {
  const FitContext context(trusted, pool, {}, {}, {}, options, execution);
  Fitted fitted;
  fitted.expansion = context.Expand(execution);
  fitted.neighbor_scores = context.NeighborScores(fitted.expansion, execution);
  fitted.classifier = context.Distill(fitted.expansion, fitted.neighbor_scores, execution);
  return fitted;
}

double Auroc(const Classifier& classifier, const EmbeddingsView& pool,
             const std::vector<std::uint8_t>& truth) {
  const std::vector<float> scores = classifier.Score(pool, {});
  return EvaluateDetection(std::vector<double>(scores.begin(), scores.end()), truth).auroc;
}

BOOST_AUTO_TEST_SUITE(fit_context)

BOOST_AUTO_TEST_CASE(a_faint_shift_is_found_where_distances_show_nothing) {
  const FaintShift data(2);
  const Fitted robust = Fit(data.trusted.view(), data.pool.view(), Options(1600));
  BOOST_TEST(Auroc(robust.classifier, data.pool.view(), data.truth) > 0.95);
  const Fitted paper = Fit(data.trusted.view(), data.pool.view(), Options(1600, Switches{}));
  BOOST_TEST(Auroc(paper.classifier, data.pool.view(), data.truth) < 0.75);
}

BOOST_AUTO_TEST_CASE(each_switch_makes_a_difference_and_none_breaks) {
  const FaintShift data(2);
  const Classifier robust = Fit(data.trusted.view(), data.pool.view(), Options(1600)).classifier;
  auto other = [&](auto change) {
    Switches switches = kRobust;
    change(switches);
    return Fit(data.trusted.view(), data.pool.view(), Options(1600, switches)).classifier;
  };
  for (const Classifier& classifier : {other([](Switches& s) { s.metric = Metric::kEuclidean; }),
                                       other([](Switches& s) { s.metric = Metric::kCosine; }),
                                       other([](Switches& s) { s.metric = Metric::kContrast; }),
                                       other([](Switches& s) { s.seeds = Seeds::kDistance; }),
                                       other([](Switches& s) { s.discriminant = false; }),
                                       other([](Switches& s) { s.sides = Sides::kEven; }),
                                       other([](Switches& s) { s.targets = Targets::kLabels; })}) {
    BOOST_TEST((classifier.hidden_weight != robust.hidden_weight));
    BOOST_TEST(Auroc(classifier, data.pool.view(), data.truth) > 0.6);
  }
}

BOOST_AUTO_TEST_CASE(refined_labels_do_the_work_where_shift_is_rare) {
  const FaintShift data(16);
  auto auroc = [&](Targets targets) {
    Switches switches = kRobust;
    switches.targets = targets;
    const Fitted fitted = Fit(data.trusted.view(), data.pool.view(), Options(1600, switches));
    return Auroc(fitted.classifier, data.pool.view(), data.truth);
  };
  const double refined = auroc(Targets::kRefined);
  BOOST_TEST(refined > auroc(Targets::kPool) + 0.01);
  BOOST_TEST(refined > auroc(Targets::kDiscriminant));
}

BOOST_AUTO_TEST_CASE(the_expansion_takes_its_cue_from_the_share) {
  for (const std::size_t every : {2, 8}) {
    const FaintShift data(every);
    const Fitted fitted = Fit(data.trusted.view(), data.pool.view(), Options(1600));
    const double shifted =
        static_cast<double>(fitted.expansion.RowsWith(PseudoLabel::kShifted).size());
    const double clean = static_cast<double>(fitted.expansion.RowsWith(PseudoLabel::kClean).size());
    BOOST_TEST_CONTEXT(every) {
      BOOST_TEST(std::abs(shifted / (shifted + clean) - 1 / static_cast<double>(every)) < 0.12);
      std::size_t right = 0;
      for (const std::uint32_t row : fitted.expansion.RowsWith(PseudoLabel::kShifted)) {
        right += data.truth[row];
      }
      BOOST_TEST(static_cast<double>(right) > 0.7 * shifted);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_pool_with_nothing_shifted_is_left_whole) {
  const FaintShift data(0);
  const FitContext context(data.trusted.view(), data.pool.view(), {}, {}, {}, Options(1600), {});
  BOOST_TEST(!context.found());
  const Fitted fitted = Fit(data.trusted.view(), data.pool.view(), Options(1600));
  BOOST_TEST((fitted.expansion.stopped_by == StoppedBy::kNoShift));
  BOOST_TEST(fitted.expansion.RowsWith(PseudoLabel::kShifted).empty());
  const std::vector<float> scores = fitted.classifier.Score(data.pool.view(), {});
  BOOST_TEST(*std::max_element(scores.begin(), scores.end()) < 0.5F);
}

BOOST_AUTO_TEST_CASE(where_nothing_is_found_rows_far_out_are_kept_too) {
  FaintShift data(0);
  for (std::size_t j = 0; j < 12; ++j) {
    data.pool.values[5 * 12 + j] *= 1000;
    data.pool.values[6 * 12 + j] *= -1000;
    data.trusted.values[7 * 12 + j] *= 1000;
  }
  const Fitted fitted = Fit(data.trusted.view(), data.pool.view(), Options(1600));
  BOOST_TEST((fitted.expansion.stopped_by == StoppedBy::kNoShift));
  for (const auto& rows : {data.trusted.view(), data.pool.view()}) {
    BOOST_TEST(std::ranges::max(fitted.classifier.Score(rows, {})) < 0.5F);
  }
}

BOOST_AUTO_TEST_CASE(a_proportion_that_chance_may_have_chosen_is_halfway_to_even) {
  Discriminant discriminant;
  discriminant.network_weight = 0.9;
  BOOST_TEST(discriminant.LearnedNetworkWeight(/*is_known=*/true) == 0.9);
  BOOST_TEST(discriminant.LearnedNetworkWeight(/*is_known=*/false) == 0.7,
             boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(what_is_not_proven_counts_half) {
  Switches switches = kRobust;
  switches.targets = Targets::kDiscriminant;
  for (const std::size_t every : {0, 8}) {
    const FaintShift data(every);
    const RecipeOptions options = Options(1600, switches);
    const FitContext context(data.trusted.view(), data.pool.view(), {}, {}, {}, options, {});
    const Discriminant& discriminant = *context.discriminant();
    const bool proven = every > 0;
    BOOST_TEST_REQUIRE(context.found() == proven);
    SoftLesson lesson;
    lesson.found = proven;
    lesson.share = std::clamp(discriminant.share.estimate, 0.001, 0.999);
    lesson.curve = CurveOf(1600, {discriminant.pool});
    const double measured = discriminant.network_weight;
    auto learn = [&](bool trust) {
      lesson.targets = TargetsOfLogits(lesson.curve, lesson.share, trust);
      lesson.network_weight = trust ? measured : (measured + 0.5) / 2;
      return DistillSoftly(data.trusted.view(), data.pool.view(), FitWhitening(data.trusted.view()),
                           lesson, options.network, {});
    };
    const Classifier fitted = context.Distill(context.Expand({}), {}, {});
    BOOST_TEST_CONTEXT(every) {
      BOOST_TEST((fitted.output_weight == learn(proven).output_weight));
      BOOST_TEST((fitted.output_weight != learn(!proven).output_weight));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_small_share_is_met_with_small_rounds) {
  const test::Matrix trusted = test::RandomRows(60, 3, 1);
  const test::Matrix pool = test::ShiftedPool(200, 3, 2, 4);
  ExpansionOptions options;
  options.alpha = 5;
  options.beta = 1;
  options.num_neighbors = 5;
  options.epsilon = -1e6;
  options.share = 0.2;
  const Expansion expansion = ExpandLabels(trusted.view(), pool.view(), options, {});
  BOOST_TEST(expansion.RowsWith(PseudoLabel::kShifted).size() == 40);
  BOOST_TEST(expansion.RowsWith(PseudoLabel::kClean).size() == 160);
  BOOST_TEST((expansion.stopped_by == StoppedBy::kExhausted));
}

BOOST_AUTO_TEST_CASE(identical_pool_rows_are_an_error) {
  const test::Matrix trusted = test::RandomRows(60, 3, 1);
  const test::Matrix pool{100, 3, std::vector<float>(300, 1.0F)};
  BOOST_CHECK_THROW(FitContext(trusted.view(), pool.view(), {}, {}, {}, Options(100), {}),
                    std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(threads_do_not_matter) {
  const FaintShift data(4);
  Execution two;
  two.num_threads = 2;
  const Fitted one_thread = Fit(data.trusted.view(), data.pool.view(), Options(1600));
  const Fitted two_threads = Fit(data.trusted.view(), data.pool.view(), Options(1600), two);
  BOOST_TEST((one_thread.expansion.labels == two_threads.expansion.labels));
  BOOST_TEST((one_thread.neighbor_scores == two_threads.neighbor_scores));
  BOOST_TEST((one_thread.classifier.hidden_weight == two_threads.classifier.hidden_weight));
  BOOST_TEST((one_thread.classifier.output_bias == two_threads.classifier.output_bias));
}

BOOST_AUTO_TEST_CASE(hard_rows_do_no_harm) {
  struct Size {
    std::size_t trusted, pool, dimension;
  };
  for (const auto& [trusted_rows, pool_rows, dimension] :
       {Size{100, 500, 2}, Size{100, 120, 40}, Size{30, 200, 300}, Size{2, 90, 5}}) {
    const test::Matrix trusted = test::HardRows(trusted_rows, dimension, 1);
    test::Matrix pool = test::HardRows(pool_rows, dimension, 2);
    for (std::size_t i = 0; i < pool_rows / 2; ++i) pool.values[i * dimension + 1] += 4;
    for (const Metric metric :
         {Metric::kWhitened, Metric::kContrast, Metric::kCosine, Metric::kEuclidean}) {
      Switches switches = kRobust;
      switches.metric = metric;
      const Fitted fitted = Fit(trusted.view(), pool.view(), Options(pool_rows, switches));
      fitted.classifier.Validate();
      const std::vector<float> scores = fitted.classifier.Score(pool.view(), {});
      BOOST_TEST_CONTEXT(trusted_rows << " rows of dimension " << dimension) {
        BOOST_TEST(std::ranges::all_of(scores, [](float score) { return std::isfinite(score); }));
        BOOST_TEST(*std::ranges::min_element(scores) < *std::ranges::max_element(scores));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(values_near_the_end_of_float32_do_no_harm) {
  test::Matrix trusted = test::RandomRows(100, 4, 1);
  test::Matrix pool = test::RandomRows(300, 4, 2);
  const float largest = std::numeric_limits<float>::max();
  trusted.values[0] = largest;
  pool.values[1] = -largest;
  pool.values[6] = std::numeric_limits<float>::denorm_min();
  const Fitted fitted = Fit(trusted.view(), pool.view(), Options(300));
  const std::vector<float> scores = fitted.classifier.Score(pool.view(), {});
  BOOST_TEST(std::ranges::all_of(scores, [](float score) { return std::isfinite(score); }));
}

BOOST_AUTO_TEST_CASE(too_few_rows_are_an_error) {
  const test::Matrix one = test::RandomRows(1, 4, 1);
  const test::Matrix pool = test::RandomRows(200, 4, 2);
  BOOST_CHECK_THROW(FitContext(one.view(), pool.view(), {}, {}, {}, Options(200), {}),
                    std::invalid_argument);
  BOOST_CHECK_THROW(FitContext({nullptr, 0, 4}, pool.view(), {}, {}, {}, Options(200), {}),
                    std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
