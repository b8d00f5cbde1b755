#include "pipelines/options/options.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "pipelines/options/job_descriptions.h"

namespace spuna {
namespace {

BOOST_AUTO_TEST_SUITE(options)

BOOST_AUTO_TEST_CASE(beta_is_scaled_to_the_pool) {
  const FitOptions options;
  auto beta = [&](std::int64_t pool) { return options.Choose(1000, pool, 8).beta; };
  BOOST_TEST(beta(14'000) == 1500);
  BOOST_TEST(beta(4000) == 429);
  BOOST_TEST(beta(1) == 1);
  for (std::int64_t pool = 1; pool < 3000; ++pool) {
    const double expected = std::floor(static_cast<double>(pool) * 1500 / 14'000 + 0.5);
    BOOST_TEST_REQUIRE(beta(pool) == std::max(1.0, expected));
  }
}

BOOST_AUTO_TEST_CASE(the_paper_recipe_is_that_of_the_paper_at_any_size) {
  FitOptions options;
  options.recipe = Recipe::kPaper;
  for (const std::int64_t pool : {60, 14'000, 500'000}) {
    const FitChoices chosen = options.Choose(1000, pool, 2048);
    BOOST_TEST(chosen.alpha == 30);
    BOOST_TEST(chosen.k == 100);
    BOOST_TEST(chosen.hidden == 512);
    BOOST_TEST(chosen.epochs == 20);
    BOOST_TEST((chosen.switches.metric == algorithms::Metric::kEuclidean));
    BOOST_TEST((chosen.switches.seeds == algorithms::Seeds::kDistance));
    BOOST_TEST(!chosen.switches.discriminant);
    BOOST_TEST((chosen.switches.sides == algorithms::Sides::kEven));
    BOOST_TEST((chosen.switches.targets == algorithms::Targets::kLabels));
    BOOST_TEST(!chosen.switches.NeedCrossFitting());
  }
}

BOOST_AUTO_TEST_CASE(distances_need_a_distance) {
  CleanJob job;
  job.output = "out";
  job.distances = true;
  BOOST_TEST(job.Validate().ok());
  job.fit.options.recipe = Recipe::kPaper;
  BOOST_TEST(
      job.Validate().message() ==
      "`distances` needs a distance, and `recipe` paper measures none unless `far` is given");
  job.fit.options.decision.far = FarRows::kKeep;
  BOOST_TEST(job.Validate().ok());
}

BOOST_AUTO_TEST_CASE(the_robust_recipe_goes_by_the_size_of_its_inputs) {
  const FitOptions options;
  const FitChoices small = options.Choose(100, 500, 2);
  BOOST_TEST(small.alpha == 12);
  BOOST_TEST(small.k == 25);
  BOOST_TEST(small.hidden == 64);
  BOOST_TEST(small.epochs == 38);  // four steps each
  const FitChoices middle = options.Choose(1000, 4000, 240);
  BOOST_TEST(middle.alpha == 30);
  BOOST_TEST(middle.k == 100);
  BOOST_TEST(middle.hidden == 480);
  BOOST_TEST(middle.epochs == 10);
  const FitChoices large = options.Choose(1000, 500'000, 2048);
  BOOST_TEST(large.hidden == 512);
  BOOST_TEST(large.epochs == 1);
  BOOST_TEST((large.switches.metric == algorithms::Metric::kWhitened));
  FitOptions fast;
  fast.recipe = Recipe::kFast;
  BOOST_TEST((fast.Choose(1000, 4000, 8).switches.metric == algorithms::Metric::kContrast));
}

BOOST_AUTO_TEST_CASE(what_is_set_is_chosen) {
  FitOptions options;
  options.alpha = 3;
  options.beta = 7;
  options.k = 9;
  options.hidden = 11;
  options.epochs = 13;
  options.metric = algorithms::Metric::kCosine;
  options.seeds = algorithms::Seeds::kDistance;
  options.discriminant = false;
  options.sides = algorithms::Sides::kEven;
  options.targets = algorithms::Targets::kLabels;
  const FitChoices chosen = options.Choose(1000, 14'000, 768);
  BOOST_TEST(chosen.alpha == 3);
  BOOST_TEST(chosen.beta == 7);
  BOOST_TEST(chosen.k == 9);
  BOOST_TEST(chosen.hidden == 11);
  BOOST_TEST(chosen.epochs == 13);
  BOOST_TEST((chosen.switches.metric == algorithms::Metric::kCosine));
  BOOST_TEST(!chosen.switches.NeedCrossFitting());
  BOOST_TEST((chosen.switches.targets == algorithms::Targets::kLabels));
}

BOOST_AUTO_TEST_CASE(values_that_cannot_be_used_are_named) {
  auto error = [](auto change) {
    FitOptions options;
    change(options);
    return options.Validate().message();
  };
  BOOST_TEST(FitOptions().Validate().ok());
  BOOST_TEST(error([](FitOptions& o) { o.k = 0; }) ==
             "`k` must be between 1 and 1000000000, but is 0");
  BOOST_TEST(error([](FitOptions& o) { o.alpha = -1; }) ==
             "`alpha` must be between 1 and 1000000000, but is -1");
  BOOST_TEST(error([](FitOptions& o) { o.beta = 0; }) ==
             "`beta` must be between 1 and 1000000000, but is 0");
  BOOST_TEST(error([](FitOptions& o) { o.hidden = 100'000; }) ==
             "`hidden` must be between 1 and 65536, but is 100000");
  BOOST_TEST(error([](FitOptions& o) { o.epochs = 0; }) ==
             "`epochs` must be between 1 and 1000000000, but is 0");
  BOOST_TEST(error([](FitOptions& o) { o.batch_size = 0; }) ==
             "`batch-size` must be between 1 and 1000000000, but is 0");
  BOOST_TEST(error([](FitOptions& o) { o.epsilon = NAN; }) ==
             "`epsilon` must be a finite number, but is nan");
  BOOST_TEST(error([](FitOptions& o) { o.learning_rate = 0; }) ==
             "`learning-rate` must be a positive number, but is 0");
  ScoreOptions score;
  score.by = ScoreBy::kNeighbors;
  score.drop = true;
  BOOST_TEST(score.Validate().message() == "`drop` needs the classifier's score");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
