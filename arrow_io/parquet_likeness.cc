#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <cstdint>

#include "arrow_io/parquet_likeness_internal.h"

namespace spuna::arrow_io {
namespace {

bool HasInt96(const parquet::SchemaDescriptor& schema) {
  for (int i = 0; i < schema.num_columns(); ++i) {
    if (schema.Column(i)->physical_type() == parquet::Type::INT96) return true;
  }
  return false;
}

}  // namespace

std::shared_ptr<parquet::ArrowWriterProperties> ArrowPropertiesLike(const ParquetInput& like) {
  parquet::ArrowWriterProperties::Builder builder;
  // Lists keep the names of their children, which the format would like to be "element".
  builder.store_schema()->disable_compliant_nested_types();
  if (HasInt96(*like.metadata().schema())) builder.enable_deprecated_int96_timestamps();
  return builder.build();
}

std::shared_ptr<const arrow::KeyValueMetadata> FurtherMetadata(const ParquetInput& like,
                                                               const arrow::Schema& schema) {
  auto further = std::make_shared<arrow::KeyValueMetadata>();
  const auto& all = like.metadata().key_value_metadata();
  for (std::int64_t i = 0; all != nullptr && i < all->size(); ++i) {
    const bool known = schema.HasMetadata() && schema.metadata()->Contains(all->key(i));
    if (!known && all->key(i) != "ARROW:schema") further->Append(all->key(i), all->value(i));
  }
  return further;
}

}  // namespace spuna::arrow_io
