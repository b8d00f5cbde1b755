#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <vector>

#include "arrow_io/parquet_stream.h"
#include "pipelines/source/source.h"

namespace spuna {

using SourceStreamOptions = arrow_io::ParquetStreamOptions;

/// The rows of a source that was surveyed, but for bad files, read as they are asked for;
/// arrow_io::StreamParquet has the contract. The source need not outlive it.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> OpenSourceStream(const Source& source);

/// The columns of that stream.
arrow::Result<std::shared_ptr<arrow::Schema>> ColumnsOfStream(const Source& source);

/// The rows of all files behind paths one after the other, read as they are asked for;
/// arrow_io::StreamParquet has the contract.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> OpenSourceStream(
    const arrow_io::InputListing& listing, const SourceStreamOptions& options);

}  // namespace spuna
