#include "pipelines/score/output_columns.h"

#include <arrow/api.h>

#include <boost/test/unit_test.hpp>

#include "arrow_io/parquet_input.h"
#include "pipelines/options/job_descriptions.h"
#include "tests/support/parquet_files.h"

namespace spuna {
namespace {

using arrow_io::kAppended;
using test::Get;

// A file of an earlier run, with a column in a struct that is called as one of ours.
std::shared_ptr<arrow::Schema> Scored() {
  return arrow::schema(
      {arrow::field("id", arrow::int64()), arrow::field("spuna_keep", arrow::boolean()),
       arrow::field("spuna_p_value", arrow::float32()),
       arrow::field("nested", arrow::struct_({arrow::field("spuna_score", arrow::float32())})),
       arrow::field("spuna_score", arrow::float64()),
       arrow::field("embedding", arrow::list(arrow::float32()))},
      arrow::key_value_metadata({"who"}, {"me"}));
}

std::string Message(const arrow::Schema& schema, const ScoreOptions& options,
                    const HiveKeys& keys = {}) {
  return ArrangeColumns(schema, options, "a file", keys).status().message();
}

BOOST_AUTO_TEST_SUITE(output_columns)

BOOST_AUTO_TEST_CASE(ours_stand_at_the_end) {
  const auto input = arrow::schema({arrow::field("id", arrow::int64())},
                                   arrow::key_value_metadata({"who"}, {"me"}));
  ScoreOptions options;
  const OutputColumns columns = Get(ArrangeColumns(*input, options, "a file"));
  BOOST_TEST((columns.schema->field_names() ==
              std::vector<std::string>{"id", "spuna_score", "spuna_keep"}));
  BOOST_TEST((columns.sources == std::vector<int>{0, kAppended, kAppended}));
  BOOST_TEST((columns.ours == std::vector<std::size_t>{0, 1}));
  BOOST_TEST(columns.schema->metadata()->Equals(*input->metadata()));
}

BOOST_AUTO_TEST_CASE(only_columns_that_are_written_are_replaced) {
  ScoreOptions options;
  BOOST_TEST(
      Message(*Scored(), options) ==
      "a file: there is a column 'spuna_score' already; choose other names with `prefix`, or "
      "replace it with `--replace`");
  options.replace = true;
  OutputColumns columns = Get(ArrangeColumns(*Scored(), options, "a file"));
  BOOST_TEST((columns.schema->field_names() ==
              std::vector<std::string>{"id", "spuna_p_value", "nested", "embedding", "spuna_score",
                                       "spuna_keep"}));
  BOOST_TEST(columns.schema->field(4)->type()->Equals(arrow::float32()));
  BOOST_TEST(columns.schema->field(2)->Equals(*Scored()->field(3)));
  BOOST_TEST((columns.sources == std::vector<int>{0, 2, 3, 5, kAppended, kAppended}));
  options.p_values = true;
  columns = Get(ArrangeColumns(*Scored(), options, "a file"));
  BOOST_TEST((columns.sources == std::vector<int>{0, 3, 5, kAppended, kAppended, kAppended}));
  // Other names are not in the way, and nothing is replaced then.
  options.prefix = "other_";
  BOOST_TEST(Get(ArrangeColumns(*Scored(), options, "a file")).sources.size() == 9);
}

BOOST_AUTO_TEST_CASE(columns_come_in_the_order_asked_for) {
  ScoreOptions options;
  options.replace = true;
  options.columns = {"spuna_keep", "embedding", "id"};
  const OutputColumns columns = Get(ArrangeColumns(*Scored(), options, "a file"));
  BOOST_TEST((columns.schema->field_names() == *options.columns));
  BOOST_TEST((columns.sources == std::vector<int>{kAppended, 5, 0}));
  BOOST_TEST((columns.ours == std::vector<std::size_t>{1}));
  // What is not written is in nobody's way.
  options.replace = false;
  BOOST_TEST(Message(*Scored(), options).starts_with("a file: there is a column 'spuna_keep'"));
  options.columns = {"id"};
  BOOST_TEST(Get(ArrangeColumns(*Scored(), options, "a file")).ours.empty());
}

BOOST_AUTO_TEST_CASE(a_column_that_is_not_there_is_an_error_with_advice) {
  const auto input =
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("same", arrow::int64()),
                     arrow::field("same", arrow::int64())});
  ScoreOptions options;
  options.columns = {"idd"};
  BOOST_TEST(Message(*input, options) ==
             "a file: `columns`: there is no column 'idd'; did you mean 'id'? there are 'id', "
             "'same', 'same', 'spuna_score', 'spuna_keep'");
  options.columns = {"day"};
  BOOST_TEST(
      Message(*input, options, {{"day", "1"}}) ==
      "a file: `columns`: there is no column 'day' in the file: it is a hive key, which is in "
      "the path, there and in the output; leave it out");
  options.columns = {"spuna_p_value"};
  BOOST_TEST(Message(*input, options) ==
             "a file: `columns`: there is no column 'spuna_p_value'; it is one of ours with "
             "`p-values`");
  options.columns = {"spuna_distance"};
  BOOST_TEST(Message(*input, options).ends_with("it is one of ours with `distances`"));
  options.columns = {"same"};
  BOOST_TEST(Message(*input, options) ==
             "a file: `columns`: 2 columns are called 'same'; rename all but one");
}

BOOST_AUTO_TEST_CASE(columns_are_checked_before_the_data) {
  ScoreOptions options;
  options.columns.emplace();
  BOOST_TEST(
      options.Validate().message() ==
      "`columns`: expected one or more names of columns but found none; leave it out to write "
      "all");
  options.columns = {"id", "id"};
  BOOST_TEST(options.Validate().message() ==
             "`columns`: expected every column once but found 'id' twice");
  options.columns = {"id", ""};
  BOOST_TEST(options.Validate().message() ==
             "`columns`: expected names of columns but found an empty one");
  CleanJob job;
  job.columns = {"id", "id"};
  BOOST_TEST(!job.Validate().ok());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
