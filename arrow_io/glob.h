#pragma once

#include <string>

namespace spuna::arrow_io {

/// Whether a path holds wildcards: '*', '?' or '['.
bool HasWildcard(const std::string& path);

/// A pattern cut where its first folder with a wildcard begins: "lake/day=*/a?.parquet" is the
/// base "lake" and the pattern "day=*/a?.parquet". The base of "*.parquet" is empty.
struct Glob {
  std::string base;
  std::string pattern;
};
Glob SplitGlob(const std::string& path);

/// Whether a path below the base matches the pattern, or lies within a folder that does. '*' and
/// '?' stay within a name, '**' stands for any number of folders, [a-z] for a character.
bool MatchesGlob(const std::string& pattern, const std::string& relative_path);

/// Whether something below a path below the base could match the pattern.
bool MayMatchBelow(const std::string& pattern, const std::string& relative_path);

}  // namespace spuna::arrow_io
