#include "algorithms/expansion/expansion_partition.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <utility>

#include "algorithms/expansion/expansion.h"
#include "algorithms/expansion/spectral_entropy.h"
#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

using Scored = std::vector<std::pair<double, std::int64_t>>;

// The pool cut into runs of rows, as even as can be; with more parts than rows some are empty.
std::vector<ExpansionPartition> Cut(const test::Matrix& pool, std::size_t num_parts,
                                    std::size_t k) {
  std::vector<ExpansionPartition> parts;
  for (std::size_t part = 0; part < num_parts; ++part) {
    const std::size_t begin = part * pool.num_rows / num_parts;
    const std::size_t end = (part + 1) * pool.num_rows / num_parts;
    Matrix rows{{pool.view().row(begin), pool.view().row(end)}, pool.dimension};
    std::vector<std::int64_t> numbers;
    for (std::size_t i = begin; i < end; ++i) numbers.push_back(static_cast<std::int64_t>(i));
    parts.emplace_back(std::move(rows), std::move(numbers), k);
  }
  return parts;
}

// Leads an expansion over parts, which are written down and read again in every round.
Expansion ExpandParts(const test::Matrix& trusted, const test::Matrix& pool,
                      std::vector<ExpansionPartition> parts, const ExpansionOptions& options) {
  Expansion result;
  result.labels.assign(pool.num_rows, PseudoLabel::kNone);
  result.rounds.assign(pool.num_rows, -1);
  SpectralEntropy entropy(pool.dimension);
  auto rank = [&](auto scores_of) {
    Scored ranking;
    for (const ExpansionPartition& part : parts) {
      const std::vector<double> scores = scores_of(part);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        ranking.emplace_back(scores[i], part.numbers()[i]);
      }
    }
    std::sort(ranking.begin(), ranking.end());
    return ranking;
  };
  auto label = [&](const Scored& ranking, std::size_t begin, std::size_t end, PseudoLabel value,
                   std::int32_t round) {
    test::Matrix rows{0, pool.dimension, {}};
    std::vector<std::int64_t> numbers;
    for (std::size_t i = begin; i < end; ++i) numbers.push_back(ranking[i].second);
    std::sort(numbers.begin(), numbers.end());
    for (const std::int64_t number : numbers) {
      const auto row = static_cast<std::size_t>(number);
      result.labels[row] = value;
      result.rounds[row] = round;
      rows.values.insert(rows.values.end(), pool.view().row(row), pool.view().row(row + 1));
      ++rows.num_rows;
    }
    for (ExpansionPartition& part : parts) {
      part.Remove(numbers);
      part = ExpansionPartition::Parse(part.Serialize());
      if (value == PseudoLabel::kClean) {
        part.MergeClean(rows.view(), options.search, {});
      } else {
        part.MergeShifted(rows.view(), options.search, {});
      }
    }
    if (value == PseudoLabel::kShifted) {
      entropy.Add(rows.view(), AllRows(rows.num_rows));
      result.entropy.push_back(entropy.Value());
    }
  };

  for (ExpansionPartition& part : parts) part.MergeClean(trusted.view(), options.search, {});
  const Scored seeds = rank([](const ExpansionPartition& part) { return part.SeedScores(); });
  label(seeds, 0, options.alpha, PseudoLabel::kClean, 0);
  label(seeds, seeds.size() - options.alpha, seeds.size(), PseudoLabel::kShifted, 0);
  for (std::int32_t round = 1;; ++round) {
    const Scored rest = rank([](const ExpansionPartition& part) { return part.RoundScores(); });
    const std::size_t count = std::min(options.beta, rest.size() / 2);
    if (count == 0) return result;
    label(rest, rest.size() - count, rest.size(), PseudoLabel::kClean, round);
    label(rest, 0, count, PseudoLabel::kShifted, round);
    ++result.num_rounds;
    if (result.entropy.back() - result.entropy[result.entropy.size() - 2] < options.epsilon) {
      return result;
    }
  }
}

BOOST_AUTO_TEST_SUITE(expansion_partition)

BOOST_AUTO_TEST_CASE(parts_give_the_labels_of_the_whole) {
  for (const std::size_t dimension : {2, 9, 40}) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const test::Matrix trusted = test::HardRows(60, dimension, seed);
      const test::Matrix pool = test::HardRows(251, dimension, seed + 30);
      for (const SearchKind search : {SearchKind::kKdTree, SearchKind::kProduct}) {
        const ExpansionOptions options{6, 20, 11, -1e9, OnStop::kKeep, search};
        const Expansion expected = ExpandLabels(trusted.view(), pool.view(), options, {});
        for (const std::size_t num_parts : {1, 2, 8, 300}) {
          BOOST_TEST_CONTEXT("dimension " << dimension << " seed " << seed << " parts "
                                          << num_parts) {
            const Expansion actual =
                ExpandParts(trusted, pool, Cut(pool, num_parts, options.num_neighbors), options);
            BOOST_TEST((actual.labels == expected.labels));
            BOOST_TEST((actual.rounds == expected.rounds));
            BOOST_TEST((actual.entropy == expected.entropy));
            BOOST_TEST(actual.num_rounds == expected.num_rounds);
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(removed_rows_take_their_lists_along) {
  const test::Matrix pool = test::RandomRows(20, 3, 1);
  const test::Matrix bank = test::RandomRows(9, 3, 2);
  ExpansionPartition part = std::move(Cut(pool, 1, 4).front());
  part.MergeClean(bank.view(), SearchKind::kAuto, {});
  part.MergeShifted(bank.view(), SearchKind::kAuto, {});
  const std::vector<double> before = part.SeedScores();
  const std::int64_t removed[] = {-5, 0, 7, 8, 19, 20, 1'000'000};
  part.Remove(removed);
  BOOST_TEST(part.numbers().size() == 16);
  for (std::size_t i = 0; i < 16; ++i) {
    const auto number = static_cast<std::size_t>(part.numbers()[i]);
    BOOST_TEST((number != 0 && number != 7 && number != 8 && number != 19));
    BOOST_TEST(part.SeedScores()[i] == before[number]);
    BOOST_TEST(part.rows().row(i)[2] == pool.view().row(number)[2]);
  }
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused) {
  const test::Matrix pool = test::RandomRows(5, 3, 1);
  const auto says = [](const std::string& text) {
    return [text](const std::invalid_argument& error) { return error.what() == text; };
  };
  const auto make = [&](std::vector<std::int64_t> numbers, std::size_t k) {
    return ExpansionPartition(Matrix{pool.values, 3}, std::move(numbers), k);
  };
  BOOST_CHECK_EXCEPTION(make({1, 2}, 3), std::invalid_argument,
                        says("expected a number for each of 5 rows but found 2"));
  BOOST_CHECK_EXCEPTION(make({1, 2, 2, 3, 4}, 3), std::invalid_argument,
                        says("expected ascending numbers of rows"));
  BOOST_CHECK_EXCEPTION(make({1, 2, 3, 4, 5}, 0), std::invalid_argument,
                        says("`k` must be at least 1, but is 0"));
  ExpansionPartition part = make({1, 2, 3, 4, 5}, 2);
  BOOST_CHECK_EXCEPTION(part.SeedScores(), std::invalid_argument,
                        says("expected rows in the bank of clean rows but none has been merged"));
  part.MergeClean(pool.view(), SearchKind::kAuto, {});
  BOOST_CHECK_EXCEPTION(part.RoundScores(), std::invalid_argument,
                        says("expected rows in the bank of shifted rows but none has been merged"));
  BOOST_CHECK_EXCEPTION(part.MergeClean(test::RandomRows(2, 4, 1).view(), SearchKind::kAuto, {}),
                        std::invalid_argument, says("expected rows of dimension 3 but found 4"));
}

BOOST_AUTO_TEST_CASE(broken_bytes_are_refused) {
  ExpansionPartition part = std::move(Cut(test::RandomRows(6, 3, 1), 1, 2).front());
  part.MergeClean(test::RandomRows(4, 3, 2).view(), SearchKind::kAuto, {});
  const std::string bytes = part.Serialize();
  BOOST_TEST(ExpansionPartition::Parse(bytes).Serialize() == bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    BOOST_CHECK_THROW(ExpansionPartition::Parse(std::string_view(bytes).substr(0, size)),
                      std::invalid_argument);
  }
  BOOST_CHECK_THROW(ExpansionPartition::Parse(bytes + "x"), std::invalid_argument);
  // The words of the header: magic, dimension, rows, k, lengths of the lists.
  for (std::size_t word = 0; word < 6; ++word) {
    std::string broken = bytes;
    for (std::size_t i = 0; i < 8; ++i) broken[8 * word + i] = '\x7F';
    BOOST_CHECK_THROW(ExpansionPartition::Parse(broken), std::invalid_argument);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
