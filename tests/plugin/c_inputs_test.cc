// What the C interface takes rows from: files, streams, arrays and matrices.
#include <arrow/api.h>
#include <arrow/c/bridge.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plugin/c/spuna.h"
#include "tests/plugin/c_example.h"
#include "tests/support/parquet_files.h"

namespace spuna {
namespace {

using test::Export;
using test::Import;
using test::kCallOptions;
using test::ModelHandle;

BOOST_FIXTURE_TEST_SUITE(c_inputs, test::CExample)

BOOST_AUTO_TEST_CASE(files_are_streamed_and_evaluated) {
  const std::string file = directory / "pool.parquet";
  const char* paths[] = {file.c_str()};
  ArrowArrayStream rows;
  BOOST_REQUIRE(spuna_read_parquet(paths, 1, nullptr, &rows, &error) == SPUNA_OK);
  BOOST_TEST(Import(&rows)->Equals(*pool_table));
  BOOST_REQUIRE(spuna_read_parquet(paths, 1, R"({"only_embedding": true})", &rows, &error) ==
                SPUNA_OK);
  BOOST_TEST(Import(&rows)->num_columns() == 1);
  BOOST_TEST(spuna_read_parquet(paths, 1, R"({"columns": 1})", &rows, &error) == SPUNA_INVALID);
  BOOST_TEST(std::string(error.message) ==
             "options: expected `only_embedding` and `all_files` (true or false), `argument` and "
             "`embedding` (texts) but found `columns`: 1");

  ArrowArrayStream cleaned = Export(*CleanedByTheCommand());
  char* json = nullptr;
  BOOST_REQUIRE(spuna_evaluate_stream(&cleaned, "shifted", "spuna_score", nullptr, &json, &error) ==
                SPUNA_OK);
  BOOST_TEST(std::string(json).find("\"rows\":300") != std::string::npos);
  spuna_string_free(json);
  cleaned = Export(*pool_table);
  BOOST_TEST(spuna_evaluate_stream(&cleaned, "shifted", "spuna_score", nullptr, &json, &error) ==
             SPUNA_INVALID);
  BOOST_TEST(std::string(error.message) ==
             "the stream: there is no column 'spuna_score' as `score` says; its columns are 'id', "
             "'embedding', 'shifted'");
}

BOOST_AUTO_TEST_CASE(hive_partitions_become_columns) {
  test::WriteParquet(directory / "lake/day=1/a.parquet", *pool_table->Slice(0, 100));
  test::WriteParquet(directory / "lake/day=2/a.parquet", *pool_table->Slice(100));
  const std::string lake = directory / "lake";
  const char* paths[] = {lake.c_str()};
  ArrowArrayStream rows;
  BOOST_REQUIRE(spuna_read_parquet(paths, 1, nullptr, &rows, &error) == SPUNA_OK);
  const auto table = Import(&rows);
  BOOST_TEST(table->num_rows() == 300);
  const auto& days =
      static_cast<const arrow::StringArray&>(*table->GetColumnByName("day")->chunk(0));
  BOOST_TEST(days.GetString(99) == "1");
  BOOST_TEST(days.GetString(100) == "2");

  test::WriteParquet(directory / "lake/day=3/a.parquet",
                     *pool_table->SelectColumns({0, 1}).ValueOrDie());
  BOOST_REQUIRE(spuna_read_parquet(paths, 1, nullptr, &rows, &error) == SPUNA_OK);
  const auto joined = Import(&rows);
  BOOST_TEST(joined->num_rows() == 600);
  BOOST_TEST(joined->GetColumnByName("shifted")->null_count() == 300);
}

BOOST_AUTO_TEST_CASE(a_call_reads_files_of_any_name_where_asked) {
  test::WriteParquet(directory / "lake/day=1/part-0", *pool_table);
  const std::string folder = directory / "lake/day=1";
  const char* paths[] = {folder.c_str()};
  ArrowArrayStream rows;
  BOOST_TEST(spuna_read_parquet(paths, 1, R"({"argument": "pool"})", &rows, &error) == SPUNA_IO);
  BOOST_TEST(std::string(error.message) ==
             "`pool`: " + folder +
                 ": expected a directory with .parquet files but found none; to read files of "
                 "other names, such as part-0, add `all_files=true`");
  BOOST_REQUIRE(spuna_read_parquet(paths, 1, R"({"all_files": true})", &rows, &error) == SPUNA_OK);
  const auto table = Import(&rows);
  BOOST_TEST(table->num_rows() == 300);
  // The key of the path, although it is the only one.
  BOOST_TEST(table->GetColumnByName("day") != nullptr);
  const ModelHandle model = FitModel();
  BOOST_REQUIRE(spuna_score_files(model.get(), paths, 1, R"({"all_files": true})", &rows, nullptr,
                                  &error) == SPUNA_OK);
  BOOST_TEST(Import(&rows)->num_rows() == 300);
}

BOOST_AUTO_TEST_CASE(arguments_may_be_file_uris_and_errors_hide_secrets) {
  const ModelHandle model = FitModel();
  const std::string place = "file://localhost" + (directory / "a%20model");
  BOOST_REQUIRE(spuna_model_save(model.get(), place.c_str(), 0, &error) == SPUNA_OK);
  BOOST_TEST(std::filesystem::exists(directory / "a model"));
  spuna_model* loaded = nullptr;
  BOOST_REQUIRE(spuna_model_load(place.c_str(), &loaded, &error) == SPUNA_OK);
  spuna_model_free(loaded);
  const std::string pool_path = directory / "pool.parquet";
  const char* inputs[] = {pool_path.c_str()};
  BOOST_TEST(spuna_check_output(("file://" + pool_path).c_str(), "report", inputs, 1, "pool",
                                &error) == SPUNA_IO);
  BOOST_TEST(std::string(error.message) ==
             "`report`: " + pool_path + ": this is what `pool` names too; choose another name");

  const std::string uri = "s3://KEY:hush@bucket/x?secret_key=hush";
  for (const spuna_code code :
       {spuna_model_save(model.get(), uri.c_str(), 0, &error),
        spuna_model_load(uri.c_str(), &loaded, &error),
        spuna_check_output(uri.c_str(), "report", inputs, 1, "pool", &error)}) {
    BOOST_TEST(code == SPUNA_INVALID);
  }
  BOOST_TEST(std::string(error.message) ==
             "`report`: s3://***@bucket/x?***: expected a path of this machine but found a URI");
}

BOOST_AUTO_TEST_CASE(arrays_and_streams_without_names_are_one_column) {
  const auto column = pool_table->GetColumnByName("embedding");
  ArrowArray array;
  ArrowSchema schema;
  test::Require(arrow::ExportArray(*column->chunk(0), &array, &schema));
  ArrowArrayStream stream;
  BOOST_REQUIRE(spuna_array_stream(&schema, &array, &stream, &error) == SPUNA_OK);
  BOOST_TEST(Import(&stream)->GetColumnByName("embedding")->Equals(column));

  const auto batch = test::Get(pool_table->CombineChunksToBatch());
  test::Require(arrow::ExportRecordBatch(*batch, &array, &schema));
  BOOST_REQUIRE(spuna_array_stream(&schema, &array, &stream, &error) == SPUNA_OK);
  BOOST_TEST(Import(&stream)->Equals(*pool_table));

  const ModelHandle model = FitModel();
  test::Require(arrow::ExportChunkedArray(column, &stream));
  ArrowArrayStream scored;
  BOOST_REQUIRE(spuna_score_stream(model.get(), &stream, nullptr, &scored, &error) == SPUNA_OK);
  BOOST_TEST(Import(&scored)->num_columns() == 3);
}

BOOST_AUTO_TEST_CASE(slices_of_structs_are_rows) {
  const auto batch = test::Get(pool_table->CombineChunksToBatch());
  const auto structs = test::Get(batch->ToStructArray());
  const ModelHandle model = FitModel();
  for (const auto& [offset, length] :
       std::vector<std::pair<int, int>>{{0, 5}, {3, 50}, {290, 10}}) {
    ArrowArrayStream stream;
    test::Require(arrow::ExportChunkedArray(
        std::make_shared<arrow::ChunkedArray>(structs->Slice(offset, length)), &stream));
    ArrowArrayStream scored;
    BOOST_REQUIRE(spuna_score_stream(model.get(), &stream, nullptr, &scored, &error) == SPUNA_OK);
    const auto table = Import(&scored);
    BOOST_TEST(table->GetColumnByName("id")->Equals(
        pool_table->Slice(offset, length)->GetColumnByName("id")));
  }
}

BOOST_AUTO_TEST_CASE(files_are_fitted_and_evaluated_as_by_the_command) {
  test::Require(Run(Fit("by_command"), test::Threads(1)).status());
  const std::string trusted_path = directory / "trusted.parquet";
  const std::string pool_path = directory / "pool.parquet";
  const char* trusted_paths[] = {trusted_path.c_str()};
  const char* pool_paths[] = {pool_path.c_str()};
  spuna_model* model = nullptr;
  BOOST_REQUIRE(spuna_fit_files(trusted_paths, 1, pool_paths, 1, kCallOptions, nullptr, &model,
                                nullptr, &error) == SPUNA_OK);
  BOOST_TEST(spuna_model_save(model, (directory / "by_c").c_str(), 0, &error) == SPUNA_OK);
  spuna_model_free(model);
  BOOST_TEST((test::ReadFile(directory / "by_c") == test::ReadFile(directory / "by_command")));

  test::WriteParquet(directory / "scored/shifted=0/a.parquet", *CleanedByTheCommand());
  test::WriteParquet(directory / "scored/shifted=1/a.parquet", *CleanedByTheCommand());
  const std::string scored = directory / "scored";
  const char* scored_paths[] = {scored.c_str()};
  char* json = nullptr;
  BOOST_REQUIRE(spuna_evaluate_files(scored_paths, 1, "shifted", "spuna_score", nullptr, &json,
                                     &error) == SPUNA_OK);
  BOOST_TEST(std::string(json).find("\"rows\":600") != std::string::npos);
  spuna_string_free(json);
}

BOOST_AUTO_TEST_CASE(skipped_files_are_told) {
  test::WriteParquet(directory / "lake/a.parquet", *pool_table);
  std::ofstream(directory / "lake/b.parquet") << "no Parquet";
  const std::string trusted_path = directory / "trusted.parquet";
  const std::string lake = directory / "lake";
  const char* trusted_paths[] = {trusted_path.c_str()};
  const char* paths[] = {lake.c_str()};
  for (const bool has_bad_file : {true, false}) {
    if (!has_bad_file) std::filesystem::remove(directory / "lake/b.parquet");
    spuna_model* model = nullptr;
    char* skipped = nullptr;
    BOOST_REQUIRE(spuna_fit_files(trusted_paths, 1, paths, 1, R"({"on_bad_file": "skip"})", nullptr,
                                  &model, &skipped, &error) == SPUNA_OK);
    const std::string by_fit = skipped;
    spuna_string_free(skipped);
    const ModelHandle held(model, &spuna_model_free);
    ArrowArrayStream rows;
    BOOST_REQUIRE(spuna_score_files(model, paths, 1, R"({"on_bad_file": "skip"})", &rows, &skipped,
                                    &error) == SPUNA_OK);
    BOOST_TEST(Import(&rows)->num_rows() == pool_table->num_rows());
    BOOST_TEST(std::string(skipped) == by_fit);
    spuna_string_free(skipped);
    BOOST_TEST((by_fit == "[]") == !has_bad_file);
    BOOST_TEST((by_fit.find("b.parquet\",\"reason\":\"") != std::string::npos) == has_bad_file);
  }
}

BOOST_AUTO_TEST_CASE(an_output_within_an_input_is_refused) {
  test::WriteParquet(directory / "lake/a.parquet", *pool_table);
  const std::string lake = directory / "lake";
  const std::string inside = directory / "lake/a.parquet";
  const char* paths[] = {lake.c_str()};
  BOOST_TEST(spuna_check_output(inside.c_str(), "report", paths, 1, "pool", &error) == SPUNA_IO);
  BOOST_TEST(std::string(error.message) ==
             "`report`: " + inside +
                 ": this lies within what `pool` names; choose a place outside it");
  const std::string outside = directory / "a.html";
  BOOST_TEST(spuna_check_output(outside.c_str(), "report", paths, 1, "pool", &error) == SPUNA_OK);
  BOOST_TEST(spuna_check_output(nullptr, "report", paths, 1, "pool", &error) == SPUNA_INVALID);
  BOOST_TEST(std::string(error.message) == "`path` must not be NULL");
}

BOOST_AUTO_TEST_CASE(two_columns_of_one_name_are_refused) {
  const auto field = pool_table->schema()->field(1)->WithName("vector");
  pool_table = arrow::Table::Make(arrow::schema({arrow::field("vector", arrow::int64()), field}),
                                  {pool_table->column(0), pool_table->column(1)});
  ArrowArrayStream trusted_stream = Export(*trusted_table);
  ArrowArrayStream pool_stream = Export(*pool_table);
  spuna_model* model = nullptr;
  BOOST_TEST(spuna_fit(&trusted_stream, &pool_stream, kCallOptions, nullptr, &model, &error) ==
             SPUNA_INVALID);
  BOOST_TEST(std::string(error.message) ==
             "the stream of pool rows: 2 columns are called 'vector'; rename all but one");
}

BOOST_AUTO_TEST_CASE(a_matrix_is_lent_and_given_back_once) {
  int released = 0;
  auto release = [](void* counter) { ++*static_cast<int*>(counter); };
  ArrowArrayStream stream;
  BOOST_REQUIRE(spuna_matrix_stream(pool.values.data(), 300, test::kDimension, release, &released,
                                    &stream, &error) == SPUNA_OK);
  {
    const auto table = Import(&stream);
    BOOST_TEST(
        table->GetColumnByName("embedding")->Equals(pool_table->GetColumnByName("embedding")));
    BOOST_TEST(released == 0);
  }
  BOOST_TEST(released == 1);
  BOOST_TEST(spuna_matrix_stream(nullptr, 3, 2, release, &released, &stream, &error) ==
             SPUNA_INVALID);
  BOOST_TEST(released == 2);
  BOOST_TEST(std::string(error.message) == "expected a matrix but found 3 rows of dimension 2");
}

BOOST_AUTO_TEST_CASE(an_error_of_the_incoming_stream_comes_through) {
  const ModelHandle model = FitModel();
  auto broken = arrow::RecordBatchReader::MakeFromIterator(
      arrow::MakeErrorIterator<std::shared_ptr<arrow::RecordBatch>>(
          arrow::Status::IOError("the source is broken")),
      pool_table->schema());
  ArrowArrayStream input;
  test::Require(arrow::ExportRecordBatchReader(test::Get(std::move(broken)), &input));
  ArrowArrayStream scored;
  BOOST_REQUIRE(spuna_score_stream(model.get(), &input, nullptr, &scored, &error) == SPUNA_OK);
  const auto reader = test::Get(arrow::ImportRecordBatchReader(&scored));
  const std::string message = reader->ToTable().status().message();
  BOOST_TEST(message.find("the source is broken") != std::string::npos, message);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
