#include "pipelines/score/appended_columns.h"

#include <arrow/api.h>
#include <arrow/json/from_string.h>

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/support/parquet_files.h"

namespace spuna {
namespace {

std::shared_ptr<arrow::Array> FromJson(const std::shared_ptr<arrow::DataType>& type,
                                       const std::string& json) {
  return test::Get(arrow::json::ArrayFromJSONString(type, json));
}

std::shared_ptr<arrow::RecordBatch> Select(const std::shared_ptr<arrow::Array>& column,
                                           const std::string& selected) {
  const auto batch =
      arrow::RecordBatch::Make(arrow::schema({arrow::field("a", column->type())}), 5, {column});
  const auto ours = FromJson(arrow::int8(), "[0, 1, 2, 3, 4]");
  const auto schema = test::Get(
      AppendFields(*batch->schema(), {0}, {arrow::field("ours", arrow::int8())}, "a file"));
  return test::Get(AppendColumns(
      *batch, schema, {ours},
      std::static_pointer_cast<arrow::BooleanArray>(FromJson(arrow::boolean(), selected))));
}

BOOST_AUTO_TEST_SUITE(appended_columns)

BOOST_AUTO_TEST_CASE(rows_of_every_type_are_selected) {
  const std::string words = R"(["a", null, "longer than twelve bytes", "d", "e"])";
  const std::string lists = "[[1], null, [], [2, 3], [4]]";
  const std::vector<std::pair<std::shared_ptr<arrow::DataType>, std::string>> columns = {
      {arrow::utf8(), words},
      {arrow::utf8_view(), words},
      {arrow::binary_view(), words},
      {arrow::list(arrow::utf8_view()), R"([["a"], null, [], ["b", "c"], ["d"]])"},
      {arrow::list_view(arrow::int32()), lists},
      {arrow::large_list_view(arrow::int32()), lists},
      {arrow::struct_({arrow::field("x", arrow::utf8_view())}),
       R"([{"x": "a"}, null, {"x": null}, {"x": "d"}, {"x": "e"}])"},
      {arrow::dictionary(arrow::int8(), arrow::utf8()), words},
      {arrow::null(), "[null, null, null, null, null]"}};
  for (const auto& [type, json] : columns) {
    BOOST_TEST_CONTEXT(type->ToString()) {
      const auto column = FromJson(type, json);
      for (const auto& [selected, rows] : std::vector<std::pair<std::string, std::vector<int>>>{
               {"[true, true, false, false, true]", {0, 1, 4}},
               {"[false, true, true, true, false]", {1, 2, 3}},
               {"[false, false, false, false, false]", {}}}) {
        const auto batch = Select(column, selected);
        test::Require(batch->ValidateFull());
        BOOST_REQUIRE(batch->num_rows() == static_cast<std::int64_t>(rows.size()));
        for (std::size_t i = 0; i < rows.size(); ++i) {
          const auto found = test::Get(batch->column(0)->GetScalar(static_cast<std::int64_t>(i)));
          BOOST_TEST(found->Equals(*test::Get(column->GetScalar(rows[i]))));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_name_that_is_there_is_refused) {
  const auto schema = arrow::schema({arrow::field("a", arrow::int8())});
  BOOST_TEST(
      AppendFields(*schema, {0}, {arrow::field("a", arrow::int8())}, "a file").status().message() ==
      "a file: there is a column 'a' already; choose other names with `prefix`");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
