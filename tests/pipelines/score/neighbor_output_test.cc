// What a fit says of the pool without its classifier: labels, rounds, neighbor scores.

#include <arrow/api.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "pipelines/jobs/jobs.h"
#include "tests/support/files_example.h"
#include "tests/support/parquet_files.h"
#include "tests/support/reference.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;
using test::kDimension;
using test::Matrix;
using test::Scores;
using test::Threads;
using Example = test::FilesExample;

BOOST_AUTO_TEST_SUITE(neighbor_output)

BOOST_AUTO_TEST_CASE(labels_hold_the_reference_and_all_columns_but_the_embedding) {
  const Example example;
  const auto table = test::EmbeddingTable(example.pool);
  test::WriteParquet(example.directory / "lake/a=x/0.parquet", *table->Slice(0, 123), 50);
  test::WriteParquet(example.directory / "lake/a=y/1.parquet", *table->Slice(123));
  FitJob job = example.Fit("model", {example.directory / "lake"});
  job.labels = example.directory / "labels.parquet";
  job.prefix = "p_";
  const auto report = Run(job, Threads(2)).ValueOrDie();
  const auto labels = test::ReadParquet(*job.labels);
  const std::vector<std::string> names = {"id",      "shifted", "a",
                                          "p_label", "p_round", "p_neighbor_score"};
  BOOST_TEST(labels->ColumnNames() == names, boost::test_tools::per_element());

  const test::ReferenceExpansion expected =
      test::ExpandReference(example.trusted.rows(), example.pool.rows(), {10, 32, 20, 0, false});
  const std::vector<double> scores = test::PoolNeighborScoresReference(
      example.trusted.rows(), example.pool.rows(), expected.labels, 20);
  const std::vector<float> actual_scores = Scores(*labels, "p_neighbor_score");
  for (std::int64_t i = 0; i < 300; ++i) {
    const auto row = static_cast<std::size_t>(i);
    auto text = [&](const char* name) {
      return labels->GetColumnByName(name)->GetScalar(i).ValueOrDie()->ToString();
    };
    const char* const words[] = {"null", "clean", "shifted"};
    BOOST_TEST_REQUIRE(text("p_label") == words[expected.labels[row]]);
    BOOST_TEST_REQUIRE(text("p_round") ==
                       (expected.rounds[row] < 0 ? "null" : std::to_string(expected.rounds[row])));
    BOOST_TEST_REQUIRE(text("a") == (i < 123 ? "x" : "y"));
    BOOST_TEST_REQUIRE(std::abs(actual_scores[row] - scores[row]) < 1e-6);
  }
  const nlohmann::json json = ToJson(report);
  BOOST_TEST(json["seconds"].contains("neighbor_score"));
  BOOST_TEST(json["entropy"].size() == json["rounds"].get<std::size_t>() + 1);
}

BOOST_AUTO_TEST_CASE(labels_of_pools_with_different_columns_are_refused) {
  const Example example;
  const auto table = test::EmbeddingTable(example.pool);
  test::WriteParquet(example.directory / "lake/0.parquet", *table->Slice(0, 123));
  test::WriteParquet(example.directory / "lake/1.parquet",
                     *table->Slice(123)->RemoveColumn(0).ValueOrDie());
  FitJob job = example.Fit("model", {example.directory / "lake"});
  BOOST_TEST_REQUIRE(Run(job, Threads(1)).ok());
  job.overwrite = true;
  job.labels = example.directory / "labels.parquet";
  BOOST_TEST(
      Run(job, Threads(1))
          .status()
          .message()
          .ends_with("since all labels go to one file: 'id: int64' but found 'shifted: bool'"));
  BOOST_TEST(!fs::exists(*job.labels));
}

BOOST_AUTO_TEST_CASE(scoring_by_neighbors_needs_banks_and_matches_the_reference) {
  const Example example;
  const Matrix fresh = test::ShiftedPool(50, kDimension, 9, 1.5);
  test::WriteParquet(example.directory / "fresh.parquet", *test::EmbeddingTable(fresh));
  ScoreJob score;
  score.model = example.directory / "model";
  score.input = {example.directory / "fresh.parquet"};
  score.output = example.directory / "out.parquet";
  score.options.by = ScoreBy::kNeighbors;

  FitJob fit = example.Fit("model");
  BOOST_TEST_REQUIRE(Run(fit, Threads(1)).ok());
  BOOST_TEST(
      Run(score, Threads(1)).status().message() ==
      "scoring by neighbors needs the banks, and this model has none; keep the banks when fitting");
  fit.keep_banks = true;
  fit.overwrite = true;
  BOOST_TEST_REQUIRE(Run(fit, Threads(1)).ok());
  for (const auto kind : {algorithms::SearchKind::kKdTree, algorithms::SearchKind::kProduct}) {
    score.options.neighbors = kind;
    score.options.overwrite = true;
    BOOST_TEST_REQUIRE(Run(score, Threads(2)).ok());
    const auto scored = test::ReadParquet(score.output);
    BOOST_TEST(scored->num_columns() == 4);

    const test::ReferenceExpansion expansion =
        test::ExpandReference(example.trusted.rows(), example.pool.rows(), {10, 32, 20, 0, false});
    test::Rows clean = example.trusted.rows();
    test::Rows shifted;
    for (std::size_t i = 0; i < example.pool.num_rows; ++i) {
      if (expansion.labels[i] == 1) clean.push_back(example.pool.rows()[i]);
      if (expansion.labels[i] == 2) shifted.push_back(example.pool.rows()[i]);
    }
    const std::vector<float> actual = Scores(*scored, "spuna_neighbor_score");
    for (std::size_t i = 0; i < fresh.num_rows; ++i) {
      const double expected = test::MeanNearestReference(fresh.rows()[i], clean, 20) -
                              test::MeanNearestReference(fresh.rows()[i], shifted, 20);
      BOOST_TEST(std::abs(actual[i] - expected) < 1e-6);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
