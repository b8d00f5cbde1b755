#include "pipelines/source/stream_reviews.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

namespace spuna {

arrow::Result<StreamReviews> StreamReviews::Make(const ReviewedRows& reviewed, bool of_trusted,
                                                 const arrow::Schema& schema,
                                                 const std::string& where, const IdColumn& column) {
  StreamReviews reviews(reviewed, of_trusted);
  if (column.is_asked || column.IsIn(schema)) {
    ARROW_ASSIGN_OR_RAISE(reviews.id_column_,
                          NamedColumn::Find(schema, where, {}, column.name, "id"));
  }
  reviews.found_.paths = {""};
  reviews.found_.places.resize(reviewed.rows.size());
  for (std::size_t i = 0; i < reviewed.rows.size(); ++i) {
    const ReviewedRow& row = reviewed.rows[i];
    if (row.is_trusted != of_trusted) continue;
    if (row.id) reviews.wanted_[*row.id].push_back(i);
  }
  return reviews;
}

arrow::Result<std::shared_ptr<arrow::Array>> StreamReviews::Add(const arrow::RecordBatch& batch,
                                                                std::int64_t first_row) {
  if (wanted_.empty()) return nullptr;
  std::shared_ptr<arrow::StringArray> ids;
  if (id_column_) {
    ARROW_ASSIGN_OR_RAISE(ids, id_column_->Texts(batch));
  }
  arrow::BooleanBuilder named;
  for (std::int64_t i = 0; i < batch.num_rows(); ++i) {
    const std::string id = ids == nullptr    ? PlaceInStream(first_row + i)
                           : ids->IsValid(i) ? ids->GetString(i)
                                             : "";
    const auto lines = wanted_.find(id);
    const bool is_named = lines != wanted_.end();
    ARROW_RETURN_NOT_OK(is_named ? named.Append(true) : named.AppendNull());
    if (!is_named) continue;
    for (const std::size_t line : lines->second) {
      found_.places[line].push_back({0, first_row + i});
    }
  }
  return named.Finish();
}

PlacedReviews StreamReviews::Finish() const { return MergeReviews(reviewed_, of_trusted_, found_); }

}  // namespace spuna
