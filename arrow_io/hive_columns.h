#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "arrow_io/input_files.h"

namespace spuna::arrow_io {

/// The hive keys of a file that are in its path alone, as columns of strings. Some writers put them
/// into the file as well; those are left to the file.
class HiveColumns {
 public:
  HiveColumns() = default;
  HiveColumns(const InputFile& file, const arrow::Schema& schema);

  arrow::FieldVector Fields() const;
  arrow::Result<arrow::ArrayVector> Arrays(std::int64_t num_rows) const;

 private:
  std::vector<std::pair<std::string, std::string>> keys_;
};

}  // namespace spuna::arrow_io
