#include "arrow_io/failure.h"

#include <arrow/util/io_util.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace spuna::arrow_io {
namespace {

constexpr const char* kTypeId = "spuna::FailureKind";

class FailureDetail : public arrow::StatusDetail {
 public:
  FailureDetail(FailureKind kind, std::shared_ptr<arrow::StatusDetail> cause)
      : kind_(kind), cause_(std::move(cause)) {}

  const char* type_id() const override { return kTypeId; }
  std::string ToString() const override {
    return cause_ == nullptr ? NameOf(kind_) : cause_->ToString();
  }

  FailureKind kind() const { return kind_; }
  const std::shared_ptr<arrow::StatusDetail>& cause() const { return cause_; }

 private:
  FailureKind kind_;
  // What Arrow had to say.
  std::shared_ptr<arrow::StatusDetail> cause_;
};

const FailureDetail* DetailOf(const arrow::Status& status) {
  const arrow::StatusDetail* const detail = status.detail().get();
  if (detail == nullptr || std::string_view(detail->type_id()) != kTypeId) return nullptr;
  return static_cast<const FailureDetail*>(detail);
}

// The kind of an HTTP answer. What a server refuses by a 4xx is not let through by asking again.
FailureKind KindOfHttp(int code) {
  switch (code) {
    case 404:  // It was there when it was listed.
    case 408:
    case 410:
    case 425:
    case 429:
      return FailureKind::kMayPass;
    default:
      return code >= 400 && code < 500 ? FailureKind::kNotAllowed : FailureKind::kMayPass;
  }
}

// The word that begins where `begin` ends: letters, digits and '_'.
std::string_view WordAfter(std::string_view text, std::string_view begin) {
  const std::size_t at = text.find(begin);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + begin.size());
  const auto* const end = std::ranges::find_if_not(
      text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

// The number that begins where `begin` ends; 0 where there is none.
int NumberAfter(std::string_view text, std::string_view begin) {
  int number = 0;
  for (const char c : WordAfter(text, begin).substr(0, 4)) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) break;
    number = 10 * number + (c - '0');
  }
  return number;
}

// The words of S3's, Google's and Azure's clients for what is not allowed. All others may pass.
constexpr std::array<std::string_view, 22> kRefusals = {
    // AWS Error … during … operation
    "ACCESS_DENIED", "INVALID_ACCESS_KEY_ID", "SIGNATURE_DOES_NOT_MATCH", "INVALID_SIGNATURE",
    "INCOMPLETE_SIGNATURE", "INVALID_CLIENT_TOKEN_ID", "MISSING_AUTHENTICATION_TOKEN",
    "UNRECOGNIZED_CLIENT", "OPT_IN_REQUIRED", "REQUEST_EXPIRED", "REQUEST_TIME_TOO_SKEWED",
    "INVALID_OBJECT_STATE", "VALIDATION",
    // google::cloud::Status(…: …)
    "PERMISSION_DENIED", "UNAUTHENTICATED",
    // Azure Error: […] …
    "AuthenticationFailed", "AuthorizationFailure", "AuthorizationPermissionMismatch",
    "InsufficientAccountPermissions", "AccountIsDisabled", "NoAuthenticationInformation",
    "InvalidAuthenticationInfo"};

FailureKind KindOfStoreText(std::string_view text) {
  for (const std::string_view begin : {"AWS Error ", "google::cloud::Status(", "Azure Error: ["}) {
    const std::string_view word = WordAfter(text, begin);
    if (std::ranges::find(kRefusals, word) != kRefusals.end()) return FailureKind::kNotAllowed;
    if (word == "UNKNOWN") {
      const int code = NumberAfter(text, "(HTTP status ");
      if (code != 0) return KindOfHttp(code);
    }
    // Azure's client names the code of the answer first.
    const int code = begin.starts_with("Azure") ? NumberAfter(text, "] ") : 0;
    if (code >= 400 && code < 600) return KindOfHttp(code);
  }
  // An object that is archived; the client of S3 knows no word for it.
  const bool is_archived = text.find("not valid for the object's storage class") != text.npos;
  return is_archived ? FailureKind::kNotAllowed : FailureKind::kMayPass;
}

}  // namespace

std::string NameOf(FailureKind kind) {
  switch (kind) {
    case FailureKind::kMayPass:
      return "may pass";
    case FailureKind::kNotAllowed:
      return "not allowed";
    case FailureKind::kNothingToRead:
      return "nothing to read";
    case FailureKind::kCorrupt:
      break;
  }
  return "corrupt";
}

arrow::Status WithKind(const arrow::Status& status, FailureKind kind) {
  if (status.ok()) return status;
  const FailureDetail* const before = DetailOf(status);
  auto cause = before == nullptr ? status.detail() : before->cause();
  return status.WithDetail(std::make_shared<FailureDetail>(kind, std::move(cause)));
}

std::optional<FailureKind> KindOf(const arrow::Status& status) {
  if (status.ok()) return std::nullopt;
  const FailureDetail* const detail = DetailOf(status);
  return detail == nullptr ? std::nullopt : std::optional(detail->kind());
}

std::string SystemReason(const arrow::Status& status) {
  if (status.ok() || status.detail() == nullptr) return "";
  const FailureDetail* const own = DetailOf(status);
  if (own == nullptr) return status.detail()->ToString();
  return own->cause() == nullptr ? "" : own->cause()->ToString();
}

FailureKind KindOfErrno(int number) {
  switch (number) {
    case EACCES:
    case EPERM:
      return FailureKind::kNotAllowed;
    // It was there when it was listed.
    case ENOENT:
    case ENOTDIR:
    // The disk, or the server of a network disk.
    case EIO:
    case ENXIO:
    case ENODEV:
    case ESTALE:
    case EREMOTEIO:
    case ENOLINK:
    case ENOTCONN:
    case ECONNREFUSED:
    case ECONNRESET:
    case ECONNABORTED:
    case ENETDOWN:
    case ENETUNREACH:
    case ENETRESET:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ETIMEDOUT:
    case EPIPE:
    // This machine has too much to do.
    case EAGAIN:
    case EINTR:
    case EBUSY:
    case ETXTBSY:
    case ENOLCK:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOBUFS:
      return FailureKind::kMayPass;
    default:
      return FailureKind::kCorrupt;
  }
}

arrow::Status SystemFailure(const std::string& what, int number) {
  return WithKind(arrow::Status::IOError(what, ": ", std::generic_category().message(number)),
                  KindOfErrno(number));
}

arrow::Status FileFailure(const arrow::Status& status) {
  if (status.ok() || DetailOf(status) != nullptr) return status;
  const int number = arrow::internal::ErrnoFromStatus(status);
  return number == 0 ? status : WithKind(status, KindOfErrno(number));
}

arrow::Status StoreFailure(const arrow::Status& status) {
  if (status.ok() || DetailOf(status) != nullptr) return status;
  if (status.IsCancelled() || status.IsOutOfMemory()) return status;
  const int number = arrow::internal::ErrnoFromStatus(status);
  const arrow::Status told(arrow::StatusCode::IOError, status.message(), status.detail());
  return WithKind(told, number != 0 ? KindOfErrno(number) : KindOfStoreText(status.message()));
}

}  // namespace spuna::arrow_io
