#include "pipelines/options.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

namespace spuna {
namespace {

BOOST_AUTO_TEST_SUITE(options)

BOOST_AUTO_TEST_CASE(beta_is_scaled_to_the_pool) {
  const FitOptions options;
  BOOST_TEST(options.BetaFor(14'000) == 1500);
  BOOST_TEST(options.BetaFor(4000) == 429);
  BOOST_TEST(options.BetaFor(1) == 1);
  for (std::int64_t pool = 1; pool < 3000; ++pool) {
    const double expected = std::floor(static_cast<double>(pool) * 1500 / 14'000 + 0.5);
    BOOST_TEST_REQUIRE(options.BetaFor(pool) == std::max(1.0, expected));
  }
  FitOptions set;
  set.beta = 7;
  BOOST_TEST(set.BetaFor(14'000) == 7);
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
  BOOST_TEST(error([](FitOptions& o) { o.recipe = "soup"; }) ==
             "`recipe` must be 'paper', but is 'soup'");
  ScoreOptions score;
  score.by = ScoreBy::kNeighbors;
  score.drop = true;
  BOOST_TEST(score.Validate().message() == "`drop` needs the classifier's score");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
