#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spuna {

/// A column that an option names: one of the file's or stream's own, or a key of the hive
/// partitions on a file's path, which has one value for all rows.
struct NamedColumn {
  std::string name;
  /// What messages call it.
  std::string where;
  /// Its position; -1 for a hive key.
  int position = -1;
  std::string hive_value;

  /// `input` names the file or stream, `option` what asked for the column; `hive_keys` are those of
  /// the path.
  static arrow::Result<NamedColumn> Find(
      const arrow::Schema& schema, const std::string& input,
      const std::vector<std::pair<std::string, std::string>>& hive_keys, const std::string& name,
      const std::string& option);

  /// The same for a column that need not be there: none where it is not.
  static arrow::Result<std::optional<NamedColumn>> FindIfThere(
      const arrow::Schema& schema, const std::string& input,
      const std::vector<std::pair<std::string, std::string>>& hive_keys, const std::string& name);

  /// An error where a column of the schema does not hold numbers or booleans; that of a hive key is
  /// known when it is read. `expected` says what it should hold, for messages.
  arrow::Status CheckNumbers(const arrow::Schema& schema, const std::string& expected) const;

  /// The values of a batch that has the column, as numbers; booleans are 0 and 1. `expected` says
  /// what they should be, for messages. Nulls stay nulls.
  arrow::Result<std::shared_ptr<arrow::DoubleArray>> Numbers(const arrow::RecordBatch& batch,
                                                             const std::string& expected) const;

  /// The same as text.
  arrow::Result<std::shared_ptr<arrow::StringArray>> Texts(const arrow::RecordBatch& batch) const;
};

/// Whether the values of a type can be written as text.
bool HasTexts(const arrow::DataType& type);

/// Those positions that are in the file itself, ascending, each once.
std::vector<int> Positions(const std::vector<const NamedColumn*>& columns);

}  // namespace spuna
