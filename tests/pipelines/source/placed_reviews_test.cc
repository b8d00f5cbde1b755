#include "pipelines/source/placed_reviews.h"

#include <arrow/api.h>

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/parquet_files.h"
#include "tests/support/temp_directory.h"

namespace spuna {
namespace {

using test::Get;

constexpr std::size_t kRows = 10;

// Two files of ten rows, with the ids 0 to 9 and 5 to 14 where they have ids.
struct Lake {
  test::TempDirectory directory;

  explicit Lake(bool has_ids = true) {
    for (const std::string name : {"a.parquet", "b/c.parquet"}) {
      const std::int64_t first_id = name == "a.parquet" ? 0 : 5;
      auto table = test::EmbeddingTable(test::RandomRows(kRows, 3, 1), first_id);
      if (!has_ids) table = Get(table->RemoveColumn(0));
      test::WriteParquet(directory / ("lake/" + name), *table, 4);
    }
  }

  Source List(const std::string& path = "lake") const {
    return Get(Source::List({{directory / path}, "pool"}, OnBadFile::kSkip));
  }
  Source Survey(const std::string& path = "lake") const {
    Source source = List(path);
    test::Require(source.Survey({}, {}, {}));
    return source;
  }
};

ReviewedRow OfId(const std::string& id, Answer answer) {
  ReviewedRow row;
  row.id = id;
  row.answer = answer;
  return row;
}

ReviewedRow OfPlace(const std::string& file, std::int64_t number, Answer answer) {
  ReviewedRow row;
  row.file = file;
  row.row = number;
  row.answer = answer;
  return row;
}

ReviewedRow With(ReviewedRow row, std::vector<float> embedding) {
  row.embedding = std::move(embedding);
  return row;
}

ReviewedRow Drawn(ReviewedRow row, std::optional<double> probability, std::optional<bool> keep) {
  row.probability = probability;
  row.keep = keep;
  return row;
}

// Places lines as if they stood in r.csv, from line 2 on.
PlacedReviews Place(const Source& source, std::vector<ReviewedRow> rows, const std::string& id = "",
                    bool of_trusted = false) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].where = "r.csv, line " + std::to_string(i + 2);
  }
  return Get(PlaceReviews({std::move(rows), ""}, of_trusted, source, id, {}));
}

constexpr Answer kShifted = Answer::kShifted;
constexpr Answer kClean = Answer::kClean;
constexpr Answer kUnsure = Answer::kUnsure;

BOOST_AUTO_TEST_SUITE(placed_reviews)

BOOST_AUTO_TEST_CASE(finds_places) {
  const Lake lake;
  const PlacedReviews placed =
      Place(lake.Survey(), {OfPlace("a.parquet", 0, kShifted), OfPlace("./b/c.parquet", 9, kClean),
                            OfPlace("a.parquet", 10, kClean), OfPlace("c.parquet", 1, kClean)});
  BOOST_REQUIRE(placed.files.size() == 2U);
  BOOST_TEST(placed.files[0].size() == 1U);
  BOOST_TEST((placed.files[0].at(0).answer == kShifted));
  BOOST_TEST(placed.files[1].size() == 1U);
  BOOST_TEST((placed.files[1].at(9).answer == kClean));
  BOOST_TEST(placed.files[1].at(9).order == 1U);
  BOOST_TEST(placed.num_unknown == 2);
  BOOST_TEST(placed.first_unknown == "row 10 of a.parquet (r.csv, line 4)");
  BOOST_TEST(!placed.has_unread_files);
}

BOOST_AUTO_TEST_CASE(finds_a_single_file_by_its_name) {
  const Lake lake;
  const PlacedReviews placed =
      Place(lake.Survey("lake/b/c.parquet"), {OfPlace("c.parquet", 1, kClean)});
  BOOST_TEST(placed.files[0].count(1) == 1U);
}

BOOST_AUTO_TEST_CASE(finds_every_row_of_an_id) {
  const Lake lake;
  // The place counts where both are there; 007 is not 7.
  ReviewedRow both = OfPlace("a.parquet", 2, kClean);
  both.id = "3";
  const PlacedReviews placed =
      Place(lake.Survey(), {OfId("7", kShifted), OfId("14", kClean), OfId("007", kClean), both});
  BOOST_TEST(placed.files[0].size() == 2U);
  BOOST_TEST((placed.files[0].at(7).answer == kShifted));
  BOOST_TEST((placed.files[0].at(2).answer == kClean));
  BOOST_TEST(placed.files[1].size() == 2U);
  BOOST_TEST((placed.files[1].at(2).answer == kShifted));
  BOOST_TEST((placed.files[1].at(9).answer == kClean));
  BOOST_TEST(placed.num_unknown == 1);
  BOOST_TEST(placed.first_unknown == "'007' (r.csv, line 4)");
}

BOOST_AUTO_TEST_CASE(takes_places_for_ids_where_there_is_no_id_column) {
  const Lake lake(/*has_ids=*/false);
  const std::vector<ReviewedRow> rows = {OfId("b/c.parquet:3", kShifted),
                                         OfId("b/c.parquet:10", kShifted),
                                         OfId("b/c.parquet:x", kShifted), OfId("3", kShifted)};
  const PlacedReviews placed = Place(lake.Survey(), rows);
  BOOST_TEST(placed.files[1].size() == 1U);
  BOOST_TEST(placed.files[1].count(3) == 1U);
  BOOST_TEST(placed.num_unknown == 3);
  // With an id column they are ids.
  BOOST_TEST(Place(Lake().Survey(), rows).files[1].count(3) == 0U);
}

BOOST_AUTO_TEST_CASE(reads_the_column_that_is_asked_for) {
  const Lake lake;
  const PlacedReviews placed = Place(lake.Survey(), {OfId("true", kShifted)}, "shifted");
  BOOST_TEST(placed.files[0].size() == 5U);
  BOOST_TEST(placed.files[0].count(1) == 1U);
  BOOST_TEST(placed.files[0].count(2) == 0U);
}

BOOST_AUTO_TEST_CASE(keeps_pool_and_trusted_rows_apart) {
  const Lake lake;
  const Source source = lake.Survey();
  std::vector<ReviewedRow> rows = {OfPlace("a.parquet", 1, kShifted),
                                   OfPlace("a.parquet", 2, kClean)};
  rows[1].is_trusted = true;
  BOOST_TEST(Place(source, rows).files[0].count(1) == 1U);
  BOOST_TEST(Place(source, rows).files[0].size() == 1U);
  const PlacedReviews trusted = Place(source, rows, "", true);
  BOOST_TEST(trusted.files[0].size() == 1U);
  BOOST_TEST(trusted.files[0].at(2).order == 1U);
}

BOOST_AUTO_TEST_CASE(keeps_places_in_files_that_are_not_read) {
  const Lake lake;
  test::WriteFile(lake.directory / "lake/bad.parquet", "no magic");
  Source source = lake.List();
  source.LeaveAlone({false, true, false});  // a, b/c, bad
  test::Require(source.Survey({}, {}, {}));
  const PlacedReviews placed =
      Place(source, {OfPlace("b/c.parquet", 1000, kShifted), OfPlace("bad.parquet", 1, kClean),
                     OfId("14", kClean), OfId("7", kClean)});
  BOOST_TEST(placed.files[1].size() == 1U);
  BOOST_TEST(placed.files[1].count(1000) == 1U);
  BOOST_TEST(placed.files[2].count(1) == 1U);
  BOOST_TEST(placed.files[0].count(7) == 1U);
  BOOST_TEST(placed.num_unknown == 1);
  BOOST_TEST(placed.has_unread_files);
  // Nor is anything wrong where no file is read.
  Source none = lake.List();
  none.LeaveAlone({true, true, true});
  test::Require(none.Survey({}, {}, {}));
  BOOST_TEST(Place(none, {OfId("a.parquet:4", kClean)}).files[0].count(4) == 1U);
}

BOOST_AUTO_TEST_CASE(counts_what_repeats_and_contradicts) {
  const Lake lake;
  const PlacedReviews placed = Place(
      lake.Survey(), {OfPlace("a.parquet", 1, kShifted), OfId("1", kShifted),  // repeats
                      OfPlace("a.parquet", 2, kUnsure), OfId("2", kClean),  // the sure one counts
                      OfPlace("a.parquet", 3, kClean), OfPlace("a.parquet", 3, kUnsure),
                      OfPlace("a.parquet", 4, kUnsure), OfId("4", kShifted), OfId("4", kClean),
                      OfId("4", kShifted), OfId("0", kClean), OfPlace("a.parquet", 0, kShifted)});
  const auto& rows = placed.files[0];
  BOOST_TEST((rows.at(1).answer == kShifted));
  BOOST_TEST(rows.at(1).order == 0U);
  BOOST_TEST((rows.at(2).answer == kClean));
  BOOST_TEST(rows.at(2).order == 3U);
  BOOST_TEST((rows.at(3).answer == kClean));
  BOOST_TEST((rows.at(4).answer == kUnsure));
  BOOST_TEST((rows.at(0).answer == kUnsure));
  BOOST_TEST(placed.num_repeated == 1);
  BOOST_TEST(placed.num_contradicting == 2);
  BOOST_TEST(placed.first_contradicting ==
             "'4': r.csv, line 9 says shifted, r.csv, line 10 says clean");
}

BOOST_AUTO_TEST_CASE(keeps_the_probability_of_a_draw) {
  const Lake lake;
  const PlacedReviews placed =
      Place(lake.Survey(), {Drawn(OfPlace("a.parquet", 1, kShifted), {}, true),
                            Drawn(OfPlace("a.parquet", 1, kShifted), 0.25, false),
                            Drawn(OfPlace("a.parquet", 1, kShifted), 0.5, true),
                            Drawn(OfPlace("a.parquet", 2, kUnsure), 0.125, {}),
                            Drawn(OfPlace("a.parquet", 2, kClean), {}, true),
                            Drawn(OfPlace("a.parquet", 3, kClean), {}, {}),
                            Drawn(OfPlace("a.parquet", 3, kClean), {}, false)});
  const auto& rows = placed.files[0];
  BOOST_TEST(rows.at(1).probability.value() == 0.25);
  BOOST_TEST(rows.at(1).keep.value() == false);
  BOOST_TEST(rows.at(2).probability.value() == 0.125);
  BOOST_TEST(!rows.at(2).keep.has_value());
  BOOST_TEST((rows.at(2).answer == kClean));
  BOOST_TEST(!rows.at(3).probability.has_value());
  BOOST_TEST(rows.at(3).keep.value() == false);
}

BOOST_AUTO_TEST_CASE(keeps_rows_outside_that_have_an_embedding) {
  const Lake lake;
  ReviewedRow nameless;
  nameless.answer = kClean;
  const PlacedReviews placed = Place(
      lake.Survey(),
      {With(OfId("x", kShifted), {1, 2, 3}), With(nameless, {4, 5, 6}), With(nameless, {4, 5, 6}),
       With(nameless, {7, 8, 9}), With(OfId("u", kUnsure), {1, 1, 1}),
       Drawn(With(OfId("r", kClean), {1, 1, 1}), 0.5, {}), With(OfId("y", kClean), {1, 1, 1}),
       With(OfPlace("z.parquet", 1, kClean), {1, 1, 1}), With(OfId("y", kShifted), {1, 1, 1}),
       With(OfId("7", kClean), {1, 1, 1})});
  BOOST_REQUIRE(placed.outside.size() == 4U);
  BOOST_TEST(*placed.outside[0].id == "x");
  BOOST_TEST((placed.outside[1].embedding == std::vector<float>{4, 5, 6}));
  BOOST_TEST((placed.outside[2].embedding == std::vector<float>{7, 8, 9}));
  BOOST_TEST(*placed.outside[3].file == "z.parquet");
  BOOST_TEST(placed.num_unknown == 0);
  BOOST_TEST(placed.num_repeated == 1);
  BOOST_TEST(placed.num_contradicting == 1);
  BOOST_TEST(placed.files[0].count(7) == 1U);
}

BOOST_AUTO_TEST_CASE(warns) {
  PlacedReviews placed;
  BOOST_TEST(ReviewWarnings(placed).empty());
  placed.num_unknown = 1;
  placed.first_unknown = "'7' (r.csv, line 3)";
  placed.num_repeated = 1200;
  placed.num_contradicting = 2;
  placed.first_contradicting = "'8': r.csv, line 3 says shifted, s.csv, line 9 says clean";
  std::vector<std::string> warnings = ReviewWarnings(placed);
  BOOST_REQUIRE(warnings.size() == 3U);
  BOOST_TEST(warnings[0] ==
             "1 reviewed row is not in the pool, and no embedding was given: ignored. The first: "
             "'7' (r.csv, line 3)");
  BOOST_TEST(warnings[1] ==
             "1,200 verdicts repeat an earlier one about the same row: each row counts once");
  BOOST_TEST(warnings[2] ==
             "2 reviewed rows have contradicting verdicts and count as unsure. The first: '8': "
             "r.csv, line 3 says shifted, s.csv, line 9 says clean");
  placed.has_unread_files = true;
  BOOST_TEST(ReviewWarnings(placed)[0].find(
                 "not in the pool, or in files that are not read, and no") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
