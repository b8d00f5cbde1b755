#include "pipelines/source/bad_files.h"

#include <arrow/filesystem/mockfs.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "pipelines/run/exception_status.h"
#include "pipelines/source/retries.h"

namespace spuna {
namespace {

using arrow::Status;

arrow_io::InputFile FileOf(const std::string& path) {
  arrow_io::InputFile file;
  file.name = "lake/" + path;
  file.relative_path = path;
  return file;
}

Status Failed(const std::string& what, FailureKind kind) {
  return WithKind(Status::IOError(what), kind);
}

BOOST_AUTO_TEST_SUITE(bad_files)

BOOST_AUTO_TEST_CASE(what_is_skipped) {
  BadFiles skips(OnBadFile::kSkip);
  BOOST_TEST(skips.Take(FileOf("no kind"), Status::Invalid("no magic")).ok());
  BOOST_TEST(skips.Take(FileOf("corrupt"), Failed("bad", FailureKind::kCorrupt)).ok());
  BOOST_TEST(skips.Take(FileOf("refused"), Failed("403", FailureKind::kNotAllowed)).ok());
  BOOST_TEST(skips.Take(FileOf("fine"), Status::OK()).ok());
  BOOST_TEST(!skips.Take(FileOf("busy"), Failed("503", FailureKind::kMayPass)).ok());
  BOOST_TEST(skips.Take(FileOf("stopped"), Status::Cancelled("stop")).IsCancelled());
  BOOST_TEST(skips.Take(FileOf("large"), Status::OutOfMemory("full")).IsOutOfMemory());
  const SkippedFiles skipped = skips.skipped();
  BOOST_TEST(skipped.size() == 3U);
  BOOST_TEST((skipped.at("no kind").kind == FailureKind::kCorrupt));
  BOOST_TEST((skipped.at("refused").kind == FailureKind::kNotAllowed));
  BOOST_TEST(skipped.at("refused").reason == "403");
}

BOOST_AUTO_TEST_CASE(nothing_is_skipped_unless_asked_for) {
  BadFiles errors(OnBadFile::kError);
  const Status busy = errors.Take(FileOf("busy"), Failed("503", FailureKind::kMayPass));
  BOOST_TEST((KindOf(busy) == FailureKind::kMayPass));
  BOOST_TEST(errors.Take(FileOf("corrupt"), Status::Invalid("no magic")).IsInvalid());
  BOOST_TEST(errors.skipped().empty());
}

BOOST_AUTO_TEST_CASE(more_than_allowed_are_counted_together) {
  std::vector<arrow_io::InputFile> files;
  std::vector<Status> errors;
  for (const std::string name : {"a", "b", "c", "d", "e", "f"}) {
    files.push_back(FileOf(name));
    errors.push_back(name == "f" ? Status::OK() : Status::Invalid(name, " has no magic"));
  }
  BadFiles enough(OnBadFile::kSkip, 5);
  BOOST_TEST(enough.TakeAll(files, errors).ok());
  BOOST_TEST(enough.skipped().size() == 5U);
  // Another survey meets the same files.
  BOOST_TEST(enough.TakeAll(files, errors).ok());
  BOOST_TEST(enough.skipped().size() == 5U);
  BadFiles few(OnBadFile::kSkip, 4);
  const Status refused = few.TakeAll(files, errors);
  BOOST_TEST(refused.message() ==
             "`max-bad-files` allows 4 files that can't be read but found 5; a has no magic; b has "
             "no magic; c has no magic; and 2 more");
  BOOST_TEST(!KindOf(refused).has_value());
  BadFiles none(OnBadFile::kSkip, 0);
  BOOST_TEST(none.Take(files[5], errors[5]).ok());
  BOOST_TEST(none.Take(files[0], errors[0]).message() ==
             "`max-bad-files` allows 0 files that can't be read but found 1; a has no magic");
  BOOST_TEST(none.skipped().empty());
}

// How often work that fails so is done, and how it ends.
struct Tries {
  int number = 0;
  Status status;

  Tries(const arrow_io::InputFile& file, const std::vector<Status>& ends,
        const Runtime& runtime = {}) {
    status = RetryMayPass(runtime, file, [&] {
      const std::size_t now = std::min(static_cast<std::size_t>(number++), ends.size() - 1);
      return ends[now];
    });
  }
};

BOOST_AUTO_TEST_CASE(what_may_pass_is_tried_again) {
  const arrow_io::InputFile local = FileOf("a");
  const Status busy = Failed("busy", FailureKind::kMayPass);
  BOOST_TEST(Tries(local, {Status::OK()}).number == 1);
  BOOST_TEST(Tries(local, {Status::Invalid("no magic")}).number == 1);
  const Tries healed(local, {busy, Status::OK()});
  BOOST_TEST(healed.number == 2);
  BOOST_TEST(healed.status.ok());
  // Another failure ends it.
  const Tries refused(local, {busy, Failed("403", FailureKind::kNotAllowed)});
  BOOST_TEST(refused.number == 2);
  BOOST_TEST(refused.status.message() == "403");
  const Tries never(local, {busy});
  BOOST_TEST(never.number == 4);
  BOOST_TEST(never.status.message() == "busy; it was tried 4 times: run again later");
  BOOST_TEST((KindOf(never.status) == FailureKind::kMayPass));
  // The client of a store has tried for long by itself.
  arrow_io::InputFile stored = local;
  stored.filesystem = std::make_shared<arrow::fs::internal::MockFileSystem>(arrow::fs::TimePoint());
  BOOST_TEST(Tries(stored, {busy}).number == 2);
  int number = 0;
  const Status late = RetryMayPass({}, stored, {busy, std::chrono::minutes(1)}, [&] {
    ++number;
    return busy;
  });
  BOOST_TEST(number == 0);
  BOOST_TEST(late.message() == "busy; run again later");
}

BOOST_AUTO_TEST_CASE(a_pause_ends_when_the_run_should_stop) {
  Runtime runtime;
  runtime.should_stop = [] { return true; };
  const Tries stopped(FileOf("a"), {Failed("busy", FailureKind::kMayPass)}, runtime);
  BOOST_TEST(stopped.number == 1);
  BOOST_TEST(stopped.status.IsCancelled());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
