#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pipelines/options/options.h"

namespace spuna {

/// The columns that scoring with these options makes.
arrow::FieldVector ScoreFields(const ScoreOptions& options);

/// The columns of a scored output: which of the input's, and which of ours, in order.
struct OutputColumns {
  std::shared_ptr<arrow::Schema> schema;
  /// Of every column the one of the input, by position, or arrow_io::kAppended for one of ours.
  std::vector<int> sources;
  /// Which of ScoreFields those of ours are, in their order.
  std::vector<std::size_t> ours;

  /// What of our columns, all of them given, is written.
  arrow::ArrayVector ChooseOurs(const arrow::ArrayVector& all) const;
};

/// The keys of a file's hive partitions, with their values.
using HiveKeys = std::vector<std::pair<std::string, std::string>>;

/// The columns of the output for an input of this schema, which messages call `where`. Without
/// `columns` they are all of the input, then ours. It is an error where the input has one of ours
/// already and that is not to be replaced, or lacks one of `columns`.
arrow::Result<OutputColumns> ArrangeColumns(const arrow::Schema& input, const ScoreOptions& options,
                                            const std::string& where, const HiveKeys& keys = {});

}  // namespace spuna
