#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/matrix/fit_input.h"
#include "pipelines/options/options.h"
#include "pipelines/source/named_column.h"
#include "pipelines/source/row_texts.h"

namespace spuna {

/// The texts that go along with the rows of a stream: their classes, groups and ids.
class StreamTexts {
 public:
  /// Without any.
  StreamTexts() = default;

  /// Finds the columns in a stream, which messages call `where`: those of classes and groups, where
  /// the options name them, and that of ids, not set where ids are not wanted. Without a column the
  /// ids are row numbers.
  static arrow::Result<StreamTexts> Make(const arrow::Schema& schema, const std::string& where,
                                         const FitOptions& options,
                                         const std::optional<IdColumn>& ids);

  /// Adds the texts of all rows of a batch, the first of which has this number.
  arrow::Status Append(const arrow::RecordBatch& batch, std::int64_t first_row);

  /// Leaves those at these indices, ascending.
  void Keep(const std::vector<std::size_t>& indices);

  /// Gives the input, which has as many rows, the texts of its valid ones.
  void MoveTo(FitInput& input);

 private:
  std::optional<NamedColumn> class_column_;
  std::optional<NamedColumn> group_column_;
  std::optional<NamedColumn> id_column_;
  bool wants_ids_ = false;
  // One for every row, where they are wanted.
  std::vector<std::string> classes_;
  std::vector<std::string> groups_;
  std::vector<std::string> ids_;
};

}  // namespace spuna
