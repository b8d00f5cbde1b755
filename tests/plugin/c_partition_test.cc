#include <arrow/api.h>
#include <arrow/c/bridge.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/expansion/expansion.h"
#include "algorithms/expansion/spectral_entropy.h"
#include "plugin/c/spuna.h"
#include "tests/support/parquet_files.h"
#include "tests/support/random_rows.h"

namespace spuna {
namespace {

using PartitionHandle = std::unique_ptr<spuna_partition, decltype(&spuna_partition_free)>;

struct Example {
  spuna_error error{};

  PartitionHandle Read(const test::Matrix& rows, std::int64_t first_number, const char* options,
                       spuna_code expected = SPUNA_OK) {
    auto reader = std::make_shared<arrow::TableBatchReader>(test::EmbeddingTable(rows));
    reader->set_chunksize(7);
    ArrowArrayStream stream;
    test::Require(arrow::ExportRecordBatchReader(reader, &stream));
    spuna_partition* partition = nullptr;
    const spuna_code code =
        spuna_partition_read(&stream, first_number, options, &partition, &error);
    BOOST_REQUIRE_MESSAGE(code == expected, error.message);
    BOOST_TEST((stream.release == nullptr));
    return {partition, spuna_partition_free};
  }

  spuna_code Merge(const PartitionHandle& part, spuna_bank bank, const test::Matrix& rows,
                   const char* options = nullptr) {
    return spuna_partition_merge(part.get(), bank, rows.values.data(),
                                 static_cast<std::int64_t>(rows.num_rows),
                                 static_cast<std::int64_t>(rows.dimension), options, &error);
  }
};

BOOST_FIXTURE_TEST_SUITE(c_partition, Example)

BOOST_AUTO_TEST_CASE(its_scores_choose_the_rows_that_the_expansion_chooses) {
  const test::Matrix trusted = test::RandomRows(30, 5, 1);
  const test::Matrix pool = test::ShiftedPool(80, 5, 2, 1);
  const algorithms::Expansion expected = algorithms::ExpandLabels(
      trusted.view(), pool.view(), {4, 10, 3, -1e9, algorithms::OnStop::kKeep}, {});
  PartitionHandle part = Read(pool, 0, R"({"k": 3})");
  BOOST_TEST(Merge(part, SPUNA_BANK_CLEAN, trusted, R"({"threads": 2})") == SPUNA_OK);

  // Of the rows that are there: the lowest and the highest scores.
  auto take = [&](spuna_ranking ranking, std::size_t count, bool lowest) {
    std::vector<double> scores(static_cast<std::size_t>(spuna_partition_num_rows(part.get())));
    BOOST_TEST(spuna_partition_scores(part.get(), ranking, scores.data(), &error) == SPUNA_OK);
    const algorithms::RowNumbers order = algorithms::AscendingOrder(scores);
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = lowest ? order[i] : order[order.size() - 1 - i];
      numbers.push_back(spuna_partition_numbers(part.get())[at]);
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  };
  auto of_round = [&](algorithms::PseudoLabel label, int round) {
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < pool.num_rows; ++i) {
      if (expected.labels[i] == label && expected.rounds[i] == round) {
        numbers.push_back(static_cast<std::int64_t>(i));
      }
    }
    return numbers;
  };
  auto rows_of = [&](const std::vector<std::int64_t>& numbers) {
    test::Matrix rows{numbers.size(), 5, {}};
    for (const std::int64_t number : numbers) {
      const float* const row = pool.view().row(static_cast<std::size_t>(number));
      rows.values.insert(rows.values.end(), row, row + 5);
    }
    return rows;
  };
  const auto clean = take(SPUNA_RANKING_SEEDS, 4, true);
  const auto shifted = take(SPUNA_RANKING_SEEDS, 4, false);
  BOOST_TEST(clean == of_round(algorithms::PseudoLabel::kClean, 0));
  BOOST_TEST(shifted == of_round(algorithms::PseudoLabel::kShifted, 0));

  BOOST_TEST(spuna_partition_remove(part.get(), clean.data(), 4, &error) == SPUNA_OK);
  BOOST_TEST(spuna_partition_remove(part.get(), shifted.data(), 4, &error) == SPUNA_OK);
  BOOST_TEST(spuna_partition_num_rows(part.get()) == 72);
  BOOST_TEST(Merge(part, SPUNA_BANK_CLEAN, rows_of(clean)) == SPUNA_OK);
  BOOST_TEST(Merge(part, SPUNA_BANK_SHIFTED, rows_of(shifted)) == SPUNA_OK);
  char* bytes = nullptr;
  std::size_t size = 0;
  BOOST_TEST(spuna_partition_serialize(part.get(), &bytes, &size, &error) == SPUNA_OK);
  spuna_partition* parsed = nullptr;
  BOOST_TEST(spuna_partition_parse(bytes, size - 1, &parsed, &error) == SPUNA_INVALID);
  BOOST_TEST(spuna_partition_parse(bytes, size, &parsed, &error) == SPUNA_OK);
  spuna_string_free(bytes);
  part.reset(parsed);
  BOOST_TEST(take(SPUNA_RANKING_ROUND, 10, false) == of_round(algorithms::PseudoLabel::kClean, 1));
  BOOST_TEST(take(SPUNA_RANKING_ROUND, 10, true) == of_round(algorithms::PseudoLabel::kShifted, 1));

  spuna_entropy* entropy = nullptr;
  BOOST_TEST(spuna_entropy_make(5, &entropy, &error) == SPUNA_OK);
  for (const int round : {0, 1}) {
    const test::Matrix rows = rows_of(of_round(algorithms::PseudoLabel::kShifted, round));
    double value = 0;
    BOOST_TEST(spuna_entropy_add(entropy, rows.values.data(),
                                 static_cast<std::int64_t>(rows.num_rows), &value,
                                 &error) == SPUNA_OK);
    BOOST_TEST(value == expected.entropy[static_cast<std::size_t>(round)]);
  }
  spuna_entropy_free(entropy);
}

BOOST_AUTO_TEST_CASE(rows_without_a_finite_embedding_are_left_out) {
  test::Matrix rows = test::RandomRows(20, 3, 1);
  rows.row(0)[1] = std::numeric_limits<float>::quiet_NaN();
  rows.row(9)[2] = std::numeric_limits<float>::infinity();
  const PartitionHandle part = Read(rows, 1000, "");
  BOOST_TEST(spuna_partition_num_rows(part.get()) == 18);
  BOOST_TEST(spuna_partition_dimension(part.get()) == 3);
  BOOST_TEST(spuna_partition_numbers(part.get())[0] == 1001);
  BOOST_TEST(spuna_partition_numbers(part.get())[8] == 1010);
  BOOST_TEST(spuna_partition_values(part.get())[3 * 8 + 2] == rows.row(10)[2]);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_told) {
  const auto says = [&](const std::string& text) { BOOST_TEST(error.message == text); };
  const test::Matrix rows = test::RandomRows(6, 3, 1);
  Read(rows, 0, R"({"embedding": "none"})", SPUNA_INVALID);
  Read(rows, 0, R"({"k": 0})", SPUNA_INVALID);
  const PartitionHandle part = Read(rows, 0, nullptr);
  std::vector<double> scores(6);
  BOOST_TEST(spuna_partition_scores(part.get(), SPUNA_RANKING_SEEDS, scores.data(), &error) ==
             SPUNA_INVALID);
  says("expected rows in the bank of clean rows but none has been merged");
  BOOST_TEST(spuna_partition_scores(part.get(), static_cast<spuna_ranking>(7), scores.data(),
                                    &error) == SPUNA_INVALID);
  says("`ranking`: expected 0 or 1 but found 7");
  BOOST_TEST(Merge(part, static_cast<spuna_bank>(7), rows) == SPUNA_INVALID);
  says("`bank`: expected 0 or 1 but found 7");
  BOOST_TEST(Merge(part, SPUNA_BANK_CLEAN, test::RandomRows(2, 4, 1)) == SPUNA_INVALID);
  says("expected rows of dimension 3 but found 4");
  BOOST_TEST(spuna_partition_merge(part.get(), SPUNA_BANK_CLEAN, nullptr, 1, 3, nullptr, &error) ==
             SPUNA_INVALID);
  says("expected a matrix but found 1 rows of dimension 3");
  BOOST_TEST(spuna_partition_merge(nullptr, SPUNA_BANK_CLEAN, nullptr, 0, 3, nullptr, &error) ==
             SPUNA_INVALID);
  says("`partition` must not be NULL");
  spuna_entropy* entropy = nullptr;
  BOOST_TEST(spuna_entropy_make(0, &entropy, &error) == SPUNA_INVALID);
  says("expected a dimension of 1 or more but found 0");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
