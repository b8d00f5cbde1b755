#include "arrow_io/block_cache.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <random>
#include <thread>
#include <vector>

#include "tests/support/parquet_files.h"

namespace spuna::arrow_io {
namespace {

using test::Get;

// Counts requests, and fails as often as it is told.
class Store : public arrow::io::RandomAccessFile {
 public:
  explicit Store(const std::string& bytes) : bytes_(bytes) {}

  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(std::int64_t position,
                                                       std::int64_t num_bytes) override {
    ++requests;
    if (failures.fetch_sub(1) > 0) return arrow::Status::IOError("the connection is gone");
    return arrow::Buffer::FromString(
        bytes_.substr(static_cast<std::size_t>(position), static_cast<std::size_t>(num_bytes)));
  }
  arrow::Status Close() override { return arrow::Status::OK(); }
  bool closed() const override { return false; }
  arrow::Result<std::int64_t> Tell() const override { return 0; }
  arrow::Status Seek(std::int64_t) override { return arrow::Status::OK(); }
  arrow::Result<std::int64_t> GetSize() override {
    return static_cast<std::int64_t>(bytes_.size());
  }
  arrow::Result<std::int64_t> Read(std::int64_t, void*) override { return 0; }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t num_bytes) override {
    return ReadAt(0, num_bytes);
  }

  std::atomic<int> requests = 0;
  std::atomic<int> failures = 0;

 private:
  const std::string& bytes_;
};

struct Example {
  static constexpr std::int64_t kSize = (21 << 20) + 12'345;

  std::string bytes = MakeBytes();
  std::shared_ptr<Store> store = std::make_shared<Store>(bytes);
  std::shared_ptr<arrow::io::RandomAccessFile> file = CacheBlocks(store, kSize);

  static std::string MakeBytes() {
    std::mt19937 random(1);
    std::string bytes(kSize, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    return bytes;
  }

  bool Reads(std::int64_t position, std::int64_t num_bytes) const {
    const auto buffer = Get(file->ReadAt(position, num_bytes));
    return buffer->ToString() ==
           bytes.substr(static_cast<std::size_t>(position), static_cast<std::size_t>(num_bytes));
  }
};

BOOST_AUTO_TEST_SUITE(block_cache)

BOOST_AUTO_TEST_CASE(any_stretch_is_what_the_file_holds) {
  const Example example;
  BOOST_TEST(example.Reads(0, 1));
  BOOST_TEST(example.Reads((4 << 20) - 3, 7));
  BOOST_TEST(example.Reads(5, 9 << 20));
  BOOST_TEST(example.Reads(0, Example::kSize));
  BOOST_TEST(Get(example.file->ReadAt(Example::kSize - 2, 100))->size() == 2);
  BOOST_TEST(Get(example.file->ReadAt(Example::kSize, 1))->size() == 0);
  BOOST_TEST(Get(example.file->GetSize()) == Example::kSize);
}

BOOST_AUTO_TEST_CASE(small_reads_share_a_request) {
  const Example example;
  for (int i = 0; i < 1000; ++i) BOOST_TEST(example.Reads(i * 4000, 4000));
  BOOST_TEST(example.store->requests == 1);
}

BOOST_AUTO_TEST_CASE(a_request_that_failed_is_an_error_and_can_be_repeated) {
  const Example example;
  example.store->failures = 1;
  BOOST_TEST(example.file->ReadAt(0, 10).status().IsIOError());
  BOOST_TEST(example.Reads(0, 10));
}

BOOST_AUTO_TEST_CASE(threads_read_at_the_same_time) {
  const Example example;
  example.store->failures = 3;
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 200; ++i) {
        const std::int64_t position = random() % Example::kSize;
        const std::int64_t size =
            std::min<std::int64_t>(random() % 9'000'000, Example::kSize - position);
        const auto read = example.file->ReadAt(position, size);
        if (!read.ok()) continue;
        wrong += (*read)->ToString() != example.bytes.substr(static_cast<std::size_t>(position),
                                                             static_cast<std::size_t>(size));
      }
    });
  }
  threads.clear();
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::arrow_io
