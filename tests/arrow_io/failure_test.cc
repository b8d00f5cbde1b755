#include "arrow_io/failure.h"

#include <arrow/result.h>
#include <arrow/util/io_util.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace spuna::arrow_io {
namespace {

using arrow::Status;

constexpr FailureKind kCorrupt = FailureKind::kCorrupt;
constexpr FailureKind kMayPass = FailureKind::kMayPass;
constexpr FailureKind kNotAllowed = FailureKind::kNotAllowed;

BOOST_AUTO_TEST_SUITE(failure)

BOOST_AUTO_TEST_CASE(a_kind_survives_the_messages_around_it) {
  const Status error = WithKind(Status::IOError("what"), kNotAllowed);
  BOOST_TEST((KindOf(error.WithMessage("file: ", error.message())) == kNotAllowed));
  BOOST_TEST((KindOf(WithKind(error, kMayPass)) == kMayPass));
  BOOST_TEST(!KindOf(Status::IOError("what")).has_value());
  BOOST_TEST(!KindOf(Status::OK()).has_value());
  BOOST_TEST(WithKind(Status::OK(), kCorrupt).ok());
  BOOST_TEST(error.message() == "what");
  BOOST_TEST(error.IsIOError());
}

BOOST_AUTO_TEST_CASE(the_systems_reason_is_kept_beside_the_kind) {
  const Status plain = arrow::internal::IOErrorFromErrno(EACCES, "Failed to open");
  BOOST_TEST(SystemReason(plain).find("Permission denied") != std::string::npos);
  const Status kept = WithKind(WithKind(plain, kNotAllowed), kMayPass);
  BOOST_TEST(SystemReason(kept) == SystemReason(plain));
  BOOST_TEST(SystemReason(WithKind(Status::IOError("what"), kMayPass)) == "");
  BOOST_TEST(SystemReason(Status::OK()) == "");
}

BOOST_AUTO_TEST_CASE(errors_of_the_system) {
  const std::vector<std::pair<int, FailureKind>> table = {
      {EACCES, kNotAllowed},  {EPERM, kNotAllowed},     {ENOENT, kMayPass},  {EIO, kMayPass},
      {ESTALE, kMayPass},     {ETIMEDOUT, kMayPass},    {EAGAIN, kMayPass},  {ENETDOWN, kMayPass},
      {ECONNRESET, kMayPass}, {EHOSTUNREACH, kMayPass}, {EMFILE, kMayPass},  {ENFILE, kMayPass},
      {EISDIR, kCorrupt},     {EINVAL, kCorrupt},       {EBADMSG, kCorrupt},
  };
  for (const auto& [number, kind] : table) {
    BOOST_TEST_CONTEXT(number) {
      const Status error = arrow::internal::IOErrorFromErrno(number, "Failed to open");
      BOOST_TEST((KindOf(FileFailure(error)) == kind));
      BOOST_TEST((KindOf(StoreFailure(error)) == kind));
      BOOST_TEST((KindOf(SystemFailure("a.parquet", number)) == kind));
    }
  }
  // What the file holds has no number.
  BOOST_TEST(!KindOf(FileFailure(Status::Invalid("Parquet magic bytes not found"))).has_value());
  BOOST_TEST(FileFailure(Status::OK()).ok());
}

// The texts are those of Arrow 26 at servers that answer so.
BOOST_AUTO_TEST_CASE(errors_of_stores) {
  const std::string head = "When reading information for key 'a.parquet' in bucket 'data': ";
  const std::string list = "When listing objects under key 'x/' in bucket 'data': ";
  const std::vector<std::pair<std::string, FailureKind>> table = {
      {head + "AWS Error ACCESS_DENIED during HeadObject operation: No response body.",
       kNotAllowed},
      {list + "AWS Error INVALID_ACCESS_KEY_ID during ListObjectsV2 operation: m", kNotAllowed},
      {list + "AWS Error SIGNATURE_DOES_NOT_MATCH during ListObjectsV2 operation: m", kNotAllowed},
      {list + "AWS Error UNKNOWN (HTTP status 401) during ListObjectsV2 operation: Unable to parse "
              "ExceptionName: Foo Message: m",
       kNotAllowed},
      {list + "AWS Error UNKNOWN (HTTP status 403) during ListObjectsV2 operation: Unable to parse "
              "ExceptionName: ExpiredToken Message: m",
       kNotAllowed},
      {"AWS Error [code 136] during GetObject operation: The operation is not valid for the "
       "object's storage class",
       kNotAllowed},
      {head + "AWS Error UNKNOWN (HTTP status 400) during HeadObject operation: No response body.",
       kNotAllowed},
      {list + "AWS Error SLOW_DOWN during ListObjectsV2 operation: m", kMayPass},
      {list + "AWS Error INTERNAL_FAILURE during ListObjectsV2 operation: m", kMayPass},
      {list + "AWS Error SERVICE_UNAVAILABLE during ListObjectsV2 operation: m", kMayPass},
      {list + "AWS Error REQUEST_TIMEOUT during ListObjectsV2 operation: m", kMayPass},
      {list + "AWS Error NO_SUCH_KEY during ListObjectsV2 operation: m", kMayPass},
      {head + "AWS Error NETWORK_CONNECTION during HeadObject operation: curlCode: 7, Couldn't "
              "connect to server",
       kMayPass},
      {head + "AWS Error UNKNOWN (HTTP status 503) during HeadObject operation: No response body.",
       kMayPass},
      {head + "AWS Error UNKNOWN (HTTP status 500) during HeadObject operation: No response body.",
       kMayPass},
      {head + "AWS Error UNKNOWN (HTTP status 429) during HeadObject operation: No response body.",
       kMayPass},
      {head + "AWS Error UNKNOWN (HTTP status 502) during HeadObject operation: No response body.",
       kMayPass},
      {"google::cloud::Status(PERMISSION_DENIED: Forbidden)", kNotAllowed},
      {"google::cloud::Status(UNAUTHENTICATED: who are you)", kNotAllowed},
      {"google::cloud::Status(UNAVAILABLE: Retry policy exhausted)", kMayPass},
      {"google::cloud::Status(DEADLINE_EXCEEDED: too late)", kMayPass},
      {"google::cloud::Status(RESOURCE_EXHAUSTED: 429)", kMayPass},
      {"google::cloud::Status(UNKNOWN: EasyPerform() - CURL error [7]=Couldn't connect)", kMayPass},
      {"GetProperties failed. Azure Error: [AuthorizationFailure] 403 This request is not "
       "authorized",
       kNotAllowed},
      {"GetProperties failed. Azure Error: [] 403 Forbidden", kNotAllowed},
      {"GetProperties failed. Azure Error: [ServerBusy] 503 The server is busy.", kMayPass},
      {"GetProperties failed. Azure Error: [BlobNotFound] 404 gone", kMayPass},
      {"Fail to get a new connection for: https://x. Couldn't resolve host name", kMayPass},
      {"words that nobody has seen before", kMayPass},
  };
  for (const auto& [text, kind] : table) {
    BOOST_TEST_CONTEXT(text) {
      const Status error = StoreFailure(Status::UnknownError(text));
      BOOST_TEST((KindOf(error) == kind));
      // An OSError in Python, whatever Arrow took it for.
      BOOST_TEST(error.IsIOError());
      BOOST_TEST(error.message() == text);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_stores_fault_stays) {
  BOOST_TEST(StoreFailure(Status::OK()).ok());
  BOOST_TEST(StoreFailure(Status::Cancelled("stop")).IsCancelled());
  BOOST_TEST(StoreFailure(Status::OutOfMemory("full")).IsOutOfMemory());
  const Status known = WithKind(Status::IOError("AWS Error SLOW_DOWN"), kCorrupt);
  BOOST_TEST((KindOf(StoreFailure(known)) == kCorrupt));
}

BOOST_AUTO_TEST_CASE(a_client_may_throw) {
  auto ask = [](bool throws) {
    return AskStore([&]() -> arrow::Result<int> {
      if (throws) throw std::runtime_error("Fail to get a new connection");
      return 5;
    });
  };
  BOOST_TEST(*ask(false) == 5);
  BOOST_TEST((KindOf(ask(true).status()) == kMayPass));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::arrow_io
