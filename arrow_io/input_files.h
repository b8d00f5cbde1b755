#pragma once

#include <arrow/result.h>

#include <string>
#include <vector>

#include "arrow_io/input_file.h"

namespace spuna::arrow_io {

/// The files of an input, in the order of their rows.
struct InputFiles {
  std::vector<InputFile> files;
  /// Whether the input was given as one file, so that the output is one file too.
  bool is_single_file = false;
};

/// What to list, and how.
struct InputListing {
  std::vector<std::string> paths;
  /// The name of the option that gave the paths, for messages.
  std::string option;
  /// Whether files of any name are read in directories and patterns, not only .parquet, .parq and
  /// .pq.
  bool all_files = false;
  /// The directory, or the URI, that relative paths start from; empty for the deepest directory
  /// that holds all paths.
  std::string base = {};
};

/// Puts the lines of "@list" in its place and makes paths of file:// URIs. `option` is for
/// messages.
arrow::Result<std::vector<std::string>> ExpandPaths(const std::vector<std::string>& paths,
                                                    const std::string& option);

/// Finds the Parquet files behind paths. A path is a file, a directory, a pattern with '*', '?',
/// '[…]' or '**', an s3://, gs:// or abfs:// URI of any of these (but for '?', which begins the
/// URI's query), a file:// URI, or '@' and a text file with one path a line. What exists under the
/// very name is no pattern.
///
/// Paths keep their order; within a directory or a pattern the files come in the order of their
/// relative paths. Names that start with '.' or '_' are passed over there. Where a directory or a
/// pattern reaches into a Delta or an Iceberg table, that is an error: only files that are named
/// one by one may be the live ones.
arrow::Result<InputFiles> ListInputFiles(const InputListing& listing);

}  // namespace spuna::arrow_io
