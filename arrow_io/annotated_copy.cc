#include "arrow_io/annotated_copy.h"

#include <arrow/io/file.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/file_writer.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/size_statistics.h>
#include <parquet/statistics.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "arrow_io/file_memory.h"
#include "arrow_io/parquet_likeness_internal.h"
#include "arrow_io/range_copy.h"

namespace spuna::arrow_io {
namespace {

constexpr char kMagic[] = "PAR1";
constexpr std::int64_t kMagicSize = 4;

using parquet::ColumnChunkMetaData;

// The bytes of a column chunk in its file.
ByteRange RangeOf(const ColumnChunkMetaData& chunk) {
  std::int64_t begin = chunk.data_page_offset();
  // Some writers say 0 where there is no dictionary.
  if (chunk.has_dictionary_page() && chunk.dictionary_page_offset() > 0) {
    begin = std::min(begin, chunk.dictionary_page_offset());
  }
  return {begin, chunk.total_compressed_size()};
}

// A Parquet file with the given rows, in memory.
arrow::Result<std::shared_ptr<arrow::Buffer>> WriteToMemory(
    const arrow::Table& table, const std::shared_ptr<parquet::WriterProperties>& properties,
    const std::shared_ptr<parquet::ArrowWriterProperties>& arrow_properties) {
  ARROW_ASSIGN_OR_RAISE(auto sink, arrow::io::BufferOutputStream::Create(1 << 16, FileMemory()));
  ARROW_RETURN_NOT_OK(parquet::arrow::WriteTable(table, FileMemory(), sink,
                                                 std::max<std::int64_t>(table.num_rows(), 1),
                                                 properties, arrow_properties));
  return sink->Finish();
}

std::vector<int> AllLeaves(const parquet::FileMetaData& footer) {
  std::vector<int> leaves(static_cast<std::size_t>(footer.num_columns()));
  std::iota(leaves.begin(), leaves.end(), 0);
  return leaves;
}

// Offsets move with the chunk; everything else is kept.
void Describe(const ColumnChunkMetaData& chunk, std::int64_t moved_by,
              parquet::ColumnChunkMetaDataBuilder& builder) {
  // Asked this way a statistic is told only if its writer is known to have computed it right.
  if (chunk.is_stats_set()) builder.SetStatistics(*chunk.encoded_statistics());
  if (chunk.size_statistics() != nullptr) builder.SetSizeStatistics(*chunk.size_statistics());
  if (chunk.key_value_metadata() != nullptr) {
    builder.SetKeyValueMetadata(chunk.key_value_metadata());
  }
  std::map<parquet::Encoding::type, std::int32_t> dictionary_pages;
  std::map<parquet::Encoding::type, std::int32_t> data_pages;
  for (const parquet::PageEncodingStats& stats : chunk.encoding_stats()) {
    const bool is_dictionary = stats.page_type == parquet::PageType::DICTIONARY_PAGE;
    (is_dictionary ? dictionary_pages : data_pages)[stats.encoding] += stats.count;
  }
  if (data_pages.empty()) {
    for (const parquet::Encoding::type encoding : chunk.encodings()) data_pages[encoding] = 1;
  }
  const bool has_dictionary = chunk.has_dictionary_page() && chunk.dictionary_page_offset() > 0;
  builder.Finish(chunk.num_values(), has_dictionary ? chunk.dictionary_page_offset() + moved_by : 0,
                 /*index_page_offset=*/-1, chunk.data_page_offset() + moved_by,
                 chunk.total_compressed_size(), chunk.total_uncompressed_size(), has_dictionary,
                 /*dictionary_fallback=*/data_pages.size() > 1, dictionary_pages, data_pages);
}

}  // namespace

struct AnnotatedCopy::State {
  std::string name;
  const ParquetInput* input = nullptr;
  std::shared_ptr<arrow::io::FileOutputStream> file;
  // The input's footer once more: its schema becomes a part of ours.
  std::shared_ptr<parquet::FileMetaData> footer;
  std::shared_ptr<parquet::FileMetaData> appended_footer;
  std::shared_ptr<arrow::Schema> appended_schema;
  std::shared_ptr<parquet::WriterProperties> appended_properties;
  std::shared_ptr<parquet::ArrowWriterProperties> arrow_properties;
  std::shared_ptr<const arrow::KeyValueMetadata> key_values;
  parquet::SchemaDescriptor schema;
  std::unique_ptr<parquet::FileMetaDataBuilder> builder;
  parquet::RowGroupMetaDataBuilder* row_group = nullptr;
  std::int64_t num_rows = 0;
  std::int16_t num_row_groups = 0;
  bool input_failed = false;

  // Of every leaf of our schema the one of the input, or kAppended; and those of the input alone.
  std::vector<int> sources;
  std::vector<int> taken;
  // Chunks that are copied, in the order of the leaves they are for, and their way here.
  struct Copied {
    std::vector<std::unique_ptr<ColumnChunkMetaData>> chunks;
    RangeCopy copy;
  };
  // Those of the row group that was begun, and how many of its rows have been asked for.
  std::unique_ptr<Copied> taken_chunks;
  std::int64_t rows_copied = 0;

  // The schema of the copy, and which of its leaves are taken from the input.
  arrow::Status MakeSchema(const arrow::Schema& fields, const std::vector<int>& field_sources) {
    auto source_of = [&](int i) {
      const auto at = static_cast<std::size_t>(i);
      return at < field_sources.size() ? field_sources[at] : kAppended;
    };
    // The appended columns as a file of their own, for now without rows, for their schema.
    arrow::FieldVector appended;
    for (int i = 0; i < fields.num_fields(); ++i) {
      if (source_of(i) == kAppended) appended.push_back(fields.field(i));
    }
    appended_schema = arrow::schema(std::move(appended));
    ARROW_ASSIGN_OR_RAISE(const auto no_rows, arrow::Table::MakeEmpty(appended_schema));
    ARROW_ASSIGN_OR_RAISE(
        const auto appended_file,
        WriteToMemory(*no_rows, parquet::default_writer_properties(), arrow_properties));
    appended_footer =
        parquet::ReadMetaData(std::make_shared<arrow::io::BufferReader>(appended_file));

    parquet::schema::NodeVector nodes;
    const parquet::schema::GroupNode& root = *footer->schema()->group_node();
    const parquet::schema::GroupNode& own = *appended_footer->schema()->group_node();
    int next_own = 0;
    for (int i = 0; i < fields.num_fields(); ++i) {
      const int source = source_of(i);
      nodes.push_back(source == kAppended ? own.field(next_own++) : root.field(source));
    }
    schema.Init(parquet::schema::GroupNode::Make(root.name(), root.repetition(), nodes));
    sources = LeafSources(*input, field_sources, schema);
    std::ranges::copy_if(sources, std::back_inserter(taken),
                         [](int source) { return source != kAppended; });
    return arrow::Status::OK();
  }

  // What the copy is sorted by: as far as these columns are taken.
  std::vector<parquet::SortingColumn> SortingColumns(const parquet::RowGroupMetaData& group) const {
    std::vector<parquet::SortingColumn> sorting;
    for (parquet::SortingColumn column : group.sorting_columns()) {
      const auto at = std::ranges::find(sources, column.column_idx);
      if (at == sources.end()) break;
      column.column_idx = static_cast<std::int32_t>(at - sources.begin());
      sorting.push_back(column);
    }
    return sorting;
  }

  // How columns are written, and the footer that will be: every column in the codec of its chunks.
  void MakeBuilder() {
    const auto group = footer->num_row_groups() > 0 ? footer->RowGroup(0) : nullptr;
    parquet::WriterProperties::Builder appended;
    appended.disable_dictionary();  // Hardly two scores are equal.
    if (group != nullptr) {
      appended.compression(group->ColumnChunk(LeafToImitate(*input, sources))->compression());
    }
    appended_properties = appended.build();
    parquet::WriterProperties::Builder properties;
    for (int i = 0; i < schema.num_columns(); ++i) {
      const int source = sources[static_cast<std::size_t>(i)];
      const auto path = schema.Column(i)->path();
      properties.compression(path, source != kAppended && group != nullptr
                                       ? group->ColumnChunk(source)->compression()
                                       : appended_properties->compression(path));
    }
    if (group != nullptr) properties.set_sorting_columns(SortingColumns(*group));
    builder = parquet::FileMetaDataBuilder::Make(&schema, properties.build());
  }

  // Prepares to copy some chunks of a row group of some Parquet file to where this one ends now.
  arrow::Result<Copied> StartCopy(const parquet::RowGroupMetaData& group,
                                  const std::vector<int>& leaves,
                                  arrow::io::RandomAccessFile& from) {
    std::vector<std::unique_ptr<ColumnChunkMetaData>> chunks;
    std::vector<ByteRange> ranges;
    input_failed = true;
    ARROW_ASSIGN_OR_RAISE(const std::int64_t from_size, from.GetSize());
    for (const int leaf : leaves) {
      chunks.push_back(group.ColumnChunk(leaf));
      const ByteRange range = RangeOf(*chunks.back());
      if (range.begin < kMagicSize || range.size < 0 || range.begin > from_size ||
          range.size > from_size - range.begin) {
        return arrow::Status::IOError("a column chunk lies outside of the file it is copied from");
      }
      ranges.push_back(range);
    }
    input_failed = false;
    ARROW_ASSIGN_OR_RAISE(RangeCopy copy, RangeCopy::Make(std::move(ranges), from, *file));
    return Copied{std::move(chunks), std::move(copy)};
  }

  // Copies the part of the row group's chunks that its first rows are of all.
  arrow::Status CopyTaken(std::int64_t up_to_row) {
    rows_copied = std::clamp(up_to_row, rows_copied, num_rows);
    RangeCopy& copy = taken_chunks->copy;
    const double part =
        num_rows == 0 ? 1 : static_cast<double>(rows_copied) / static_cast<double>(num_rows);
    const arrow::Status status =
        copy.CopyUntil(part < 1 ? static_cast<std::int64_t>(part * static_cast<double>(copy.size()))
                                : copy.size());
    input_failed = copy.InputFailed();
    return status;
  }

  // Ends the row group: says where its chunks are, in the schema's order.
  void EndRowGroup(const Copied& appended) {
    std::size_t next_taken = 0;
    std::size_t next_appended = 0;
    std::int64_t num_bytes = 0;
    for (const int source : sources) {
      const Copied& copied = source == kAppended ? appended : *taken_chunks;
      const std::size_t at = source == kAppended ? next_appended++ : next_taken++;
      Describe(*copied.chunks[at], copied.copy.MovedBy(at), *row_group->NextColumnChunk());
      num_bytes += copied.chunks[at]->total_uncompressed_size();
    }
    taken_chunks.reset();
    row_group->Finish(num_bytes, num_row_groups++);
  }
};

AnnotatedCopy::AnnotatedCopy(std::unique_ptr<State> state) : state_(std::move(state)) {}
AnnotatedCopy::~AnnotatedCopy() = default;

bool AnnotatedCopy::CanCopy(const ParquetInput& input) {
  const parquet::FileMetaData& metadata = input.metadata();
  if (metadata.is_encryption_algorithm_set() ||
      metadata.writer_version().VersionLt(
          parquet::ApplicationVersion::PARQUET_816_FIXED_VERSION()) ||
      metadata.num_row_groups() > std::numeric_limits<std::int16_t>::max()) {
    return false;
  }
  std::vector<parquet::Compression::type> codecs;
  for (int i = 0; i < metadata.num_row_groups(); ++i) {
    const auto group = metadata.RowGroup(i);
    for (int j = 0; j < group->num_columns(); ++j) {
      const auto chunk = group->ColumnChunk(j);
      if (chunk->crypto_metadata() != nullptr || !chunk->file_path().empty()) return false;
      if (i == 0) codecs.push_back(chunk->compression());
      if (codecs[static_cast<std::size_t>(j)] != chunk->compression()) return false;
    }
  }
  return true;
}

arrow::Result<std::unique_ptr<AnnotatedCopy>> AnnotatedCopy::Create(
    const std::filesystem::path& path, const std::string& name, const ParquetInput& input,
    const std::shared_ptr<arrow::Schema>& schema, const std::vector<int>& sources) {
  auto copy = std::unique_ptr<AnnotatedCopy>(new AnnotatedCopy(std::make_unique<State>()));
  State& s = *copy->state_;
  s.name = name;
  s.input = &input;
  auto create = [&]() -> arrow::Status {
    BEGIN_PARQUET_CATCH_EXCEPTIONS
    s.footer = parquet::ReadMetaData(input.bytes());
    s.arrow_properties = ArrowPropertiesLike(input);
    ARROW_RETURN_NOT_OK(s.MakeSchema(*schema, sources));
    s.MakeBuilder();

    // Arrow's own key-value metadata is what it would write for the whole schema.
    ARROW_ASSIGN_OR_RAISE(const auto whole, arrow::Table::MakeEmpty(schema));
    ARROW_ASSIGN_OR_RAISE(
        const auto whole_file,
        WriteToMemory(*whole, parquet::default_writer_properties(), s.arrow_properties));
    const auto arrows = parquet::ReadMetaData(std::make_shared<arrow::io::BufferReader>(whole_file))
                            ->key_value_metadata();
    s.key_values = arrows->Merge(*FurtherMetadata(input, *schema));

    ARROW_ASSIGN_OR_RAISE(s.file, arrow::io::FileOutputStream::Open(path.string()));
    return s.file->Write(kMagic, kMagicSize);
    END_PARQUET_CATCH_EXCEPTIONS
  };
  ARROW_RETURN_NOT_OK(copy->Explain(create()));
  return copy;
}

arrow::Status AnnotatedCopy::StartRowGroup(int row_group) {
  State& s = *state_;
  auto start = [&]() -> arrow::Status {
    BEGIN_PARQUET_CATCH_EXCEPTIONS
    const auto group = s.footer->RowGroup(row_group);
    s.row_group = s.builder->AppendRowGroup();
    s.num_rows = group->num_rows();
    s.row_group->set_num_rows(s.num_rows);
    s.rows_copied = 0;
    ARROW_ASSIGN_OR_RAISE(State::Copied copied, s.StartCopy(*group, s.taken, *s.input->bytes()));
    s.taken_chunks = std::make_unique<State::Copied>(std::move(copied));
    return arrow::Status::OK();
    END_PARQUET_CATCH_EXCEPTIONS
  };
  return Explain(start());
}

arrow::Status AnnotatedCopy::CopyRows(std::int64_t num_rows) {
  return Explain(state_->CopyTaken(state_->rows_copied + num_rows));
}

arrow::Status AnnotatedCopy::AppendColumns(const arrow::ChunkedArrayVector& columns) {
  State& s = *state_;
  auto append = [&]() -> arrow::Status {
    BEGIN_PARQUET_CATCH_EXCEPTIONS
    ARROW_RETURN_NOT_OK(s.CopyTaken(s.num_rows));
    const auto table = arrow::Table::Make(s.appended_schema, columns, s.num_rows);
    ARROW_RETURN_NOT_OK(table->Validate());
    ARROW_ASSIGN_OR_RAISE(const auto bytes,
                          WriteToMemory(*table, s.appended_properties, s.arrow_properties));
    arrow::io::BufferReader reader(bytes);
    const auto footer = parquet::ReadMetaData(std::make_shared<arrow::io::BufferReader>(bytes));
    ARROW_ASSIGN_OR_RAISE(State::Copied appended,
                          s.StartCopy(*footer->RowGroup(0), AllLeaves(*footer), reader));
    ARROW_RETURN_NOT_OK(appended.copy.CopyUntil(appended.copy.size()));
    s.EndRowGroup(appended);
    return arrow::Status::OK();
    END_PARQUET_CATCH_EXCEPTIONS
  };
  return Explain(append());
}

arrow::Status AnnotatedCopy::Close() {
  State& s = *state_;
  auto close = [&]() -> arrow::Status {
    BEGIN_PARQUET_CATCH_EXCEPTIONS
    parquet::WriteFileMetaData(*s.builder->Finish(s.key_values), s.file.get());
    return s.file->Close();
    END_PARQUET_CATCH_EXCEPTIONS
  };
  return Explain(close());
}

bool AnnotatedCopy::InputFailed() const { return state_->input_failed; }

arrow::Status AnnotatedCopy::Explain(const arrow::Status& status) const {
  if (status.ok()) return status;
  if (state_->input_failed) return state_->input->Explain(status);
  return status.WithMessage(state_->name, " can't be written: ", status.message());
}

}  // namespace spuna::arrow_io
