// What the C interface says of a pool that was cleaned, of plans and of batches.
#include <arrow/api.h>

#include <boost/test/unit_test.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plugin/c/spuna.h"
#include "tests/plugin/c_example.h"
#include "tests/support/parquet_files.h"

namespace spuna {
namespace {

using nlohmann::json;
using test::Export;
using test::Import;
using test::kCallOptions;

using CleanedHandle = std::unique_ptr<spuna_cleaned, decltype(&spuna_cleaned_free)>;

// A table that is opened again and again, and counts it.
struct Opener {
  std::shared_ptr<arrow::Table> table;
  int opened = 0;
  int released = 0;
  bool fails = false;

  spuna_reopen Reopen() {
    spuna_reopen reopen{};
    reopen.context = this;
    reopen.open = [](void* context, ArrowArrayStream* out) {
      auto& self = *static_cast<Opener*>(context);
      ++self.opened;
      if (self.fails) return 1;
      *out = Export(*self.table);
      return 0;
    };
    reopen.release = [](void* context) { ++static_cast<Opener*>(context)->released; };
    return reopen;
  }
};

struct CleanExample : test::CExample {
  Opener opener{pool_table};

  CleanedHandle CleanRows(bool reopens, const char* options = kCallOptions) {
    ArrowArrayStream trusted_stream = Export(*trusted_table);
    ArrowArrayStream pool_stream = Export(*pool_table);
    spuna_cleaned* cleaned = nullptr;
    const spuna_reopen reopen = opener.Reopen();
    const spuna_code code = spuna_clean(&trusted_stream, &pool_stream, reopens ? &reopen : nullptr,
                                        options, nullptr, &cleaned, &error);
    BOOST_REQUIRE_MESSAGE(code == SPUNA_OK, error.message);
    BOOST_TEST((trusted_stream.release == nullptr && pool_stream.release == nullptr));
    return {cleaned, spuna_cleaned_free};
  }

  CleanedHandle CleanFiles(const char* options = kCallOptions) {
    const std::string trusted_path = directory / "trusted.parquet";
    const std::string pool_path = directory / "pool.parquet";
    const char* trusted_paths[] = {trusted_path.c_str()};
    const char* pool_paths[] = {pool_path.c_str()};
    spuna_cleaned* cleaned = nullptr;
    const spuna_code code =
        spuna_clean_files(trusted_paths, 1, pool_paths, 1, options, nullptr, &cleaned, &error);
    BOOST_REQUIRE_MESSAGE(code == SPUNA_OK, error.message);
    return {cleaned, spuna_cleaned_free};
  }

  std::shared_ptr<arrow::Table> RowsOf(const CleanedHandle& cleaned) {
    ArrowArrayStream rows;
    BOOST_REQUIRE(spuna_cleaned_rows(cleaned.get(), &rows, &error) == SPUNA_OK);
    return Import(&rows);
  }

  std::vector<std::int64_t> NumbersOf(const CleanedHandle& cleaned, bool kept) {
    std::int64_t* numbers = nullptr;
    std::size_t count = 0;
    BOOST_REQUIRE(spuna_cleaned_numbers(cleaned.get(), kept ? 1 : 0, &numbers, &count, &error) ==
                  SPUNA_OK);
    std::vector<std::int64_t> copied(numbers, numbers + count);
    spuna_string_free(numbers);
    return copied;
  }

  // What a function with one text as its result gives.
  template <typename Function>
  std::string TextOf(const CleanedHandle& cleaned, Function function) {
    char* text = nullptr;
    BOOST_REQUIRE(function(cleaned.get(), &text, &error) == SPUNA_OK);
    const std::string copied = text;
    spuna_string_free(text);
    return copied;
  }
};

BOOST_FIXTURE_TEST_SUITE(c_clean, CleanExample)

BOOST_AUTO_TEST_CASE(rows_are_those_of_the_command_whatever_they_come_from) {
  const auto expected = CleanedByTheCommand();
  for (const CleanedHandle& cleaned :
       {CleanRows(/*reopens=*/false), CleanRows(/*reopens=*/true), CleanFiles()}) {
    BOOST_TEST(RowsOf(cleaned)->Equals(*expected));
    BOOST_TEST(RowsOf(cleaned)->Equals(*expected));
    const auto keep = expected->GetColumnByName("spuna_keep")->chunk(0);
    std::vector<std::int64_t> kept;
    std::vector<std::int64_t> dropped;
    for (std::int64_t i = 0; i < keep->length(); ++i) {
      const bool is_kept = static_cast<const arrow::BooleanArray&>(*keep).Value(i);
      (is_kept ? kept : dropped).push_back(i);
    }
    BOOST_TEST(NumbersOf(cleaned, true) == kept);
    BOOST_TEST(NumbersOf(cleaned, false) == dropped);
  }
}

BOOST_AUTO_TEST_CASE(a_pool_is_opened_again_or_held) {
  {
    const CleanedHandle cleaned = CleanRows(/*reopens=*/true);
    // To count its rows.
    BOOST_TEST(opener.opened == 1);
    RowsOf(cleaned);
    BOOST_TEST(opener.opened == 2);
    BOOST_TEST(opener.released == 0);
    opener.fails = true;
    ArrowArrayStream rows;
    BOOST_TEST(spuna_cleaned_rows(cleaned.get(), &rows, &error) == SPUNA_IO);
    BOOST_TEST(std::string(error.message) == "the pool can't be read again");
  }
  BOOST_TEST(opener.released == 1);
  const CleanedHandle held = CleanRows(/*reopens=*/false);
  RowsOf(held);
  BOOST_TEST(opener.opened == 3);
}

BOOST_AUTO_TEST_CASE(what_opens_rows_is_released_where_the_call_fails) {
  ArrowArrayStream trusted_stream = Export(*trusted_table);
  ArrowArrayStream pool_stream = Export(*pool_table);
  const spuna_reopen reopen = opener.Reopen();
  spuna_cleaned* cleaned = nullptr;
  BOOST_TEST(spuna_clean(&trusted_stream, &pool_stream, &reopen, R"({"group_by": ["nowhere"]})",
                         nullptr, &cleaned, &error) == SPUNA_INVALID);
  BOOST_TEST(
      std::string(error.message) ==
      "the stream of pool rows: there is no column 'nowhere' as `group_by` says; its columns "
      "are 'id', 'embedding', 'shifted'");
  BOOST_TEST(opener.released == 1);
  BOOST_TEST((trusted_stream.release == nullptr && pool_stream.release == nullptr));
}

BOOST_AUTO_TEST_CASE(summary_json_and_ids) {
  const char* const options =
      R"({"recipe": "paper", "alpha": 10, "k": 20, "hidden": 16, "epochs": 3, "id": "id",
          "group_by": ["shifted"]})";
  const CleanedHandle cleaned = CleanFiles(options);
  const std::string summary = TextOf(cleaned, spuna_cleaned_summary);
  BOOST_TEST(summary.find("rows in                  300\n") != std::string::npos, summary);
  BOOST_TEST(summary.find("few trusted rows") != std::string::npos, summary);
  BOOST_TEST(summary.find("written to") == std::string::npos, summary);
  const json described = json::parse(TextOf(cleaned, spuna_cleaned_describe));
  BOOST_TEST(described.at("rows_in") == 300);
  BOOST_TEST(described.at("groups").at("shifted").size() == 2U);
  char* ids = nullptr;
  BOOST_REQUIRE(spuna_cleaned_ids(cleaned.get(), 0, &ids, &error) == SPUNA_OK);
  const std::vector<std::int64_t> dropped = NumbersOf(cleaned, false);
  const json listed = json::parse(ids);
  spuna_string_free(ids);
  BOOST_REQUIRE(listed.size() == dropped.size());
  for (std::size_t i = 0; i < dropped.size(); ++i) {
    BOOST_TEST(listed[i] == std::to_string(dropped[i]));
  }
  // Without the option there are none.
  BOOST_REQUIRE(spuna_cleaned_ids(CleanFiles().get(), 1, &ids, &error) == SPUNA_OK);
  BOOST_TEST(std::string(ids) == "null");
  spuna_string_free(ids);
}

BOOST_AUTO_TEST_CASE(reasons_and_report_are_the_files_of_the_command) {
  CleanJob job = Clean("by_command.parquet");
  job.reasons = directory / "reasons.parquet";
  job.report = directory / "report.html";
  test::Require(Run(job, test::Threads(2)).status());
  const CleanedHandle cleaned = CleanFiles();
  const std::string path = directory / "mine.parquet";
  BOOST_REQUIRE_MESSAGE(
      spuna_cleaned_write_reasons(cleaned.get(), path.c_str(), 0, nullptr, &error) == SPUNA_OK,
      error.message);
  BOOST_TEST((test::ReadFile(path) == test::ReadFile(*job.reasons)));
  BOOST_TEST(spuna_cleaned_write_reasons(cleaned.get(), path.c_str(), 0, nullptr, &error) ==
             SPUNA_IO);
  BOOST_TEST(std::string(error.message).find("add `overwrite=true`") != std::string::npos,
             error.message);
  ArrowArrayStream reasons;
  BOOST_REQUIRE(spuna_cleaned_reasons(cleaned.get(), nullptr, &reasons, &error) == SPUNA_OK);
  BOOST_TEST(Import(&reasons)->Equals(*test::Get(test::ReadParquet(path)->CombineChunks())));
  const std::string page = directory / "mine.html";
  BOOST_REQUIRE(spuna_cleaned_write_report(cleaned.get(), page.c_str(), 0, nullptr, &error) ==
                SPUNA_OK);
  BOOST_TEST(test::ReadFile(page).find("<html") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_cancelled_call_leaves_nothing) {
  const spuna_callbacks stops{[](void*) { return 1; }, nullptr, nullptr};
  ArrowArrayStream trusted_stream = Export(*trusted_table);
  ArrowArrayStream pool_stream = Export(*pool_table);
  spuna_cleaned* cleaned = nullptr;
  BOOST_TEST(spuna_clean(&trusted_stream, &pool_stream, nullptr, kCallOptions, &stops, &cleaned,
                         &error) == SPUNA_CANCELLED);
  BOOST_TEST(cleaned == nullptr);
  const CleanedHandle made = CleanFiles();
  const std::string path = directory / "none.parquet";
  BOOST_TEST(spuna_cleaned_write_reasons(made.get(), path.c_str(), 0, &stops, &error) ==
             SPUNA_CANCELLED);
  BOOST_TEST(!std::filesystem::exists(path));
}

BOOST_AUTO_TEST_CASE(a_plan_needs_no_output) {
  const std::string trusted_path = directory / "trusted.parquet";
  const std::string pool_path = directory / "pool.parquet";
  const char* trusted_paths[] = {trusted_path.c_str()};
  const char* pool_paths[] = {pool_path.c_str()};
  char* described = nullptr;
  char* text = nullptr;
  BOOST_REQUIRE_MESSAGE(spuna_plan_files(trusted_paths, 1, pool_paths, 1, nullptr, 0, kCallOptions,
                                         nullptr, &described, &text, &error) == SPUNA_OK,
                        error.message);
  const json plan = json::parse(described);
  BOOST_TEST(plan.at("rows") == 300);
  BOOST_TEST(plan.at("outputs").empty());
  BOOST_TEST(std::string(text).find("would write") == std::string::npos);
  spuna_string_free(described);
  spuna_string_free(text);
}

BOOST_AUTO_TEST_CASE(a_batch_is_watched_as_files_or_as_a_stream) {
  ArrowArrayStream trusted_stream = Export(*trusted_table);
  ArrowArrayStream pool_stream = Export(*pool_table);
  spuna_model* fitted = nullptr;
  BOOST_REQUIRE(spuna_fit(&trusted_stream, &pool_stream, R"({"epochs": 2})", nullptr, &fitted,
                          &error) == SPUNA_OK);
  const test::ModelHandle model(fitted, spuna_model_free);
  const std::string path = directory / "pool.parquet";
  const char* paths[] = {path.c_str()};
  json seen[2];
  for (json& result : seen) {
    char* described = nullptr;
    char* text = nullptr;
    ArrowArrayStream batch = Export(*pool_table);
    const spuna_code code =
        &result == seen
            ? spuna_monitor_files(model.get(), paths, 1, nullptr, nullptr, &described, &text,
                                  &error)
            : spuna_monitor(model.get(), &batch, nullptr, nullptr, &described, &text, &error);
    BOOST_REQUIRE_MESSAGE(code == SPUNA_OK, error.message);
    result = json::parse(described);
    spuna_string_free(described);
    spuna_string_free(text);
    if (batch.release != nullptr) batch.release(&batch);
  }
  for (const char* key : {"rows_in", "rows_dropped", "evidence", "share_shifted"}) {
    BOOST_TEST(seen[0].at(key) == seen[1].at(key), key);
  }
  BOOST_TEST(seen[0].at("files") == 1);
  BOOST_TEST(seen[1].at("files") == 0);
}

BOOST_AUTO_TEST_CASE(missing_arguments_are_named) {
  char* text = nullptr;
  BOOST_TEST(spuna_cleaned_summary(nullptr, &text, &error) == SPUNA_INVALID);
  BOOST_TEST(std::string(error.message) == "`cleaned` must not be NULL");
  BOOST_TEST(spuna_cleaned_summary(CleanFiles().get(), nullptr, &error) == SPUNA_INVALID);
  BOOST_TEST(std::string(error.message) == "`out_text` must not be NULL");
  spuna_cleaned_free(nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
