#pragma once

#include <arrow/type_fwd.h>

#include <memory>

#include "arrow_io/parquet_input.h"

namespace parquet {
class ArrowWriterProperties;
}

namespace spuna::arrow_io {

/// How Arrow must write for the file to read back like another.
std::shared_ptr<parquet::ArrowWriterProperties> ArrowPropertiesLike(const ParquetInput& like);

/// A file's own key-value metadata that Arrow does not take over into the schema.
std::shared_ptr<const arrow::KeyValueMetadata> FurtherMetadata(const ParquetInput& like,
                                                               const arrow::Schema& schema);

}  // namespace spuna::arrow_io
