#include "arrow_io/uri.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

namespace spuna::arrow_io {
namespace {

constexpr std::string_view kMask = "***";
constexpr std::string_view kFile = "file://";

bool IsOfScheme(unsigned char c) { return std::isalnum(c) != 0 || c == '+' || c == '-'; }

std::string_view UpTo(std::string_view text, char end) {
  return text.substr(0, std::min(text.find(end), text.size()));
}

// Whether a ':' is followed by what is no port.
bool HasPassword(std::string_view authority) {
  const std::size_t colon = authority.find(':');
  if (colon == std::string_view::npos) return false;
  return !std::ranges::all_of(authority.substr(colon + 1),
                              [](unsigned char c) { return std::isdigit(c) != 0; });
}

// What stands between "://" and the host, without the '@'. A key that is not percent-encoded may
// hold a '/', or a space at which a message seems to end its URI.
std::string_view UserInfo(std::string_view rest) {
  const std::string_view path = UpTo(rest, '?');
  const std::string_view authority = UpTo(path, '/');
  std::size_t at = authority.rfind('@');
  if (at == std::string_view::npos && authority.find(':') != std::string_view::npos) {
    at = path.rfind('@');
  }
  if (at == std::string_view::npos) return HasPassword(authority) ? path : std::string_view();
  return rest.substr(0, at);
}

// A container of Azure stands where keys stand in others.
bool IsContainer(std::string_view scheme, std::string_view user_info) {
  return (scheme == "abfs" || scheme == "abfss") && user_info.find(':') == std::string_view::npos;
}

// Options of stores that are worth showing and hide nothing.
bool IsPublic(std::string_view key) {
  constexpr std::array<std::string_view, 4> kKeys = {"region", "scheme", "endpoint_override",
                                                     "retry_limit_seconds"};
  return std::ranges::find(kKeys, key) != kKeys.end();
}

// The parts of a URI that nobody may see, longest first.
std::vector<std::string> SecretsOf(const std::string& uri) {
  const std::size_t colon = uri.find("://");
  if (colon == std::string::npos) return {};
  std::vector<std::string> secrets;
  auto add = [&](std::string_view part) {
    // A word of one or two letters is no secret, and would be found everywhere.
    if (part.size() < 3) return;
    secrets.emplace_back(part);
    secrets.push_back(DecodePercent(secrets.back()));
  };
  const std::string_view rest = std::string_view(uri).substr(colon + 3);
  const std::string_view user_info = UserInfo(rest);
  if (!IsContainer(UpTo(uri, ':'), user_info)) {
    const std::string_view user = UpTo(user_info, ':');
    add(user_info);
    add(user);
    if (user.size() < user_info.size()) add(user_info.substr(user.size() + 1));
  }
  std::string_view query = rest.substr(UpTo(rest, '?').size());
  while (!query.empty()) {
    query.remove_prefix(1);
    const std::string_view pair = UpTo(query, '&');
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) {
      add(pair);
    } else if (!IsPublic(pair.substr(0, equals))) {
      add(pair.substr(equals + 1));
    }
    query.remove_prefix(pair.size());
  }
  std::ranges::sort(secrets, std::greater(), &std::string::size);
  return secrets;
}

}  // namespace

bool IsUri(const std::string& text) {
  const std::size_t colon = text.find("://");
  return colon != std::string::npos && colon > 0 &&
         std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon), IsOfScheme);
}

std::string DecodePercent(const std::string& text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool encoded = text[i] == '%' && i + 2 < text.size() &&
                         std::isxdigit(static_cast<unsigned char>(text[i + 1])) != 0 &&
                         std::isxdigit(static_cast<unsigned char>(text[i + 2])) != 0;
    if (encoded) {
      decoded += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

arrow::Result<std::string> LocalPath(const std::string& text) {
  if (!text.starts_with(kFile)) return text;
  const std::string rest = text.substr(kFile.size());
  const std::size_t slash = rest.find('/');
  const std::string host = rest.substr(0, std::min(slash, rest.size()));
  if (!host.empty() && host != "localhost") {
    return arrow::Status::Invalid(MaskUri(text), ": expected a file of this machine, ",
                                  "file:///path or file://localhost/path, but found another host");
  }
  if (slash == std::string::npos) {
    return arrow::Status::Invalid(text, ": expected a path behind file:// but found none");
  }
  std::string path = DecodePercent(rest.substr(slash));
  if (path.find('\0') != std::string::npos) {
    return arrow::Status::Invalid(text, ": expected a path but found one with a zero byte");
  }
  return path;
}

std::string MaskUri(const std::string& uri) {
  if (!IsUri(uri)) return uri;
  const std::size_t colon = uri.find("://");
  const std::string_view rest = std::string_view(uri).substr(colon + 3);
  const std::string_view user_info = UserInfo(rest);
  const bool hides_user = !user_info.empty() && !IsContainer(UpTo(uri, ':'), user_info);
  std::string masked = uri.substr(0, colon + 3);
  if (hides_user) masked += kMask;
  const std::string_view shown = rest.substr(hides_user ? user_info.size() : 0);
  const std::string_view path = UpTo(shown, '?');
  masked += path;
  if (path.size() + 1 < shown.size()) return masked.append("?").append(kMask);
  return masked.append(shown.substr(path.size()));
}

std::string MaskSecrets(const std::string& text) {
  std::string masked;
  std::size_t done = 0;
  for (std::size_t colon = text.find("://"); colon != std::string::npos;
       colon = text.find("://", std::max(done, colon + 3))) {
    std::size_t begin = colon;
    while (begin > done && IsOfScheme(static_cast<unsigned char>(text[begin - 1]))) --begin;
    std::size_t end = std::min(text.find_first_of(" \t\r\n'\"`<>", colon), text.size());
    // What ends a part of a sentence is no part of the URI.
    while (end > colon + 3 && std::string_view(":;,.").find(text[end - 1]) != std::string::npos)
      --end;
    masked += text.substr(done, begin - done);
    masked += MaskUri(text.substr(begin, end - begin));
    done = end;
  }
  return masked + text.substr(done);
}

std::string MaskSecretsOf(const std::string& uri, std::string message) {
  message = MaskSecrets(message);
  for (const std::string& secret : SecretsOf(uri)) {
    for (std::size_t at = message.find(secret); at != std::string::npos;
         at = message.find(secret, at + kMask.size())) {
      message.replace(at, secret.size(), kMask);
    }
  }
  return message;
}

}  // namespace spuna::arrow_io
