#include "pipelines/run/runtime.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <functional>
#include <string>

#include "pipelines/run/system_memory.h"

namespace spuna {
namespace {

// What `work` returns in a process of its own, whose limit leaves it so many bytes of addresses.
std::string InSmallProcess(double free_bytes, const std::function<std::string()>& work) {
  int ends[2];
  BOOST_REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    // A hang would be the failure: it ends as one.
    alarm(20);
    rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = 1UL << 40;
    setrlimit(RLIMIT_AS, &limit);
    const double used = static_cast<double>(limit.rlim_cur) - FreeAddressSpace();
    limit.rlim_cur = static_cast<rlim_t>(used + free_bytes);
    setrlimit(RLIMIT_AS, &limit);
    const std::string text = work();
    const bool is_written =
        write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(is_written ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char part[256];
  for (ssize_t size = 0; (size = read(ends[0], part, sizeof(part))) > 0;) {
    text.append(part, static_cast<std::size_t>(size));
  }
  close(ends[0]);
  int status = 0;
  BOOST_REQUIRE(waitpid(child, &status, 0) == child);
  BOOST_TEST(status == 0);
  return text;
}

constexpr double kMegabyte = 1 << 20;

BOOST_AUTO_TEST_SUITE(runtime)

BOOST_AUTO_TEST_CASE(threads_without_room_for_their_products_are_an_error_with_numbers) {
  const std::string message =
      InSmallProcess(700 * kMegabyte, [] { return ReserveForThreads(20).message(); });
  BOOST_TEST(message.starts_with(
      "expected 2560 MB of address space for 20 threads, but its limit (`ulimit -v`) leaves it "));
  BOOST_TEST(message.ends_with(" MB; raise the limit or use fewer `--threads`"));
}

BOOST_AUTO_TEST_CASE(a_thread_alone_is_not_asked_to_be_fewer) {
  const std::string message =
      InSmallProcess(60 * kMegabyte, [] { return ReserveForThreads(1).message(); });
  BOOST_TEST(message.starts_with("expected 128 MB of address space for 1 thread, but"));
  BOOST_TEST(message.ends_with(" MB; raise the limit"));
}

BOOST_AUTO_TEST_CASE(what_is_reserved_stays_reserved) {
  const std::string said = InSmallProcess(700 * kMegabyte, [] {
    const bool four = ReserveForThreads(4).ok();
    // No room for two more, but for those that are there.
    const bool six = ReserveForThreads(6).ok();
    return std::string() + (four ? "4" : "-") + (six ? "6" : "-") +
           (ReserveForThreads(3).ok() ? "3" : "-");
  });
  BOOST_TEST(said == "4-3");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
