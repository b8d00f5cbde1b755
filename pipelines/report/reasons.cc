#include "pipelines/report/reasons.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <functional>
#include <utility>

#include "pipelines/run/exception_status.h"

namespace spuna {
namespace {

// A column of `count` values; `append` adds the one at an index to the builder.
template <typename Builder, typename Append>
arrow::Result<std::shared_ptr<arrow::Array>> MakeColumn(std::size_t count, Append append) {
  Builder builder;
  for (std::size_t i = 0; i < count; ++i) ARROW_RETURN_NOT_OK(append(builder, i));
  return builder.Finish();
}

// Why a row is dropped, in a word.
std::string ReasonWord(const DroppedRow& row) {
  if (row.is_reviewed) return "reviewed";
  switch (row.odd) {
    case algorithms::OddRow::kNo:
      break;
    case algorithms::OddRow::kFar:
      return "far";
    case algorithms::OddRow::kZero:
      return "zero";
    case algorithms::OddRow::kConstant:
      return "constant";
    case algorithms::OddRow::kRepeated:
      return "repeated";
  }
  return "score";
}

}  // namespace

std::shared_ptr<arrow::Schema> Reasons::schema() {
  return arrow::schema(
      {arrow::field("id", arrow::utf8()), arrow::field("file", arrow::utf8()),
       arrow::field("row", arrow::int64()), arrow::field("score", arrow::float32()),
       arrow::field("p_value", arrow::float32()), arrow::field("round", arrow::int32()),
       arrow::field("nearest_trusted", arrow::utf8()),
       arrow::field("nearest_trusted_distance", arrow::float32()),
       arrow::field("nearest_shifted", arrow::utf8()),
       arrow::field("nearest_shifted_distance", arrow::float32()),
       arrow::field("kind", arrow::int32()), arrow::field("reason", arrow::utf8())});
}

arrow::Result<Reasons::Compared> Reasons::Compare(const algorithms::EmbeddingsView& embeddings,
                                                  const algorithms::Execution& execution) const {
  if (findings_ == nullptr) return Compared{};
  return CatchExceptions([&]() -> arrow::Result<Compared> {
    const Findings& findings = *findings_;
    algorithms::Matrix copy;
    const algorithms::EmbeddingsView view =
        findings.limits.empty() ? embeddings : findings.limits.Clipped(embeddings, copy, execution);
    const algorithms::Matrix placed = findings.Place(view, execution);
    Compared found;
    found.trusted = algorithms::FindNearestRows(findings.trusted.view(), placed.view(), execution);
    if (findings.seeds.num_rows() > 0) {
      found.seeds = algorithms::FindNearestRows(findings.seeds.view(), placed.view(), execution);
    }
    found.kinds = findings.kinds.Assign(view, execution);
    return found;
  });
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Reasons::Make(
    const std::vector<DroppedRow>& rows, const algorithms::EmbeddingsView& embeddings,
    const algorithms::Execution& execution) const {
  ARROW_ASSIGN_OR_RAISE(const Compared compared, Compare(embeddings, execution));
  const std::vector<std::string> none;
  const std::size_t count = rows.size();
  using Strings = arrow::StringBuilder;
  using Floats = arrow::FloatBuilder;
  arrow::ArrayVector columns;
  auto add = [&](arrow::Result<std::shared_ptr<arrow::Array>> column) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(auto added, std::move(column));
    columns.push_back(std::move(added));
    return arrow::Status::OK();
  };
  auto text = [&](const std::function<std::string(std::size_t)>& value) {
    return MakeColumn<Strings>(count,
                               [&](Strings& to, std::size_t i) { return to.Append(value(i)); });
  };
  auto nearest = [&](const std::vector<algorithms::NearestRow>& found,
                     const std::vector<std::string>& ids) -> arrow::Status {
    ARROW_RETURN_NOT_OK(add(MakeColumn<Strings>(count, [&](Strings& to, std::size_t i) {
      return found.empty() ? to.AppendNull() : to.Append(ids[found[i].row]);
    })));
    return add(MakeColumn<Floats>(count, [&](Floats& to, std::size_t i) {
      return found.empty() ? to.AppendNull() : to.Append(static_cast<float>(found[i].distance));
    }));
  };
  ARROW_RETURN_NOT_OK(add(text([&](std::size_t i) { return rows[i].id; })));
  ARROW_RETURN_NOT_OK(add(text([&](std::size_t i) { return rows[i].file; })));
  ARROW_RETURN_NOT_OK(add(MakeColumn<arrow::Int64Builder>(
      count, [&](arrow::Int64Builder& to, std::size_t i) { return to.Append(rows[i].row); })));
  ARROW_RETURN_NOT_OK(add(MakeColumn<Floats>(
      count, [&](Floats& to, std::size_t i) { return to.Append(rows[i].score); })));
  ARROW_RETURN_NOT_OK(add(MakeColumn<Floats>(count, [&](Floats& to, std::size_t i) {
    return rows[i].p_value < 0 ? to.AppendNull() : to.Append(rows[i].p_value);
  })));
  ARROW_RETURN_NOT_OK(
      add(MakeColumn<arrow::Int32Builder>(count, [&](arrow::Int32Builder& to, std::size_t i) {
        return rows[i].round < 0 ? to.AppendNull() : to.Append(rows[i].round);
      })));
  ARROW_RETURN_NOT_OK(nearest(compared.trusted, findings_ ? findings_->trusted_ids : none));
  ARROW_RETURN_NOT_OK(nearest(compared.seeds, findings_ ? findings_->seed_ids : none));
  ARROW_RETURN_NOT_OK(
      add(MakeColumn<arrow::Int32Builder>(count, [&](arrow::Int32Builder& to, std::size_t i) {
        return compared.kinds.empty() ? to.AppendNull()
                                      : to.Append(static_cast<std::int32_t>(compared.kinds[i]) + 1);
      })));
  ARROW_RETURN_NOT_OK(add(text([&](std::size_t i) { return ReasonWord(rows[i]); })));
  return arrow::RecordBatch::Make(schema(), static_cast<std::int64_t>(count), std::move(columns));
}

}  // namespace spuna
