#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <algorithm>
#include <cstdint>
#include <ranges>

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

std::vector<int> LeafSources(const ParquetInput& like, const std::vector<int>& sources,
                             const parquet::SchemaDescriptor& written) {
  std::vector<int> leaf_sources;
  const parquet::schema::Node* before = nullptr;
  std::size_t num_columns = 0;
  std::vector<int> leaves;
  std::size_t next = 0;
  for (int i = 0; i < written.num_columns(); ++i) {
    const parquet::schema::Node* const column = written.GetColumnRoot(i);
    if (column != before) {
      const int source = num_columns < sources.size() ? sources[num_columns] : kAppended;
      leaves = source == kAppended ? std::vector<int>() : like.Leaves({source});
      next = 0;
      ++num_columns;
      before = column;
    }
    leaf_sources.push_back(next < leaves.size() ? leaves[next++] : kAppended);
  }
  return leaf_sources;
}

int LeafToImitate(const ParquetInput& like, const std::vector<int>& leaf_sources) {
  const auto backwards = std::views::reverse(leaf_sources);
  const auto last = std::ranges::find_if(backwards, [](int source) { return source != kAppended; });
  return last == backwards.end() ? like.metadata().num_columns() - 1 : *last;
}

}  // namespace spuna::arrow_io
