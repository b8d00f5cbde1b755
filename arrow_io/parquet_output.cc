#include "arrow_io/parquet_output.h"

#include <arrow/io/file.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/schema.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include <limits>

#include "arrow_io/file_memory.h"
#include "arrow_io/parquet_likeness_internal.h"

namespace spuna::arrow_io {
namespace {

// How a column of the input was stored.
struct Storage {
  parquet::Compression::type codec = parquet::Compression::UNCOMPRESSED;
  bool dictionary = true;
  bool byte_stream_split = false;
};

Storage StorageOf(const parquet::FileMetaData& metadata, int leaf) {
  Storage storage;
  if (metadata.num_row_groups() == 0) return storage;
  const auto chunk = metadata.RowGroup(0)->ColumnChunk(leaf);
  storage.codec = chunk->compression();
  storage.dictionary = chunk->has_dictionary_page();
  for (const parquet::Encoding::type encoding : chunk->encodings()) {
    storage.byte_stream_split |= encoding == parquet::Encoding::BYTE_STREAM_SPLIT;
  }
  return storage;
}

void Imitate(const Storage& storage, const std::string& path,
             parquet::WriterProperties::Builder& builder) {
  builder.compression(path, storage.codec);
  if (storage.dictionary) return;
  builder.disable_dictionary(path);
  if (storage.byte_stream_split) builder.encoding(path, parquet::Encoding::BYTE_STREAM_SPLIT);
}

arrow::Result<std::shared_ptr<parquet::WriterProperties>> PropertiesLike(
    const ParquetInput& like, const std::vector<int>& sources, const arrow::Schema& schema,
    const parquet::ArrowWriterProperties& arrow_properties) {
  parquet::WriterProperties::Builder builder;
  // Row groups are the caller's business.
  builder.max_row_group_length(std::numeric_limits<std::int64_t>::max());
  std::shared_ptr<parquet::SchemaDescriptor> written;
  ARROW_RETURN_NOT_OK(parquet::arrow::ToParquetSchema(
      &schema, *parquet::default_writer_properties(), arrow_properties, &written));

  const std::vector<int> leaves = LeafSources(like, sources, *written);
  Storage last;
  if (!sources.empty()) last = StorageOf(like.metadata(), LeafToImitate(like, leaves));
  for (int i = 0; i < written->num_columns(); ++i) {
    const std::string path = written->Column(i)->path()->ToDotString();
    const int leaf = leaves[static_cast<std::size_t>(i)];
    if (leaf == kAppended) {
      builder.compression(path, last.codec);
    } else {
      Imitate(StorageOf(like.metadata(), leaf), path, builder);
    }
  }
  return builder.build();
}

}  // namespace

ParquetOutput::ParquetOutput() = default;
ParquetOutput::~ParquetOutput() = default;

arrow::Result<std::unique_ptr<ParquetOutput>> ParquetOutput::Create(
    const std::filesystem::path& path, const std::string& name, const ParquetInput& like,
    const std::vector<int>& sources, const std::shared_ptr<arrow::Schema>& schema,
    std::int64_t max_row_group_bytes) {
  auto output = std::unique_ptr<ParquetOutput>(new ParquetOutput());
  output->name_ = name;
  output->max_rows_in_group_ = RowsWithin(like.metadata(), max_row_group_bytes);
  auto create = [&]() -> arrow::Status {
    const auto arrow_properties = ArrowPropertiesLike(like);
    ARROW_ASSIGN_OR_RAISE(const auto properties,
                          PropertiesLike(like, sources, *schema, *arrow_properties));
    ARROW_ASSIGN_OR_RAISE(output->file_, arrow::io::FileOutputStream::Open(path.string()));
    ARROW_ASSIGN_OR_RAISE(output->writer_,
                          parquet::arrow::FileWriter::Open(*schema, FileMemory(), output->file_,
                                                           properties, arrow_properties));
    return output->writer_->AddKeyValueMetadata(FurtherMetadata(like, *schema));
  };
  // Metadata of a damaged file is reported by exceptions.
  auto guarded = [&]() -> arrow::Status { PARQUET_CATCH_AND_RETURN(create()); };
  ARROW_RETURN_NOT_OK(output->Explain(guarded()));
  return output;
}

arrow::Status ParquetOutput::Write(const arrow::RecordBatch& batch) {
  if (batch.num_rows() == 0) return arrow::Status::OK();
  if (starts_row_group_ || rows_in_group_ >= max_rows_in_group_) {
    ARROW_RETURN_NOT_OK(Explain(writer_->NewBufferedRowGroup()));
    starts_row_group_ = false;
    rows_in_group_ = 0;
  }
  rows_in_group_ += batch.num_rows();
  return Explain(writer_->WriteRecordBatch(batch));
}

arrow::Status ParquetOutput::Close() {
  ARROW_RETURN_NOT_OK(Explain(writer_->Close()));
  return Explain(file_->Close());
}

arrow::Status ParquetOutput::Explain(const arrow::Status& status) const {
  return status.ok() ? status : status.WithMessage(name_, " can't be written: ", status.message());
}

}  // namespace spuna::arrow_io
