#include "pipelines/fit/stream_texts.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <utility>

namespace spuna {
namespace {

void KeepAt(const std::vector<std::size_t>& indices, std::vector<std::string>& texts) {
  if (texts.empty()) return;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] != i) texts[i] = std::move(texts[indices[i]]);
  }
  texts.resize(indices.size());
}

arrow::Status AppendTexts(const NamedColumn& column, const arrow::RecordBatch& batch,
                          std::vector<std::string>& texts) {
  ARROW_ASSIGN_OR_RAISE(const auto values, column.Texts(batch));
  for (std::int64_t i = 0; i < values->length(); ++i) {
    texts.push_back(values->IsNull(i) ? "" : values->GetString(i));
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<StreamTexts> StreamTexts::Make(const arrow::Schema& schema, const std::string& where,
                                             const FitOptions& options,
                                             const std::optional<IdColumn>& ids) {
  StreamTexts texts;
  if (!options.stratify.empty()) {
    ARROW_ASSIGN_OR_RAISE(texts.class_column_,
                          NamedColumn::Find(schema, where, {}, options.stratify, "stratify"));
  }
  if (!options.fold_by.empty()) {
    ARROW_ASSIGN_OR_RAISE(texts.group_column_,
                          NamedColumn::Find(schema, where, {}, options.fold_by, "fold-by"));
  }
  texts.wants_ids_ = ids.has_value();
  if (ids && (ids->is_asked || ids->IsIn(schema))) {
    ARROW_ASSIGN_OR_RAISE(texts.id_column_, NamedColumn::Find(schema, where, {}, ids->name, "id"));
  }
  return texts;
}

arrow::Status StreamTexts::Append(const arrow::RecordBatch& batch, std::int64_t first_row) {
  if (class_column_) ARROW_RETURN_NOT_OK(AppendTexts(*class_column_, batch, classes_));
  if (group_column_) ARROW_RETURN_NOT_OK(AppendTexts(*group_column_, batch, groups_));
  if (!wants_ids_) return arrow::Status::OK();
  if (id_column_) return AppendTexts(*id_column_, batch, ids_);
  for (std::int64_t i = 0; i < batch.num_rows(); ++i) ids_.push_back(PlaceInStream(first_row + i));
  return arrow::Status::OK();
}

void StreamTexts::Keep(const std::vector<std::size_t>& indices) {
  KeepAt(indices, classes_);
  KeepAt(indices, groups_);
  KeepAt(indices, ids_);
}

void StreamTexts::MoveTo(FitInput& input) {
  std::vector<std::size_t> valid;
  for (std::size_t i = 0; i < input.rows.valid.size(); ++i) {
    if (input.rows.valid[i] != 0) valid.push_back(i);
  }
  Keep(valid);
  input.classes = std::move(classes_);
  input.groups = std::move(groups_);
  input.ids = std::move(ids_);
}

}  // namespace spuna
