#include <arrow/api.h>
#include <arrow/c/bridge.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <thread>

#include "plugin/c/spuna.h"
#include "tests/support/files_example.h"
#include "tests/support/parquet_files.h"
#include "tests/support/program.h"

namespace spuna {
namespace {

constexpr const char* kOptions =
    R"({"recipe": "paper", "alpha": 10, "k": 20, "hidden": 16, "epochs": 3, "threads": 2})";

using ModelHandle = std::unique_ptr<spuna_model, decltype(&spuna_model_free)>;

// A stream over a table in batches of the given size.
ArrowArrayStream Export(const arrow::Table& table, std::int64_t rows_per_batch = 90) {
  auto reader = std::make_shared<arrow::TableBatchReader>(table.Slice(0));
  reader->set_chunksize(rows_per_batch);
  ArrowArrayStream stream;
  test::Require(arrow::ExportRecordBatchReader(reader, &stream));
  return stream;
}

std::shared_ptr<arrow::Table> Import(ArrowArrayStream* stream) {
  auto reader = test::Get(arrow::ImportRecordBatchReader(stream));
  return test::Get(test::Get(reader->ToTable())->CombineChunks());
}

struct Example : test::FilesExample {
  std::shared_ptr<arrow::Table> trusted_table = test::EmbeddingTable(trusted);
  std::shared_ptr<arrow::Table> pool_table = test::EmbeddingTable(pool);
  spuna_error error{};

  ModelHandle FitModel(const char* options = kOptions) {
    ArrowArrayStream trusted_stream = Export(*trusted_table);
    ArrowArrayStream pool_stream = Export(*pool_table);
    spuna_model* model = nullptr;
    const spuna_code code =
        spuna_fit(&trusted_stream, &pool_stream, options, nullptr, &model, &error);
    BOOST_REQUIRE_MESSAGE(code == SPUNA_OK, error.message);
    BOOST_TEST((trusted_stream.release == nullptr && pool_stream.release == nullptr));
    return {model, spuna_model_free};
  }

  std::shared_ptr<arrow::Table> CleanedByTheCommand() {
    CleanJob job = Clean("cleaned.parquet");
    job.fit.overwrite = true;
    test::Require(Run(job, test::Threads(2)).status());
    return test::Get(test::ReadParquet(job.output)->CombineChunks());
  }
};

BOOST_FIXTURE_TEST_SUITE(c_interface, Example)

BOOST_AUTO_TEST_CASE(it_says_its_version) {
  BOOST_TEST(std::string(spuna_version()) == SpunaVersion());
  BOOST_TEST(spuna_abi_version() == SPUNA_ABI_VERSION);
}

BOOST_AUTO_TEST_CASE(only_the_c_functions_are_exported) {
  const auto symbols = test::RunProgram("/usr/bin/nm", {"-D", "--defined-only", SPUNA_C_LIBRARY});
  std::istringstream lines(symbols.out);
  std::string line;
  int count = 0;
  while (std::getline(lines, line)) {
    const std::string name = line.substr(line.rfind(' ') + 1);
    BOOST_TEST(name.starts_with("spuna_"), name);
    ++count;
  }
  BOOST_TEST(count == 35);
}

BOOST_AUTO_TEST_CASE(a_fitted_model_is_that_of_the_command) {
  const ModelHandle model = FitModel();
  BOOST_TEST(spuna_model_save(model.get(), (directory / "by_c").c_str(), 0, &error) == SPUNA_OK);
  test::Require(Run(Fit("by_command"), test::Threads(1)).status());
  BOOST_TEST(test::ReadFile(directory / "by_c") == test::ReadFile(directory / "by_command"));

  BOOST_TEST(spuna_model_save(model.get(), (directory / "by_c").c_str(), 0, &error) != SPUNA_OK);
  BOOST_TEST(std::string(error.message).find("exists") != std::string::npos, error.message);
  BOOST_TEST(spuna_model_save(model.get(), (directory / "by_c").c_str(), 1, &error) == SPUNA_OK);

  char* bytes = nullptr;
  std::size_t size = 0;
  BOOST_TEST(spuna_model_serialize(model.get(), &bytes, &size, &error) == SPUNA_OK);
  BOOST_TEST((std::string(bytes, size) == test::ReadFile(directory / "by_command")));
  spuna_model* parsed = nullptr;
  BOOST_TEST(spuna_model_parse(bytes, size, &parsed, &error) == SPUNA_OK);
  spuna_model_free(parsed);
  BOOST_TEST(spuna_model_parse(bytes, size / 2, &parsed, &error) == SPUNA_INVALID);
  spuna_string_free(bytes);

  char* described = nullptr;
  BOOST_TEST(spuna_model_describe(model.get(), &described, &error) == SPUNA_OK);
  BOOST_TEST(std::string(described).find("\"rows_pool\":300") != std::string::npos);
  spuna_string_free(described);
}

BOOST_AUTO_TEST_CASE(the_same_batches_give_the_bits_of_the_command) {
  const auto expected = CleanedByTheCommand();
  const ModelHandle model = FitModel();
  ArrowArrayStream input = Export(*pool_table);
  ArrowArrayStream scored;
  BOOST_REQUIRE(spuna_score_stream(model.get(), &input, nullptr, &scored, &error) == SPUNA_OK);
  BOOST_TEST(Import(&scored)->Equals(*expected));

  ArrowArrayStream trusted_stream = Export(*trusted_table);
  ArrowArrayStream pool_stream = Export(*pool_table);
  ArrowArrayStream cleaned;
  spuna_model* fitted = nullptr;
  BOOST_REQUIRE(spuna_clean_stream(&trusted_stream, &pool_stream, kOptions, nullptr, &cleaned,
                                   &fitted, &error) == SPUNA_OK);
  // The stream holds on to the model.
  spuna_model_free(fitted);
  BOOST_TEST(Import(&cleaned)->Equals(*expected));
}

BOOST_AUTO_TEST_CASE(dropping_leaves_the_kept_rows) {
  const ModelHandle model = FitModel();
  ArrowArrayStream input = Export(*pool_table, 7);
  ArrowArrayStream scored;
  BOOST_REQUIRE(spuna_score_stream(model.get(), &input, R"({"drop": true, "prefix": "my_"})",
                                   &scored, &error) == SPUNA_OK);
  const auto kept = Import(&scored);
  BOOST_TEST((kept->num_rows() > 50 && kept->num_rows() < 250));
  for (const float score : test::Scores(*kept, "my_score")) BOOST_TEST(score < 0.5F);
}

BOOST_AUTO_TEST_CASE(a_stream_outlives_its_model_and_may_be_left_unread) {
  ArrowArrayStream scored;
  {
    const ModelHandle model = FitModel();
    ArrowArrayStream input = Export(*pool_table);
    BOOST_REQUIRE(spuna_score_stream(model.get(), &input, nullptr, &scored, &error) == SPUNA_OK);
  }
  BOOST_TEST(Import(&scored)->num_rows() == 300);
  const ModelHandle model = FitModel();
  ArrowArrayStream input = Export(*pool_table);
  BOOST_REQUIRE(spuna_score_stream(model.get(), &input, nullptr, &scored, &error) == SPUNA_OK);
  scored.release(&scored);
}

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
             "options: expected `only_embedding` (true or false) and `embedding` (a text) but "
             "found `columns`: 1");

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
  const auto reader = test::Get(arrow::ImportRecordBatchReader(&rows));
  const std::string message = reader->ToTable().status().message();
  BOOST_TEST(message.find("expected the columns of") != std::string::npos, message);
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
  BOOST_REQUIRE(spuna_fit_files(trusted_paths, 1, pool_paths, 1, kOptions, nullptr, &model,
                                &error) == SPUNA_OK);
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

BOOST_AUTO_TEST_CASE(a_clean_can_be_checked_before_it_runs) {
  ArrowArrayStream rows = Export(*CleanedByTheCommand());
  BOOST_TEST(spuna_check_clean(&rows, nullptr, &error) == SPUNA_INVALID);
  BOOST_TEST(std::string(error.message) ==
             "the stream of pool rows: there is a column 'spuna_score' already; choose other names "
             "with `prefix`");
  BOOST_TEST(rows.release == nullptr);
  BOOST_TEST(spuna_check_clean(nullptr, R"({"drop": "yes"})", &error) == SPUNA_INVALID);
  BOOST_TEST(std::string(error.message) == "`drop`: expected true or false but found \"yes\"");
  BOOST_TEST(spuna_check_clean(nullptr, R"({"drop": true})", &error) == SPUNA_OK);
  BOOST_TEST(spuna_check_score(R"({"alpha": 1})", &error) == SPUNA_INVALID);
  BOOST_TEST(spuna_check_clean(nullptr, R"({"batch_size": 0})", &error) == SPUNA_INVALID);
  BOOST_TEST(std::string(error.message) ==
             "`batch_size` must be between 1 and 1000000000, but is 0");
}

BOOST_AUTO_TEST_CASE(two_columns_of_one_name_are_refused) {
  const auto field = pool_table->schema()->field(1)->WithName("vector");
  pool_table = arrow::Table::Make(arrow::schema({arrow::field("vector", arrow::int64()), field}),
                                  {pool_table->column(0), pool_table->column(1)});
  ArrowArrayStream trusted_stream = Export(*trusted_table);
  ArrowArrayStream pool_stream = Export(*pool_table);
  spuna_model* model = nullptr;
  BOOST_TEST(spuna_fit(&trusted_stream, &pool_stream, kOptions, nullptr, &model, &error) ==
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

BOOST_AUTO_TEST_CASE(what_is_wrong_is_said_and_the_streams_are_released) {
  spuna_model* model = nullptr;
  auto refuse = [&](const char* options) {
    ArrowArrayStream trusted_stream = Export(*trusted_table);
    ArrowArrayStream pool_stream = Export(*pool_table);
    const spuna_code code =
        spuna_fit(&trusted_stream, &pool_stream, options, nullptr, &model, &error);
    BOOST_TEST((trusted_stream.release == nullptr && pool_stream.release == nullptr));
    BOOST_TEST(code == SPUNA_INVALID);
    return std::string(error.message);
  };
  BOOST_TEST(refuse("{\"alpa\": 1}") ==
             "there is no option `alpa`; did you mean `alpha`? the options are alpha, batch_size, "
             "beta, calibration, "
             "calibration_rows, discriminant, embedding, epochs, epsilon, fit_rows, fit_sample, "
             "hidden, invalid, k, keep_banks, keep_share, learning_rate, max_clean_loss, "
             "max_false_drops, metric, neighbors, on_stop, recipe, seed, seeds, sides, stratify, "
             "targets, threads, threshold");
  BOOST_TEST(refuse("{\"k\": \"ten\"}") == "`k`: expected a whole number but found \"ten\"");
  BOOST_TEST(refuse("{\"on_stop\": \"go\"}") ==
             "`on_stop`: expected one of 'keep', 'rollback' but found \"go\"");
  BOOST_TEST(refuse("{\"threads\": 0}") == "`threads` must be between 1 and 64, but is 0");
  BOOST_TEST(refuse("[]") == "options: expected a JSON object");
  BOOST_TEST(refuse("{").starts_with("options: expected a JSON object: "));
  BOOST_TEST(refuse("{\"embedding\": \"vector\"}")
                 .starts_with("the stream of trusted rows: there is no column 'vector'"));

  ArrowArrayStream pool_stream = Export(*pool_table);
  BOOST_TEST(spuna_fit(nullptr, &pool_stream, nullptr, nullptr, &model, &error) == SPUNA_INVALID);
  BOOST_TEST(std::string(error.message) ==
             "`trusted`: expected a stream but found NULL or a released one");
  BOOST_TEST(pool_stream.release == nullptr);
  BOOST_TEST(spuna_model_load((directory / "none").c_str(), &model, nullptr) == SPUNA_IO);
  BOOST_TEST(spuna_model_load(nullptr, &model, &error) == SPUNA_INVALID);
  BOOST_TEST(std::string(error.message) == "`path` must not be NULL");
}

BOOST_AUTO_TEST_CASE(a_long_message_is_cut_between_characters) {
  std::string path = directory / "";
  while (path.size() < 6000) path += "ä";
  spuna_model* model = nullptr;
  BOOST_TEST(spuna_model_load(path.c_str(), &model, &error) != SPUNA_OK);
  const std::string message = error.message;
  BOOST_TEST(message.size() >= 4090U);
  BOOST_TEST(message.size() < 4096U);
  BOOST_TEST((message.back() == "ä"[1]));
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

BOOST_AUTO_TEST_CASE(callbacks_are_told_and_can_stop) {
  struct Listener {
    std::atomic<bool> stop{false};
    std::vector<std::string> stages;
  } listener;
  spuna_callbacks callbacks{};
  callbacks.context = &listener;
  callbacks.should_stop = [](void* context) -> int {
    return static_cast<Listener*>(context)->stop;
  };
  callbacks.on_progress = [](void* context, const char* stage, double) {
    auto& to = *static_cast<Listener*>(context);
    if (to.stages.empty() || to.stages.back() != stage) to.stages.emplace_back(stage);
    if (std::string(stage) == "distill") to.stop = true;
  };
  ArrowArrayStream trusted_stream = Export(*trusted_table);
  ArrowArrayStream pool_stream = Export(*pool_table);
  spuna_model* model = nullptr;
  BOOST_TEST(spuna_fit(&trusted_stream, &pool_stream, R"({"recipe": "paper", "epochs": 1000000})",
                       &callbacks, &model, &error) == SPUNA_CANCELLED);
  BOOST_TEST(std::string(error.message) == "interrupted");
  BOOST_TEST((listener.stages.front() == "read" && listener.stages.back() == "distill"));
}

BOOST_AUTO_TEST_CASE(one_model_serves_several_threads) {
  const ModelHandle model = FitModel();
  const auto expected = CleanedByTheCommand();
  std::atomic<int> equal{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      ArrowArrayStream input = Export(*pool_table);
      ArrowArrayStream scored;
      spuna_error local{};
      if (spuna_score_stream(model.get(), &input, nullptr, &scored, &local) != SPUNA_OK) return;
      equal += Import(&scored)->Equals(*expected) ? 1 : 0;
    });
  }
  threads.clear();
  BOOST_TEST(equal == 4);
}

BOOST_AUTO_TEST_CASE(the_example_in_c_keeps_what_the_command_keeps) {
  const std::filesystem::path sample =
      std::filesystem::path(SPUNA_SOURCE_DIR) / "examples/quickstart";
  const auto example = test::RunProgram(
      SPUNA_C_EXAMPLE,
      {sample / "trusted.parquet", sample / "pool.parquet", directory / "example.safetensors"});
  BOOST_REQUIRE_MESSAGE(example.exit_code == 0, example.err);
  CleanJob job;
  job.fit.trusted = {sample / "trusted.parquet"};
  job.fit.pool = {sample / "pool.parquet"};
  job.fit.model = directory / "command.safetensors";
  job.output = directory / "cleaned.parquet";
  const auto report = test::Get(Run(job, test::Threads(2)));
  BOOST_TEST(example.out ==
             "keep " + std::to_string(report.score->counts.kept) + " of 1500 rows\n");
  BOOST_TEST((test::ReadFile(directory / "example.safetensors") == test::ReadFile(*job.fit.model)));
  const auto missing = test::RunProgram(SPUNA_C_EXAMPLE, {"/nowhere", "/nowhere", "/nowhere"});
  BOOST_TEST(missing.exit_code == 1);
  BOOST_TEST(missing.err.starts_with("clean_in_c: "), missing.err);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
