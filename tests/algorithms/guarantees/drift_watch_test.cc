#include "algorithms/guarantees/drift_watch.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "algorithms/guarantees/batch_share.h"

namespace spuna::algorithms {
namespace {

float Sigmoid(double logit) { return static_cast<float>(1 / (1 + std::exp(-logit))); }

// Scores of rows, a share of which is shifted by three deviations, as `num_classifiers` that mostly
// agree would give them.
std::vector<std::vector<float>> DrawRows(std::size_t num_rows, std::size_t num_classifiers,
                                         double share, SeededRandom& random) {
  std::vector<std::vector<float>> scores(num_classifiers);
  for (std::size_t row = 0; row < num_rows; ++row) {
    const double logit = random.Normal() + (random.Uniform() < share ? 3 : 0);
    for (auto& of_classifier : scores) {
      of_classifier.push_back(Sigmoid(logit + 0.3 * random.Normal()));
    }
  }
  return scores;
}

std::vector<HeldOut> DrawTrusted(std::size_t num_rows, std::size_t num_classifiers,
                                 SeededRandom& random) {
  std::vector<HeldOut> held_out(num_classifiers);
  for (HeldOut& one : held_out) one.scores = DrawRows(num_rows, 1, 0, random)[0];
  return held_out;
}

void AddBatch(const std::vector<std::vector<float>>& scores, DriftWatch& watch) {
  watch.BeginBatch();
  watch.Add(scores);
}

bool Says(const std::invalid_argument& error, const std::string& message) {
  BOOST_TEST(error.what() == message);
  return error.what() == message;
}

BOOST_AUTO_TEST_SUITE(drift_watch)

BOOST_AUTO_TEST_CASE(scores_fall_into_bins_in_their_order) {
  auto bin_of = [](float score) { return LogitBin(ClampedLogit(score)); };
  BOOST_TEST(bin_of(0) == 0U);
  BOOST_TEST(bin_of(1) == kNumScoreBins - 1);
  BOOST_TEST(bin_of(0.5F) == kNumScoreBins / 2);
  BOOST_TEST(bin_of(std::numeric_limits<float>::denorm_min()) == 0U);
  std::size_t last = 0;
  for (double score = 0; score <= 1; score += 1e-4) {
    const std::size_t bin = bin_of(static_cast<float>(score));
    BOOST_TEST(bin >= last);
    last = bin;
  }
}

BOOST_AUTO_TEST_CASE(a_bag_counts_as_a_loop_would) {
  SeededRandom random(3);
  ScoreBag bag;
  std::vector<std::size_t> bins;
  for (int i = 0; i < 500; ++i) {
    // Few bins, the ends among them, so that there are ties.
    const std::size_t bin = random.Below(8) * (kNumScoreBins - 1) / 7;
    const auto above = std::ranges::count_if(bins, [&](std::size_t other) { return other > bin; });
    const auto same = std::ranges::count(bins, bin);
    const double u = random.Uniform();
    BOOST_TEST(bag.CountAbove(bin) == static_cast<std::uint64_t>(above));
    BOOST_TEST(bag.CountIn(bin) == static_cast<std::uint64_t>(same));
    BOOST_TEST(ConformalPValue(bag, bin, u) ==
               (static_cast<double>(above) + u * static_cast<double>(same + 1)) / (i + 1.0));
    bag.Add(bin);
    bins.push_back(bin);
  }
  BOOST_TEST(bag.size() == bins.size());
}

BOOST_AUTO_TEST_CASE(p_values_of_exchangeable_scores_are_uniform) {
  for (const bool has_ties : {false, true}) {
    BOOST_TEST_CONTEXT("ties " << has_ties) {
      SeededRandom random(17);
      constexpr int kDraws = 40'000;
      std::vector<double> p_values;
      while (p_values.size() < kDraws) {
        ScoreBag bag;
        auto draw = [&] { return has_ties ? random.Below(3) : LogitBin(2 * random.Normal()); };
        for (int i = 0; i < 5; ++i) bag.Add(draw());
        for (int i = 0; i < 20; ++i) {
          const std::size_t bin = draw();
          p_values.push_back(ConformalPValue(bag, bin, random.Uniform()));
          bag.Add(bin);
        }
      }
      std::ranges::sort(p_values);
      double distance = 0;
      for (std::size_t i = 0; i < p_values.size(); ++i) {
        distance = std::max(distance, std::abs(p_values[i] - static_cast<double>(i) / kDraws));
      }
      // Kolmogorov and Smirnov's bound for one in a thousand.
      BOOST_TEST(distance < 1.95 / std::sqrt(kDraws));
    }
  }
}

BOOST_AUTO_TEST_CASE(idle_money_is_put_on_bets_and_none_is_made) {
  BOOST_TEST(DriftWatch::IdleAfter(0) == 1);
  SeededRandom random(1);
  DriftWatch watch(DrawTrusted(10, 2, random), 0);
  BOOST_TEST(watch.CurrentEvidence() == 1);
  for (int batch = 0; batch < 1000; ++batch) {
    watch.BeginBatch();
    BOOST_TEST(watch.CurrentEvidence() == 1, boost::test_tools::tolerance(1e-12));
  }
}

BOOST_AUTO_TEST_CASE(without_shift_the_mean_is_one) {
  // Of few rows: the more there are, the more of the mean lies with rare histories that win much.
  SeededRandom random(5);
  constexpr int kHistories = 20'000;
  double sum = 0;
  for (int history = 0; history < kHistories; ++history) {
    DriftWatch watch(DrawTrusted(5, 2, random), random.Below(1 << 30));
    AddBatch(DrawRows(2, 2, 0, random), watch);
    sum += watch.CurrentEvidence();
  }
  // Four standard errors.
  BOOST_TEST(std::abs(sum / kHistories - 1) < 0.03);
}

BOOST_AUTO_TEST_CASE(without_shift_alarms_are_rare) {
  SeededRandom random(7);
  constexpr int kHistories = 2000;
  int alarms = 0;
  for (int history = 0; history < kHistories; ++history) {
    DriftWatch watch(DrawTrusted(20, 2, random), random.Below(1 << 30));
    for (int batch = 0; batch < 10; ++batch) AddBatch(DrawRows(10, 2, 0, random), watch);
    alarms += watch.Finds(0.05) ? 1 : 0;
  }
  // 5 % and two deviations.
  BOOST_TEST(alarms <= kHistories * 0.06);
}

BOOST_AUTO_TEST_CASE(finds_a_shift_at_once_and_after_a_long_quiet_time) {
  for (const int quiet : {0, 10, 300}) {
    BOOST_TEST_CONTEXT("after " << quiet << " batches") {
      SeededRandom random(11);
      DriftWatch watch(DrawTrusted(200, 5, random), 0);
      for (int batch = 0; batch < quiet; ++batch) AddBatch(DrawRows(100, 5, 0, random), watch);
      BOOST_TEST(!watch.Finds(0.05));
      for (int batch = 0; batch < 3; ++batch) AddBatch(DrawRows(200, 5, 0.2, random), watch);
      BOOST_TEST(watch.Finds(0.05));
      BOOST_TEST(watch.PValue() == 1 / watch.Evidence());
      // What was found stays found.
      for (int batch = 0; batch < 20; ++batch) AddBatch(DrawRows(100, 5, 0, random), watch);
      BOOST_TEST(watch.Finds(0.05));
    }
  }
}

BOOST_AUTO_TEST_CASE(goes_on_from_its_memory_as_if_it_had_not_stopped) {
  SeededRandom random(23);
  const std::vector<HeldOut> trusted = DrawTrusted(50, 3, random);
  DriftWatch whole(trusted, 7);
  DriftMemory memory;
  for (const std::size_t num_rows : {0, 1, 2, 17, 200}) {
    const auto scores = DrawRows(num_rows, 3, 0.1, random);
    AddBatch(scores, whole);
    DriftWatch part(trusted, 7, memory);
    AddBatch(scores, part);
    memory = part.memory();
    BOOST_TEST(part.Evidence() == whole.Evidence());
    BOOST_TEST(part.CurrentEvidence() == whole.CurrentEvidence());
  }
  BOOST_TEST(memory.num_rows == 220U);
  BOOST_TEST(memory.num_batches == 5U);
}

BOOST_AUTO_TEST_CASE(the_blocks_of_a_batch_change_nothing) {
  SeededRandom random(29);
  const std::vector<HeldOut> trusted = DrawTrusted(50, 2, random);
  const auto scores = DrawRows(60, 2, 0.1, random);
  DriftWatch at_once(trusted, 7);
  AddBatch(scores, at_once);
  DriftWatch by_row(trusted, 7);
  by_row.BeginBatch();
  for (std::size_t row = 0; row < 60; ++row) by_row.Add({{scores[0][row]}, {scores[1][row]}});
  BOOST_TEST(by_row.Evidence() == at_once.Evidence());
  BOOST_TEST(by_row.CurrentEvidence() == at_once.CurrentEvidence());
}

BOOST_AUTO_TEST_CASE(evidence_stays_finite) {
  std::vector<HeldOut> trusted(1);
  trusted[0].scores.assign(200'000, 0.0F);
  DriftWatch watch(trusted, 0);
  for (int batch = 0; batch < 20; ++batch) {
    AddBatch({std::vector<float>(100, 1.0F)}, watch);
  }
  BOOST_TEST(std::isfinite(watch.Evidence()));
  BOOST_TEST(watch.Evidence() > 1e20);
  BOOST_TEST(watch.PValue() > 0);
  const DriftWatch again(trusted, 0, watch.memory());
  BOOST_TEST(again.Evidence() == watch.Evidence());
}

BOOST_AUTO_TEST_CASE(refuses_what_can_not_be) {
  SeededRandom random(31);
  BOOST_CHECK_EXCEPTION(DriftWatch({}, 0), std::invalid_argument, [](const auto& error) {
    return Says(error, "watching needs at least 1 classifier");
  });
  BOOST_CHECK_EXCEPTION(
      DriftWatch(std::vector<HeldOut>(1), 0), std::invalid_argument, [](const auto& error) {
        return Says(error, "watching needs at least 1 trusted row for each classifier");
      });
  const std::vector<HeldOut> trusted = DrawTrusted(5, 2, random);
  DriftWatch watch(trusted, 0);
  watch.BeginBatch();
  for (const float score : {NAN, -0.1F, 1.1F, INFINITY}) {
    BOOST_CHECK_THROW(watch.Add({{0.5F, score}, {0.5F, 0.5F}}), std::invalid_argument);
  }
  BOOST_CHECK_EXCEPTION(watch.Add({{0.5F}}), std::invalid_argument, [](const auto& error) {
    return Says(error, "expected scores of 2 classifiers but found 1");
  });
  BOOST_CHECK_EXCEPTION(watch.Add({{0.5F}, {}}), std::invalid_argument, [](const auto& error) {
    return Says(error, "expected 1 scores of each classifier but found 0");
  });
  BOOST_TEST(watch.memory().num_rows == 0U);
  watch.Add({{0.5F}, {0.25F}});

  auto damaged = [&](auto change) {
    DriftMemory memory = watch.memory();
    change(memory);
    BOOST_CHECK_THROW(DriftWatch(trusted, 0, memory), std::invalid_argument);
  };
  damaged([](DriftMemory& memory) { memory.num_rows = 2; });
  damaged([](DriftMemory& memory) { memory.num_rows = UINT64_MAX; });
  damaged([](DriftMemory& memory) { memory.evidence = 0.5; });
  damaged([](DriftMemory& memory) { memory.evidence = NAN; });
  damaged([](DriftMemory& memory) { memory.tracks.pop_back(); });
  damaged([](DriftMemory& memory) { memory.tracks[0].counts.pop_back(); });
  damaged([](DriftMemory& memory) { memory.tracks[1].counts[0].pop_back(); });
  damaged([](DriftMemory& memory) { memory.tracks[0].counts[0][0] = UINT64_MAX; });
  damaged([](DriftMemory& memory) { memory.tracks[0].capitals[3] = -1; });
  damaged([](DriftMemory& memory) { memory.tracks[0].capitals[3] = 1e31; });
}

BOOST_AUTO_TEST_CASE(the_share_of_a_batch_lies_in_its_interval) {
  for (const double truth : {0.0, 0.2, 1.0}) {
    int held = 0;
    double sum = 0;
    constexpr int kBatches = 200;
    SeededRandom random(37);
    for (int i = 0; i < kBatches; ++i) {
      BatchShare share(DrawTrusted(200, 5, random), 0);
      share.Add(DrawRows(200, 5, truth, random));
      const Share estimate = share.Estimate();
      held += estimate.low <= truth && truth <= estimate.high ? 1 : 0;
      sum += estimate.estimate;
    }
    BOOST_TEST_CONTEXT("a share of " << truth) {
      BOOST_TEST(held >= 0.93 * kBatches);
      BOOST_TEST(std::abs(sum / kBatches - truth) < 0.06);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_share_of_few_rows_is_between_none_and_all) {
  SeededRandom random(41);
  for (const std::size_t num_trusted : {1, 2}) {
    for (const std::size_t num_rows : {0, 1, 2}) {
      BatchShare share(DrawTrusted(num_trusted, 2, random), 0);
      share.Add(DrawRows(num_rows, 2, 0.5, random));
      const Share estimate = share.Estimate();
      BOOST_TEST(estimate.low >= 0);
      BOOST_TEST(estimate.low <= estimate.estimate);
      BOOST_TEST(estimate.estimate <= estimate.high);
      BOOST_TEST(estimate.high <= 1);
      BOOST_TEST(share.num_rows() == num_rows);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
