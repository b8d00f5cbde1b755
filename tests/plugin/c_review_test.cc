// What the C interface chooses for a person to look at, and what it makes of the answers.
#include <arrow/api.h>

#include <boost/test/unit_test.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "pipelines/jobs/jobs.h"
#include "plugin/c/spuna.h"
#include "tests/plugin/c_example.h"
#include "tests/support/parquet_files.h"

namespace spuna {
namespace {

using nlohmann::json;
using test::Export;
using test::Get;
using test::Import;

constexpr const char* kOptions =
    R"({"hidden": 16, "epochs": 3, "threads": 2, "rows": 12, "random_share": 0.5})";

using ListHandle = std::unique_ptr<spuna_review_list, decltype(&spuna_review_list_free)>;
using CleanedHandle = std::unique_ptr<spuna_cleaned, decltype(&spuna_cleaned_free)>;

struct ReviewExample : test::CExample {
  ListHandle ReviewRows(const char* options = kOptions, const spuna_model* model = nullptr) {
    ArrowArrayStream trusted_stream = Export(*trusted_table);
    ArrowArrayStream pool_stream = Export(*pool_table);
    spuna_review_list* list = nullptr;
    const spuna_code code = spuna_review(model == nullptr ? &trusted_stream : nullptr, &pool_stream,
                                         model, options, nullptr, &list, &error);
    if (model != nullptr) trusted_stream.release(&trusted_stream);
    BOOST_REQUIRE_MESSAGE(code == SPUNA_OK, error.message);
    BOOST_TEST((trusted_stream.release == nullptr && pool_stream.release == nullptr));
    return {list, spuna_review_list_free};
  }

  ListHandle ReviewFiles(const spuna_model* model = nullptr) {
    const std::string trusted_path = directory / "trusted.parquet";
    const std::string pool_path = directory / "pool.parquet";
    const char* trusted_paths[] = {trusted_path.c_str()};
    const char* pool_paths[] = {pool_path.c_str()};
    spuna_review_list* list = nullptr;
    const spuna_code code = spuna_review_files(trusted_paths, model == nullptr ? 1 : 0, pool_paths,
                                               1, model, kOptions, nullptr, &list, &error);
    BOOST_REQUIRE_MESSAGE(code == SPUNA_OK, error.message);
    return {list, spuna_review_list_free};
  }

  std::shared_ptr<arrow::Table> RowsOf(const ListHandle& list) {
    ArrowArrayStream rows;
    BOOST_REQUIRE(spuna_review_list_rows(list.get(), &rows, &error) == SPUNA_OK);
    return Import(&rows);
  }

  template <typename Function>
  std::string TextOf(const ListHandle& list, Function function) {
    char* text = nullptr;
    BOOST_REQUIRE(function(list.get(), &text, &error) == SPUNA_OK);
    const std::string copied = text;
    spuna_string_free(text);
    return copied;
  }

  // The list as a file of verdicts, all of them "shifted".
  std::string Answered(const std::shared_ptr<arrow::Table>& list) {
    const auto verdicts =
        Get(arrow::MakeArrayFromScalar(arrow::StringScalar("shifted"), list->num_rows()));
    const int column = list->schema()->GetFieldIndex("verdict");
    const auto said = Get(list->SetColumn(column, arrow::field("verdict", arrow::utf8()),
                                          std::make_shared<arrow::ChunkedArray>(verdicts)));
    const std::string path = directory / "said.parquet";
    test::WriteParquet(path, *said);
    return path;
  }
};

std::set<std::string> IdsOf(const arrow::Table& rows) {
  std::set<std::string> ids;
  const auto column = rows.GetColumnByName("id")->chunk(0);
  for (std::int64_t i = 0; i < column->length(); ++i) {
    ids.insert(static_cast<const arrow::StringArray&>(*column).GetString(i));
  }
  return ids;
}

BOOST_FIXTURE_TEST_SUITE(c_review, ReviewExample)

BOOST_AUTO_TEST_CASE(streams_and_files_choose_the_rows_of_the_command) {
  ReviewJob job;
  job.fit.trusted = {directory / "trusted.parquet"};
  job.fit.pool = {directory / "pool.parquet"};
  job.fit.options.hidden = 16;
  job.fit.options.epochs = 3;
  job.rows = 12;
  job.random_share = 0.5;
  job.list = directory / "list.parquet";
  Get(Run(job, test::Threads(2)));
  const auto expected = test::ReadParquet(directory / "list.parquet");
  BOOST_TEST(RowsOf(ReviewFiles())->Equals(*expected));
  const ListHandle of_streams = ReviewRows();
  BOOST_TEST(IdsOf(*RowsOf(of_streams)) == IdsOf(*expected), boost::test_tools::per_element());
  // A stream has no files.
  const auto files = RowsOf(of_streams)->GetColumnByName("file")->chunk(0);
  BOOST_TEST(static_cast<const arrow::StringArray&>(*files).GetString(0).empty());
  // And it can be read again.
  BOOST_TEST(RowsOf(of_streams)->num_rows() == 12);
}

BOOST_AUTO_TEST_CASE(it_says_what_was_chosen) {
  const ListHandle list = ReviewRows();
  const json described = json::parse(TextOf(list, spuna_review_list_describe));
  BOOST_TEST(described.at("rows") == 12);
  BOOST_TEST(described.at("reviewed_before") == 0);
  const std::string page = TextOf(list, spuna_review_list_page);
  BOOST_TEST(page.find("<title>") != std::string::npos);
  BOOST_TEST(TextOf(list, spuna_review_list_summary).find("reviewed=[\"review.csv\"]") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_model_chooses_without_trusted_rows) {
  const test::ModelHandle model = FitModel();
  BOOST_TEST(RowsOf(ReviewRows(kOptions, model.get()))->num_rows() == 12);
  BOOST_TEST(RowsOf(ReviewFiles(model.get()))->num_rows() == 12);
}

BOOST_AUTO_TEST_CASE(rows_without_ids_are_named_by_their_numbers) {
  pool_table = Get(pool_table->SelectColumns({pool_table->schema()->GetFieldIndex("embedding")}));
  const auto rows = RowsOf(ReviewRows());
  const std::string said = Answered(rows);
  const json options = {{"hidden", 16}, {"epochs", 3}, {"reviewed", {said}}};
  ArrowArrayStream trusted_stream = Export(*trusted_table);
  ArrowArrayStream pool_stream = Export(*pool_table);
  spuna_cleaned* cleaned = nullptr;
  const spuna_code code = spuna_clean(&trusted_stream, &pool_stream, nullptr,
                                      options.dump().c_str(), nullptr, &cleaned, &error);
  BOOST_REQUIRE_MESSAGE(code == SPUNA_OK, error.message);
  const CleanedHandle held(cleaned, spuna_cleaned_free);
  std::int64_t* numbers = nullptr;
  std::size_t count = 0;
  BOOST_REQUIRE(spuna_cleaned_numbers(cleaned, 0, &numbers, &count, &error) == SPUNA_OK);
  const std::set<std::int64_t> dropped(numbers, numbers + count);
  spuna_string_free(numbers);
  const auto chosen = rows->GetColumnByName("row")->chunk(0);
  for (std::int64_t i = 0; i < chosen->length(); ++i) {
    const std::int64_t row = static_cast<const arrow::Int64Array&>(*chosen).Value(i);
    BOOST_TEST_CONTEXT("row " << row) { BOOST_TEST(dropped.contains(row)); }
  }
}

BOOST_AUTO_TEST_CASE(wrong_input_is_an_error) {
  spuna_review_list* list = nullptr;
  ArrowArrayStream pool_stream = Export(*pool_table);
  BOOST_TEST(spuna_review(nullptr, &pool_stream, nullptr, kOptions, nullptr, &list, &error) ==
             SPUNA_INVALID);
  BOOST_TEST(std::string(error.message) == "`trusted` must not be NULL");
  BOOST_TEST((pool_stream.release == nullptr));
  auto fails = [&](const char* options) {
    ArrowArrayStream trusted_stream = Export(*trusted_table);
    pool_stream = Export(*pool_table);
    BOOST_TEST(spuna_review(&trusted_stream, &pool_stream, nullptr, options, nullptr, &list,
                            &error) != SPUNA_OK);
    return std::string(error.message);
  };
  BOOST_TEST(fails(R"({"rows": 0})") == "`rows` must be between 1 and 2000, but is 0");
  BOOST_TEST(fails(R"({"out": "page.html"})").find("`out`") != std::string::npos);
  BOOST_TEST(
      fails(R"({"text": "caption"})") ==
      "the stream of pool rows: there is no column 'caption' as `text` says; its columns are "
      "'id', 'embedding', 'shifted'");
  BOOST_TEST(fails(R"({"reviewed": ["none.csv"]})") == "`reviewed`: none.csv: no such file");
  BOOST_TEST((list == nullptr));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
