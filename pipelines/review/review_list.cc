#include "pipelines/review/review_list.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <nlohmann/json.hpp>

#include "arrow_io/hash.h"
#include "pipelines/run/number_words.h"

namespace spuna {
namespace {

using nlohmann::json;

constexpr const char* kPool = "pool";
constexpr const char* kTrusted = "trusted";
constexpr const char* kClean = "clean";

template <typename Builder, typename Value>
arrow::Result<std::shared_ptr<arrow::Array>> Column(const ReviewList& list, Value value) {
  Builder builder;
  for (const auto* const items : {&list.rows, &list.answered}) {
    for (const ReviewItem& item : *items) ARROW_RETURN_NOT_OK(value(builder, item));
  }
  return builder.Finish();
}

json ToJson(const RowFace& face) {
  json shown = json::object();
  if (!face.picture.empty()) shown["picture"] = face.picture;
  if (!face.text.empty()) shown["text"] = face.text;
  if (!face.values.empty()) shown["values"] = face.values;
  return shown;
}

json ToJson(const SimilarRow& row) {
  json shown = ToJson(row.face);
  shown["id"] = row.id;
  shown["distance"] = row.distance;
  return shown;
}

json ToJson(const ReviewItem& item) {
  json shown = ToJson(item.face);
  const ChosenRow& chosen = item.chosen;
  shown["id"] = item.id;
  shown["file"] = item.file;
  shown["row"] = item.row;
  shown["score"] = chosen.score;
  shown["keep"] = !chosen.is_dropped;
  shown["why"] = chosen.why;
  shown["probability"] = chosen.probability ? json(*chosen.probability) : json();
  shown["input"] = chosen.calibrates ? kTrusted : kPool;
  if (chosen.calibrates) shown["verdict"] = kClean;
  if (item.nearest_trusted) {
    shown["nearest_trusted"] = ToJson(*item.nearest_trusted);
    shown["nearest_trusted_distance"] = item.nearest_trusted->distance;
  }
  shown["neighbors"] = json::array();
  for (const SimilarRow& row : item.neighbors) shown["neighbors"].push_back(ToJson(row));
  return shown;
}

// Names a review in a browser's storage: other rows, other marks.
std::string KeyOf(const ReviewList& list) {
  std::string rows = list.pool_name;
  for (const ReviewItem& item : list.rows) {
    rows += '\n' + item.id + '\t' + item.file + '\t' + std::to_string(item.row);
  }
  return arrow_io::HashDigits(rows);
}

}  // namespace

std::shared_ptr<arrow::Schema> ReviewSchema() {
  return arrow::schema(
      {arrow::field("id", arrow::utf8()), arrow::field("file", arrow::utf8()),
       arrow::field("row", arrow::int64()), arrow::field("score", arrow::float32()),
       arrow::field("keep", arrow::boolean()), arrow::field("why", arrow::utf8()),
       arrow::field("probability", arrow::float64()), arrow::field("input", arrow::utf8()),
       arrow::field("verdict", arrow::utf8())});
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> TableOf(const ReviewList& list) {
  arrow::ArrayVector columns;
  auto add = [&](arrow::Result<std::shared_ptr<arrow::Array>> column) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(auto made, std::move(column));
    columns.push_back(std::move(made));
    return arrow::Status::OK();
  };
  auto text = [&](auto value) {
    return add(Column<arrow::StringBuilder>(
        list, [&](auto& builder, const ReviewItem& item) { return builder.Append(value(item)); }));
  };
  ARROW_RETURN_NOT_OK(text([](const ReviewItem& item) { return item.id; }));
  ARROW_RETURN_NOT_OK(text([](const ReviewItem& item) { return item.file; }));
  ARROW_RETURN_NOT_OK(add(Column<arrow::Int64Builder>(
      list, [](auto& builder, const ReviewItem& item) { return builder.Append(item.row); })));
  ARROW_RETURN_NOT_OK(
      add(Column<arrow::FloatBuilder>(list, [](auto& builder, const ReviewItem& item) {
        return builder.Append(item.chosen.score);
      })));
  ARROW_RETURN_NOT_OK(
      add(Column<arrow::BooleanBuilder>(list, [](auto& builder, const ReviewItem& item) {
        return builder.Append(!item.chosen.is_dropped);
      })));
  ARROW_RETURN_NOT_OK(text([](const ReviewItem& item) { return item.chosen.why; }));
  ARROW_RETURN_NOT_OK(
      add(Column<arrow::DoubleBuilder>(list, [](auto& builder, const ReviewItem& item) {
        const std::optional<double>& probability = item.chosen.probability;
        return probability ? builder.Append(*probability) : builder.AppendNull();
      })));
  ARROW_RETURN_NOT_OK(
      text([](const ReviewItem& item) { return item.chosen.calibrates ? kTrusted : kPool; }));
  ARROW_RETURN_NOT_OK(
      add(Column<arrow::StringBuilder>(list, [](auto& builder, const ReviewItem& item) {
        return item.chosen.calibrates ? builder.Append(kClean) : builder.AppendNull();
      })));
  const auto num_rows = static_cast<std::int64_t>(list.rows.size() + list.answered.size());
  return arrow::RecordBatch::Make(ReviewSchema(), num_rows, std::move(columns));
}

json PageOf(const ReviewList& list) {
  json page = {
      {"title", "spuna review"},
      {"subtitle", list.pool_name + ", " + Count(static_cast<std::int64_t>(list.rows.size())) +
                       " rows to look at"},
      {"about",
       {"Is this row like the rows you trust, or is it shifted: corrupted, rendered, from "
        "another source?",
        "Say what you see. Unsure is a good answer too.",
        "Some rows were drawn at random: many of them are clean."}},
      {"next", list.next},
      {"key", KeyOf(list)},
      {"columns", ReviewSchema()->field_names()},
      {"rows", json::array()},
      {"answered", json::array()}};
  for (const ReviewItem& item : list.rows) page["rows"].push_back(ToJson(item));
  for (const ReviewItem& item : list.answered) {
    page["answered"].push_back({{"id", item.id},
                                {"file", item.file},
                                {"row", item.row},
                                {"score", item.chosen.score},
                                {"keep", !item.chosen.is_dropped},
                                {"why", item.chosen.why},
                                {"probability", nullptr},
                                {"input", kTrusted},
                                {"verdict", kClean}});
  }
  return page;
}

}  // namespace spuna
