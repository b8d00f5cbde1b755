#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <vector>

#include "arrow_io/parquet_input.h"

namespace parquet {
class ArrowWriterProperties;
class SchemaDescriptor;
}  // namespace parquet

namespace spuna::arrow_io {

/// How Arrow must write for the file to read back like another.
std::shared_ptr<parquet::ArrowWriterProperties> ArrowPropertiesLike(const ParquetInput& like);

/// A file's own key-value metadata that Arrow does not take over into the schema.
std::shared_ptr<const arrow::KeyValueMetadata> FurtherMetadata(const ParquetInput& like,
                                                               const arrow::Schema& schema);

/// Where the columns of an output come from: of every Parquet column (leaf) the one of the input,
/// or kAppended. `sources` are those of the first top-level columns, see ParquetOutput.
std::vector<int> LeafSources(const ParquetInput& like, const std::vector<int>& sources,
                             const parquet::SchemaDescriptor& written);

/// The one that appended columns are compressed like: the last that is taken from the input, or
/// where there is none the last of the input.
int LeafToImitate(const ParquetInput& like, const std::vector<int>& leaf_sources);

}  // namespace spuna::arrow_io
