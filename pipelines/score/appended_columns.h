#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace spuna {

/// The given columns of a schema with further fields appended, its metadata kept. A name that is
/// there already is an error, which names the file.
arrow::Result<std::shared_ptr<arrow::Schema>> AppendFields(const arrow::Schema& schema,
                                                           const std::vector<int>& columns,
                                                           const arrow::FieldVector& appended,
                                                           const std::string& file);

/// The same with all columns of the schema.
arrow::Result<std::shared_ptr<arrow::Schema>> AppendFields(const arrow::Schema& schema,
                                                           const arrow::FieldVector& appended,
                                                           const std::string& file);

/// A batch with columns appended, and only the selected rows; null selects all.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> AppendColumns(
    const arrow::RecordBatch& batch, const std::shared_ptr<arrow::Schema>& schema,
    const arrow::ArrayVector& columns, const std::shared_ptr<arrow::BooleanArray>& selected);

/// A batch of these columns, and only the selected rows; null selects all.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> MakeBatch(
    const std::shared_ptr<arrow::Schema>& schema, std::int64_t num_rows, arrow::ArrayVector columns,
    const std::shared_ptr<arrow::BooleanArray>& selected);

}  // namespace spuna
