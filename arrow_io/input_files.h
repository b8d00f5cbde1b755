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
/// relative paths. Names that start with '.' or '_' and files that don't end in .parquet, .parq or
/// .pq are passed over there. `option` is the name of the option that gave the paths, for messages.
arrow::Result<InputFiles> ListInputFiles(const std::vector<std::string>& paths,
                                         const std::string& option);

}  // namespace spuna::arrow_io
