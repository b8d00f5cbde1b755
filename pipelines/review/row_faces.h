#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pipelines/run/runtime.h"
#include "pipelines/source/source.h"

namespace spuna {

/// What a person is shown of a row.
struct RowFace {
  /// A data: URI; empty for none.
  std::string picture;
  std::string text;
  /// The names and values of some columns, where there is neither.
  std::vector<std::pair<std::string, std::string>> values;
};

/// Which columns to show; empty for none.
struct FaceColumns {
  std::string image;
  std::string text;
};

/// A row by the number of its file and its number there.
using RowPlace = std::pair<std::size_t, std::int64_t>;

/// Reads what is shown of some rows of an input that was surveyed. A column that a file lacks shows
/// nothing there; one that no file has, or that can't hold pictures, is an error.
arrow::Result<std::map<RowPlace, RowFace>> ReadFaces(const Source& source,
                                                     const std::set<RowPlace>& places,
                                                     const FaceColumns& columns,
                                                     const Runtime& runtime);

/// Whether files of an input that was surveyed have the columns.
arrow::Status CheckFaceColumns(const Source& source, const FaceColumns& columns);

}  // namespace spuna
