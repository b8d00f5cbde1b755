// `spuna score --input - --out -`: an Arrow IPC stream through a pipe.
#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <string>

#include "tests/support/files_example.h"
#include "tests/support/parquet_files.h"
#include "tests/support/program.h"

namespace spuna {
namespace {

using test::ProgramResult;
using test::RunSpuna;

std::shared_ptr<arrow::Table> ReadIpc(const std::string& bytes) {
  const auto reader = test::Get(arrow::ipc::RecordBatchStreamReader::Open(
      std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes))));
  return test::Get(test::Get(reader->ToTable())->CombineChunks());
}

struct Example : test::FilesExample {
  std::string model = directory / "model";
  std::shared_ptr<arrow::Table> scored;

  Example() {
    test::Require(Run(Fit("model"), test::Threads(1)).status());
    ScoreJob job;
    job.model = model;
    job.input = {directory / "pool.parquet"};
    job.output = directory / "scored.parquet";
    test::Require(Run(job, test::Threads(1)).status());
    scored = test::Get(test::ReadParquet(job.output)->CombineChunks());
  }

  // Writes the pool as an IPC stream in batches as large as the row groups of pool.parquet.
  std::string IpcFile() const {
    const auto out = test::Get(arrow::io::BufferOutputStream::Create());
    const auto table = test::EmbeddingTable(pool);
    const auto writer = test::Get(arrow::ipc::MakeStreamWriter(out, table->schema()));
    test::Require(writer->WriteTable(*table, 90));
    test::Require(writer->Close());
    test::WriteFile(directory / "pool.arrows", test::Get(out->Finish())->ToString());
    return directory / "pool.arrows";
  }

  ProgramResult Score(const std::vector<std::string>& more, const std::string& input = "") const {
    std::vector<std::string> arguments = {"score", "--model", model};
    arguments.insert(arguments.end(), more.begin(), more.end());
    test::ProgramSettings settings;
    settings.input = input;
    return RunSpuna(arguments, settings);
  }
};

BOOST_FIXTURE_TEST_SUITE(standard_streams, Example)

BOOST_AUTO_TEST_CASE(a_pipe_gives_the_bits_of_the_files) {
  const ProgramResult piped = Score({"--input", "-", "--out", "-"}, IpcFile());
  BOOST_TEST(piped.exit_code == 0);
  BOOST_TEST(ReadIpc(piped.out)->Equals(*scored));
  BOOST_TEST(piped.err.find("rows in       300") != std::string::npos, piped.err);
}

BOOST_AUTO_TEST_CASE(files_can_go_into_a_pipe) {
  const ProgramResult piped =
      Score({"--input", directory / "pool.parquet", "--out", "-", "--quiet"});
  BOOST_TEST(piped.exit_code == 0);
  BOOST_TEST(ReadIpc(piped.out)->Equals(*scored));
  BOOST_TEST(piped.err.empty(), piped.err);
}

BOOST_AUTO_TEST_CASE(the_json_goes_to_standard_error) {
  const ProgramResult piped = Score({"--input", "-", "--out", "-", "--json", "--quiet"}, IpcFile());
  BOOST_TEST(ReadIpc(piped.out)->num_rows() == 300);
  BOOST_TEST(piped.err.find("\"rows_in\": 300") != std::string::npos, piped.err);
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_an_error) {
  test::ProgramSettings settings;
  settings.max_file_bytes = 1000;
  settings.ignored_signal = SIGXFSZ;
  const ProgramResult piped = RunSpuna(
      {"score", "--model", model, "--input", directory / "pool.parquet", "--out", "-"}, settings);
  BOOST_TEST(piped.exit_code == 1);
  BOOST_TEST(
      piped.err.find("standard output can't be written: File too large") != std::string::npos,
      piped.err);
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_said) {
  auto check = [](const ProgramResult& result, int exit_code, const std::string& text) {
    BOOST_TEST(result.exit_code == exit_code);
    BOOST_TEST(result.err.find(text) != std::string::npos, result.err);
  };
  check(Score({"--input", "-", "--out", directory / "x.parquet"}, IpcFile()), 1,
        "`input`: '-', an Arrow IPC stream on standard input, needs '-' as `out`");
  check(Score({"--input", "-", "--out", "-"}, directory / "pool.parquet"), 1,
        "standard input: expected an Arrow IPC stream: ");
  check(Score({"--input", "-", "--out", "-"}, "/dev/null"), 1,
        "standard input: expected an Arrow IPC stream: ");
  const std::string whole = test::ReadFile(IpcFile());
  test::WriteFile(directory / "cut.arrows", whole.substr(0, whole.size() / 2));
  check(Score({"--input", "-", "--out", "-"}, directory / "cut.arrows"), 1,
        "standard input: expected an Arrow IPC stream: ");
  check(RunSpuna({"clean", "--trusted", directory / "trusted.parquet", "--pool",
                  directory / "pool.parquet", "--out", "-"}),
        2, "`out`: '-', standard output, is for `score`; a file of that name is ./-");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
