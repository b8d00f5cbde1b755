#include "arrow_io/range_copy.h"

#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/parquet_files.h"
#include "tests/support/temp_directory.h"

namespace spuna::arrow_io {
namespace {

using test::Get;
using test::Require;

// More than is copied at a time.
std::string Bytes(std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes.push_back(static_cast<char>(i * 31 + i / 251));
  return bytes;
}

const std::vector<ByteRange> kRanges{{5, 6'000'000}, {7'000'000, 0}, {100, 3}};

std::string Expected(const std::string& bytes) {
  return "head" + bytes.substr(5, 6'000'000) + bytes.substr(100, 3) + "tail";
}

std::string Copy(arrow::io::RandomAccessFile& from, const std::string& path) {
  const auto to = Get(arrow::io::FileOutputStream::Open(path));
  Require(to->Write("head"));
  RangeCopy copy = Get(RangeCopy::Make(kRanges, from, *to));
  BOOST_TEST(copy.size() == 6'000'003);
  BOOST_TEST(copy.MovedBy(0) == -1);
  BOOST_TEST(copy.MovedBy(2) == 4 + 6'000'000 - 100);
  for (const std::int64_t end : {0, 17, 17, 5'999'999, 6'000'001, 6'000'003, 7'000'000}) {
    Require(copy.CopyUntil(end));
    BOOST_TEST(Get(to->Tell()) == 4 + std::min<std::int64_t>(end, 6'000'003));
  }
  BOOST_TEST(!copy.InputFailed());
  Require(to->Write("tail"));
  Require(to->Close());
  return test::ReadFile(path);
}

BOOST_AUTO_TEST_SUITE(range_copy)

BOOST_AUTO_TEST_CASE(ranges_of_a_file_and_of_memory_are_copied_alike) {
  const test::TempDirectory directory;
  const std::string bytes = Bytes(8'000'000);
  test::WriteFile(directory / "from", bytes);
  const auto file = Get(arrow::io::ReadableFile::Open(directory / "from"));
  BOOST_TEST((Copy(*file, directory / "to") == Expected(bytes)));
  arrow::io::BufferReader memory(arrow::Buffer::FromString(bytes));
  BOOST_TEST((Copy(memory, directory / "to") == Expected(bytes)));
}

BOOST_AUTO_TEST_CASE(it_is_told_which_file_failed) {
  const test::TempDirectory directory;
  test::WriteFile(directory / "from", Bytes(1000));
  const auto from = Get(arrow::io::ReadableFile::Open(directory / "from"));
  {
    const auto to = Get(arrow::io::FileOutputStream::Open(directory / "to"));
    RangeCopy copy = Get(RangeCopy::Make({{500, 500}}, *from, *to));
    Require(copy.CopyUntil(100));
    std::filesystem::resize_file(directory / "from", 700);
    const arrow::Status shorter = copy.CopyUntil(500);
    BOOST_TEST(shorter.message() == "the file it is copied from has become shorter");
    BOOST_TEST(copy.InputFailed());
  }
  // No room is ever left there.
  const auto full = Get(arrow::io::FileOutputStream::Open("/dev/full"));
  RangeCopy copy = Get(RangeCopy::Make({{0, 500}}, *from, *full));
  BOOST_TEST(!copy.CopyUntil(500).ok());
  BOOST_TEST(!copy.InputFailed());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::arrow_io
