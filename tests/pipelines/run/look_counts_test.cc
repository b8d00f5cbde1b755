#include "pipelines/run/look_counts.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "algorithms/guarantees/successes_left.h"

namespace spuna {
namespace {

const auto kClose = boost::test_tools::tolerance(1e-12);

// A pool whose truth is known, with scores that tell it in part: what scores above a threshold is
// dropped.
struct Pool {
  std::vector<bool> shifted;
  std::vector<double> scores;

  explicit Pool(unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise;
    for (int i = 0; i < 2000; ++i) {
      shifted.push_back(i % 6 == 0);
      scores.push_back(noise(random) + (shifted.back() ? 2.5 : 0));
    }
  }
  bool Drops(std::size_t row, double threshold) const { return scores[row] > threshold; }
};

// A look at a row, and how likely it was.
struct Look {
  std::size_t row;
  double probability;
};

// Draws rows on one side of a threshold, without those seen before and without replacement.
void Draw(const Pool& pool, double threshold, bool dropped, std::size_t count,
          std::mt19937_64& random, std::vector<Look>& looks) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < pool.scores.size(); ++row) {
    const bool is_seen = std::ranges::any_of(looks, [&](const Look& l) { return l.row == row; });
    if (!is_seen && pool.Drops(row, threshold) == dropped) rows.push_back(row);
  }
  const double probability = static_cast<double>(count) / static_cast<double>(rows.size());
  for (std::size_t i = 0; i < count; ++i) {
    std::uniform_int_distribution<std::size_t> any(i, rows.size() - 1);
    std::swap(rows[i], rows[any(random)]);
    looks.push_back({rows[i], probability});
  }
}

// What is estimated and what is true, once the verdicts have decided their rows.
struct Outcome {
  LookEstimates estimates;
  double precision = 0;
  double clean_loss = 0;
  double share = 0;
};

Outcome Judge(const Pool& pool, double threshold, const std::vector<Look>& looks) {
  std::vector<bool> drops(pool.scores.size());
  ReviewCounts counts;
  std::int64_t rows_dropped = 0;
  for (std::size_t row = 0; row < drops.size(); ++row) {
    drops[row] = pool.Drops(row, threshold);
    rows_dropped += drops[row] ? 1 : 0;
  }
  const auto rows = static_cast<std::int64_t>(drops.size());
  for (const Look& look : looks) {
    (drops[look.row] ? counts.dropped : counts.kept)
        .AddLook(look.probability, pool.shifted[look.row]);
  }
  for (const Look& look : looks) drops[look.row] = pool.shifted[look.row];
  double dropped = 0, right = 0, clean = 0;
  for (std::size_t row = 0; row < drops.size(); ++row) {
    dropped += drops[row] ? 1 : 0;
    right += drops[row] && pool.shifted[row] ? 1 : 0;
    clean += pool.shifted[row] ? 0 : 1;
  }
  return {EstimateFromLooks(counts, rows_dropped, rows - rows_dropped), right / dropped,
          (dropped - right) / clean, 1 - clean / static_cast<double>(rows)};
}

// How often intervals hold the truth, and how the estimates are on the average.
struct Coverage {
  int covered = 0;
  double mean_error = 0;
  double widest = 0;

  void Add(const algorithms::Interval& interval, double truth, int draws) {
    covered += interval.low <= truth && truth <= interval.high ? 1 : 0;
    mean_error += (interval.estimate - truth) / draws;
    widest = std::max(widest, interval.high - interval.low);
  }
};

constexpr int kDraws = 200;
constexpr int kEnough = 184;

BOOST_AUTO_TEST_SUITE(look_counts)

BOOST_AUTO_TEST_CASE(covers_the_truth_with_one_round_of_looks) {
  for (const double threshold : {1.2, 2.0}) {
    Coverage precision, clean_loss, share;
    for (unsigned seed = 0; seed < kDraws; ++seed) {
      const Pool pool(7);
      std::mt19937_64 random(seed);
      std::vector<Look> looks;
      Draw(pool, threshold, true, 30, random, looks);
      Draw(pool, threshold, false, 15, random, looks);
      const Outcome outcome = Judge(pool, threshold, looks);
      precision.Add(outcome.estimates.precision.value(), outcome.precision, kDraws);
      clean_loss.Add(outcome.estimates.clean_loss.value(), outcome.clean_loss, kDraws);
      share.Add(outcome.estimates.share.value(), outcome.share, kDraws);
    }
    BOOST_TEST_CONTEXT("threshold " << threshold) {
      BOOST_TEST(precision.covered >= kEnough);
      BOOST_TEST(precision.widest <= 0.4);
      BOOST_TEST(std::abs(precision.mean_error) < 0.02);
      BOOST_TEST(clean_loss.covered >= kEnough);
      BOOST_TEST(clean_loss.widest < 0.25);
      BOOST_TEST(std::abs(clean_loss.mean_error) < 0.02);
      BOOST_TEST(share.covered >= kEnough);
      BOOST_TEST(share.widest < 0.6);
      BOOST_TEST(std::abs(share.mean_error) < 0.02);
    }
  }
}

// The second round is drawn under another decision, so that looks have other weights on the sides
// that count in the end.
BOOST_AUTO_TEST_CASE(covers_the_truth_with_two_rounds_under_different_decisions) {
  Coverage precision, clean_loss, share;
  double unweighted_error = 0;
  for (unsigned seed = 0; seed < kDraws; ++seed) {
    const Pool pool(8);
    std::mt19937_64 random(1000 + seed);
    std::vector<Look> looks;
    Draw(pool, 2.2, true, 30, random, looks);
    Draw(pool, 2.2, false, 15, random, looks);
    Draw(pool, 1.2, true, 30, random, looks);
    Draw(pool, 1.2, false, 15, random, looks);
    const Outcome outcome = Judge(pool, 1.2, looks);
    precision.Add(outcome.estimates.precision.value(), outcome.precision, kDraws);
    clean_loss.Add(outcome.estimates.clean_loss.value(), outcome.clean_loss, kDraws);
    share.Add(outcome.estimates.share.value(), outcome.share, kDraws);
    for (Look& look : looks) look.probability = 1;
    unweighted_error +=
        (Judge(pool, 1.2, looks).estimates.precision->estimate - outcome.precision) / kDraws;
  }
  BOOST_TEST(precision.covered >= kEnough);
  BOOST_TEST(std::abs(precision.mean_error) < 0.03);
  BOOST_TEST(clean_loss.covered >= kEnough);
  BOOST_TEST(share.covered >= kEnough);
  // Without the weights the looks at the rows that scored highest would count too much.
  BOOST_TEST(unweighted_error > 0.04);
}

BOOST_AUTO_TEST_CASE(follows_its_formulas) {
  ReviewCounts counts;
  for (int i = 0; i < 10; ++i) counts.dropped.AddLook(0.1, i < 8);
  for (int i = 0; i < 5; ++i) counts.kept.AddLook(0.01, i < 1);
  counts.dropped.AddKnown(true);
  counts.dropped.AddKnown(false);
  counts.kept.AddKnown(true);
  // S = 8 + 1 + 1 + 1 = 11, C = 2 + 4 + 1 = 7, R_D = 112 - 12 = 100, R_K = 506 - 6 = 500.
  const LookEstimates estimates = EstimateFromLooks(counts, 112, 506);
  BOOST_TEST(estimates.looks_dropped == 10);
  BOOST_TEST(estimates.looks_kept == 5);
  BOOST_TEST(estimates.precision->estimate == (11 + 80) / 111.0, kClose);
  const auto among = algorithms::SuccessesLeft(8, 10, 100);
  BOOST_TEST(estimates.precision->low == (11 + among.low) / 111.0, kClose);
  BOOST_TEST(estimates.precision->high == (11 + among.high) / 111.0, kClose);
  BOOST_TEST(estimates.clean_loss->estimate == 20 / (7 + 20 + 400.0), kClose);
  const auto d = algorithms::SuccessesLeft(8, 10, 100, 0.975);
  const auto k = algorithms::SuccessesLeft(1, 5, 500, 0.975);
  auto loss = [](double left_d, double left_k) {
    return (100 - left_d) / (7 + (100 - left_d) + (500 - left_k));
  };
  BOOST_TEST(estimates.clean_loss->low == loss(d.high, k.low), kClose);
  BOOST_TEST(estimates.clean_loss->high == loss(d.low, k.high), kClose);
  BOOST_TEST(estimates.share->estimate == (11 + 80 + 100) / 618.0, kClose);
  BOOST_TEST(estimates.share->low == (11 + d.low + k.low) / 618.0, kClose);
  BOOST_TEST(estimates.share->high == (11 + d.high + k.high) / 618.0, kClose);
}

BOOST_AUTO_TEST_CASE(needs_looks_on_the_sides_that_count) {
  ReviewCounts counts;
  BOOST_TEST(!EstimateFromLooks(counts, 10, 10).precision.has_value());
  BOOST_TEST(!EstimateFromLooks(counts, 0, 0).precision.has_value());
  BOOST_TEST(!EstimateFromLooks(counts, 0, 0).share.has_value());
  counts.dropped.AddLook(0.1, true);
  BOOST_TEST(EstimateFromLooks(counts, 10, 10).precision.has_value());
  BOOST_TEST(!EstimateFromLooks(counts, 10, 10).clean_loss.has_value());
  BOOST_TEST(!EstimateFromLooks(counts, 10, 10).share.has_value());
  BOOST_TEST(EstimateFromLooks(counts, 10, 0).share.has_value());
  // Rows that were chosen say nothing of others.
  ReviewCounts known;
  known.dropped.AddKnown(true);
  known.dropped.AddKnown(false);
  BOOST_TEST(!EstimateFromLooks(known, 3, 0).precision.has_value());
  const LookEstimates all = EstimateFromLooks(known, 2, 0);
  BOOST_TEST(all.precision->estimate == 1.0);
  BOOST_TEST(all.precision->low == 1.0);
  BOOST_TEST(all.clean_loss->high == 0.0);
  BOOST_TEST(all.share->low == 0.5);
  BOOST_TEST(all.share->high == 0.5);
}

BOOST_AUTO_TEST_CASE(adds_up_and_survives_json) {
  ReviewCounts counts;
  BOOST_TEST(counts.IsZero());
  BOOST_TEST(ToJson(counts).empty());
  BOOST_TEST(ReviewCountsFrom(nlohmann::json()).IsZero());
  BOOST_TEST(ReviewCountsFrom({{"kept", {{"looks", 2}}}, {"other", 1}}).kept.looks == 2);
  counts.dropped.AddLook(0.3, true);
  counts.dropped.AddLook(0.7, false);
  counts.kept.AddKnown(false);
  counts.kept.AddKnown(true);
  counts.unsure = 3;
  BOOST_TEST(!counts.IsZero());
  const std::string text = ToJson(counts).dump();
  BOOST_TEST((ReviewCountsFrom(nlohmann::json::parse(text)) == counts));
  ReviewCounts twice = counts;
  twice += counts;
  BOOST_TEST(twice.dropped.looks == 4);
  BOOST_TEST(twice.dropped.looks_shifted == 2);
  BOOST_TEST(twice.dropped.weight == 2 * (1 / 0.3 + 1 / 0.7), kClose);
  BOOST_TEST(twice.dropped.weight_squared == 2 * (1 / 0.09 + 1 / 0.49), kClose);
  BOOST_TEST(twice.dropped.weight_shifted == 2 / 0.3, kClose);
  BOOST_TEST(twice.kept.known_clean == 2);
  BOOST_TEST(twice.kept.known_shifted == 2);
  BOOST_TEST(twice.unsure == 6);
}

BOOST_AUTO_TEST_CASE(says_it_in_sentences) {
  LookEstimates estimates;
  estimates.looks_dropped = 30;
  estimates.looks_kept = 15;
  BOOST_TEST(LookSentences(estimates).empty());
  BOOST_TEST((ToJson(estimates) == nlohmann::json{{"looks_dropped", 30}, {"looks_kept", 15}}));
  estimates.precision = {0.833, 0.653, 0.944};
  estimates.clean_loss = {0.023, 0.0041, 0.1234};
  estimates.share = {1, 0.9996, 1};
  const std::vector<std::string> sentences = LookSentences(estimates);
  BOOST_REQUIRE(sentences.size() == 3U);
  BOOST_TEST(sentences[0] ==
             "precision of the drops: 83 % (95 % interval 65 to 94 %), from 30 random looks");
  BOOST_TEST(sentences[1] ==
             "clean rows lost: 2.3 % (95 % interval 0.41 to 12 %), from 45 random looks");
  BOOST_TEST(sentences[2] ==
             "share of shifted rows: 100 % (95 % interval 99.9 to 100 %), from 45 random looks");
  BOOST_TEST(ToJson(estimates)["precision"]["high"] == 0.944);
  estimates.precision = {1, 1, 1};
  BOOST_TEST(LookSentences(estimates)[0] == "precision of the drops: 100 %");
}

BOOST_AUTO_TEST_CASE(advises_to_stop) {
  LookEstimates estimates;
  BOOST_TEST(!StopAdvice(estimates, 24).has_value());
  BOOST_TEST(*StopAdvice(estimates, 25) ==
             "you can stop looking: your last 25 verdicts agreed with the model: more looks will "
             "change little");
  estimates.precision = {0.8, 0.69, 0.9};
  BOOST_TEST(!StopAdvice(estimates, 24).has_value());
  estimates.precision = {0.8, 0.71, 0.9};
  BOOST_TEST(*StopAdvice(estimates, 0) ==
             "you can stop looking: the precision of the drops is between 71 and 90 %, which is "
             "narrow enough");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
