#pragma once

#include <arrow/result.h>

#include <string>

namespace spuna::arrow_io {

/// Whether a text is a URI, "s3://bucket/lake", and no path of this machine.
bool IsUri(const std::string& text);

/// A text with "%41" as "A". What is no such code stays.
std::string DecodePercent(const std::string& text);

/// The path that a file:// URI names: "file:///a%20b" and "file://localhost/a%20b" are "/a b". It
/// is an error where the URI names another host, or no path. Every other text stays as it is.
arrow::Result<std::string> LocalPath(const std::string& text);

/// A URI that may be shown: "***" stands for the keys before the host and for all behind the '?'.
/// A path stays as it is.
std::string MaskUri(const std::string& uri);

/// A text that may be shown: with every URI in it masked. What prints or stores messages calls it,
/// since parts that quote a URI are not all ours.
std::string MaskSecrets(const std::string& text);

/// A message of others about a URI, which may quote parts of it: "***" stands for its secrets
/// wherever they are.
std::string MaskSecretsOf(const std::string& uri, std::string message);

}  // namespace spuna::arrow_io
