#include "pipelines/source/reviewed_rows.h"

#include <arrow/api.h>

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow_io/hash.h"
#include "tests/support/parquet_files.h"
#include "tests/support/temp_directory.h"

namespace spuna {
namespace {

using test::Get;
using test::Require;

// Files of verdicts in a directory of their own.
struct Files {
  test::TempDirectory directory;

  std::string Write(const std::string& name, const std::string& bytes) const {
    test::WriteFile(directory / name, bytes);
    return directory / name;
  }
  ReviewedRows Read(const std::string& name, const std::string& bytes,
                    const std::string& embedding = "") const {
    return Get(ReadReviewedRows({Write(name, bytes)}, embedding));
  }
  // The error that reading ends with; the directory is left out.
  std::string Error(const std::string& name, const std::string& bytes) const {
    return ErrorOf(Write(name, bytes));
  }
  std::string ErrorOf(const std::string& path) const {
    std::string message = ReadReviewedRows({path}, "").status().message();
    const std::string prefix = directory / "";
    for (std::size_t at = message.find(prefix); at != std::string::npos;
         at = message.find(prefix)) {
      message.erase(at, prefix.size());
    }
    return message;
  }
};

template <typename Builder, typename Value>
std::shared_ptr<arrow::Array> ArrayOf(const std::vector<std::optional<Value>>& values) {
  Builder builder;
  for (const auto& value : values) Require(value ? builder.Append(*value) : builder.AppendNull());
  return Get(builder.Finish());
}

BOOST_AUTO_TEST_SUITE(reviewed_rows)

BOOST_AUTO_TEST_CASE(reads_csv_as_text) {
  const Files files;
  const ReviewedRows read = files.Read("r.csv",
                                       "\xEF\xBB\xBFid,verdict,note,embedding,keep,probability\r\n"
                                       "007, SHIFTED ,1,x,True,0.25\r\n"
                                       "\"a,\"\"b\"\"\nc\",clean,text,,false,\r\n"
                                       "NA,Unsure,\xFF,,,1\r\n"
                                       "2020-01-01,,,,,\r\n");
  BOOST_REQUIRE(read.rows.size() == 3U);
  BOOST_TEST(*read.rows[0].id == "007");
  BOOST_TEST((read.rows[0].answer == Answer::kShifted));
  BOOST_TEST(*read.rows[0].keep == true);
  BOOST_TEST(*read.rows[0].probability == 0.25);
  BOOST_TEST(!read.rows[0].is_trusted);
  BOOST_TEST(read.rows[0].embedding.empty());
  BOOST_TEST(read.rows[0].where == files.directory / "r.csv" + ", line 2");
  BOOST_TEST(*read.rows[1].id == "a,\"b\"\nc");
  BOOST_TEST((read.rows[1].answer == Answer::kClean));
  BOOST_TEST(*read.rows[1].keep == false);
  BOOST_TEST(!read.rows[1].probability.has_value());
  BOOST_TEST(*read.rows[2].id == "NA");
  BOOST_TEST((read.rows[2].answer == Answer::kUnsure));
  BOOST_TEST(!read.rows[2].keep.has_value());
}

BOOST_AUTO_TEST_CASE(reads_places_and_inputs) {
  const Files files;
  const ReviewedRows read = files.Read("r.csv",
                                       "id,file,row,verdict,input\n"
                                       "a,x/y.parquet,0,clean,trusted\n"
                                       ",x/y.parquet,3.0,clean,Pool\n"
                                       "b,x/y.parquet,,clean,\n");
  BOOST_REQUIRE(read.rows.size() == 3U);
  BOOST_TEST(*read.rows[0].id == "a");
  BOOST_TEST(*read.rows[0].file == "x/y.parquet");
  BOOST_TEST(*read.rows[0].row == 0);
  BOOST_TEST(read.rows[0].is_trusted);
  BOOST_TEST(!read.rows[1].id.has_value());
  BOOST_TEST(*read.rows[1].row == 3);
  BOOST_TEST(!read.rows[1].is_trusted);
  // Half a place is none.
  BOOST_TEST(!read.rows[2].file.has_value());
  BOOST_TEST(files.Read("header.csv", "verdict,id\n").rows.empty());
}

BOOST_AUTO_TEST_CASE(reads_json_lines) {
  const Files files;
  const ReviewedRows read = files.Read(
      "r.jsonl",
      "\xEF\xBB\xBF{\"id\": \"007\", \"verdict\": \"clean\", \"embedding\": [1, 2.5]}\r\n"
      "\n"
      "{\"id\": 7, \"verdict\": \"shifted\", \"embedding\": null, \"extra\": {\"a\": []}}\n"
      "{\"id\": 8, \"verdict\": null}\n"
      "{\"id\": \"2020-01-01\", \"verdict\": \"unsure\", \"keep\": true, \"probability\": 0.5}\n"
      "{\"verdict\": \"clean\", \"embedding\": [3, 4]}");
  BOOST_REQUIRE(read.rows.size() == 4U);
  BOOST_TEST(*read.rows[0].id == "007");
  BOOST_TEST((read.rows[0].embedding == std::vector<float>{1, 2.5}));
  BOOST_TEST(*read.rows[1].id == "7");
  BOOST_TEST(read.rows[1].embedding.empty());
  BOOST_TEST(read.rows[1].where == files.directory / "r.jsonl" + ", line 3");
  BOOST_TEST(*read.rows[2].id == "2020-01-01");
  BOOST_TEST(*read.rows[2].keep == true);
  BOOST_TEST(*read.rows[2].probability == 0.5);
  BOOST_TEST(!read.rows[3].id.has_value());
  BOOST_TEST((read.rows[3].embedding == std::vector<float>{3, 4}));
  const ReviewedRows named = files.Read(
      "n.ndjson", "{\"id\": 1, \"verdict\": \"clean\", \"embedding\": \"x\", \"v\": [9]}", "v");
  BOOST_TEST((named.rows[0].embedding == std::vector<float>{9}));
}

BOOST_AUTO_TEST_CASE(reads_parquet) {
  const Files files;
  const test::Matrix rows = test::RandomRows(3, 4, 1);
  const auto list = arrow::list(arrow::float64());
  const auto schema = arrow::schema(
      {arrow::field("id", arrow::int64()), arrow::field("verdict", arrow::utf8()),
       arrow::field("keep", arrow::boolean()), arrow::field("probability", arrow::float64()),
       arrow::field("embedding", list)});
  const auto table = arrow::Table::Make(
      schema, {ArrayOf<arrow::Int64Builder, std::int64_t>({7, {}, 9}),
               ArrayOf<arrow::StringBuilder, std::string>({"clean", "shifted", {}}),
               ArrayOf<arrow::BooleanBuilder, bool>({false, {}, true}),
               ArrayOf<arrow::DoubleBuilder, double>({0.1, {}, 0.2}),
               test::EmbeddingArray(rows, list, {0})});
  test::WriteParquet(files.directory / "r.PARQUET", *table, 1);
  const ReviewedRows read = Get(ReadReviewedRows({files.directory / "r.PARQUET"}, ""));
  BOOST_REQUIRE(read.rows.size() == 2U);
  BOOST_TEST(*read.rows[0].id == "7");
  BOOST_TEST(*read.rows[0].keep == false);
  BOOST_TEST(*read.rows[0].probability == 0.1);
  BOOST_TEST(read.rows[0].embedding.empty());
  BOOST_TEST(!read.rows[1].id.has_value());
  BOOST_TEST(read.rows[1].where == files.directory / "r.PARQUET" + ", row 1");
  BOOST_REQUIRE(read.rows[1].embedding.size() == 4U);
  for (std::size_t j = 0; j < 4; ++j) {
    BOOST_TEST(read.rows[1].embedding[j] == rows.view().row(1)[j]);
  }
  // A row that is not finite is refused.
  test::Matrix broken = rows;
  broken.values[6] = std::numeric_limits<float>::quiet_NaN();
  const auto bad = Get(table->SetColumn(
      4, schema->field(4),
      std::make_shared<arrow::ChunkedArray>(test::EmbeddingArray(broken, list, {0}))));
  test::WriteParquet(files.directory / "bad.pq", *bad);
  BOOST_TEST(files.ErrorOf(files.directory / "bad.pq") ==
             "bad.pq, row 1: expected an embedding of finite numbers but found one that is not "
             "finite");
}

BOOST_AUTO_TEST_CASE(hashes_all_bytes_in_order) {
  const Files files;
  const std::string a = "id,verdict\n1,clean\n";
  const std::string b = "{\"id\": 2, \"verdict\": \"clean\"}\n";
  const std::string first = files.Write("a.csv", a);
  const std::string second = files.Write("b.json", b);
  const ReviewedRows both = Get(ReadReviewedRows({first, second}, ""));
  BOOST_TEST(both.rows.size() == 2U);
  BOOST_TEST(both.hash == arrow_io::HashDigits(a + b));
  BOOST_TEST(Get(ReadReviewedRows({second, first}, "")).hash == arrow_io::HashDigits(b + a));
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong_with_a_file) {
  const Files files;
  BOOST_TEST(files.ErrorOf(files.directory / "no.csv") == "`reviewed`: no.csv: no such file");
  BOOST_TEST(files.ErrorOf(files.directory.path().string()).find("expected a file but found") !=
             std::string::npos);
  BOOST_TEST(files.Error("e.csv", "") == "`reviewed`: e.csv: expected rows but the file is empty");
  BOOST_TEST(files.Error("e.jsonl", "\n \n") ==
             "`reviewed`: e.jsonl: expected a JSON object a line but found no line");
  BOOST_TEST(files.Error("t.txt", "x") ==
             "`reviewed`: t.txt: expected a name that ends in .csv (CSV), .jsonl (JSON lines) or "
             ".parquet (Parquet) but found '.txt'");
  BOOST_TEST(files.Error("c.csv", "id,answer\n1,clean\n") ==
             "`reviewed`: c.csv: expected a column 'verdict' but found 'id', 'answer'");
  BOOST_TEST(files.Error("c.jsonl", "{\"id\": 1}\n") ==
             "`reviewed`: c.jsonl: expected 'verdict' in its lines but found it in none");
  BOOST_TEST(files.Error("two.csv", "id,verdict,verdict\n1,clean,clean\n") ==
             "two.csv: 2 columns are called 'verdict'; rename all but one");
  BOOST_TEST(files.Error("p.parquet", "no magic").starts_with("p.parquet: "));
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong_with_a_line) {
  const Files files;
  const std::string header = "id,verdict,file,row,input,probability,keep\n1,clean,,,,,\n";
  auto error = [&](const std::string& line) { return files.Error("r.csv", header + line + "\n"); };
  BOOST_TEST(error("2,bad,,,,,") ==
             "r.csv, line 3: expected verdict shifted, clean or unsure but found 'bad'");
  for (const std::string row : {"-1", "1.5", "x", "1e300", "nan"}) {
    BOOST_TEST(error("2,clean,a," + row + ",,,") ==
               "r.csv, line 3: expected row as a whole number from 0 on but found '" + row + "'");
  }
  for (const std::string probability : {"0", "-0.1", "1.01", "nan", "half"}) {
    BOOST_TEST(error("2,clean,,,," + probability + ",") ==
               "r.csv, line 3: expected probability above 0 and at most 1 but found '" +
                   probability + "'");
  }
  BOOST_TEST(error("2,clean,,,lake,,") ==
             "r.csv, line 3: expected input pool or trusted but found 'lake'");
  BOOST_TEST(error("2,clean,,,,,maybe") ==
             "r.csv, line 3: expected keep true or false but found 'maybe'");
  const std::string none =
      "r.csv, line 3: expected id, or file and row, or an embedding but found ";
  BOOST_TEST(error(",clean,,,,,") == none + "none of them");
  BOOST_TEST(error(",clean,a,,,,") == none + "file without row");
  BOOST_TEST(error(",clean,,1,,,") == none + "row without file");
  BOOST_TEST(error("2,clean") ==
             "r.csv, line 3: expected 7 values, as many as the header has, but found 2");
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong_with_a_line_of_json) {
  const Files files;
  auto error = [&](const std::string& line) {
    return files.Error(
        "r.jsonl", "{\"id\": 1, \"verdict\": \"clean\", \"embedding\": [1, 2]}\n" + line + "\n");
  };
  BOOST_TEST(error("[1]") ==
             "r.jsonl, line 2: expected one JSON object in the line but found array");
  BOOST_TEST(error("{\"id\": ") ==
             "r.jsonl, line 2: expected one JSON object in the line but found something else");
  BOOST_TEST(error("{\"id\": [1], \"verdict\": \"clean\"}") ==
             "r.jsonl, line 2: expected id as text or a number but found a list");
  for (const std::string list : {"[]", "[1,null]", "\"x\"", "[1,\"a\"]"}) {
    BOOST_TEST(error("{\"verdict\": \"clean\", \"embedding\": " + list + "}") ==
               "r.jsonl, line 2: expected embedding as a list of numbers but found " + list);
  }
  BOOST_TEST(error("{\"verdict\": \"clean\", \"embedding\": [1, 1e300]}") ==
             "r.jsonl, line 2: expected an embedding of finite numbers but found one that is not "
             "finite");
  BOOST_TEST(error("{\"verdict\": \"clean\", \"embedding\": [1]}") ==
             "r.jsonl, line 2: expected an embedding of dimension 2, as in r.jsonl, line 1, but "
             "found 1");
}

BOOST_AUTO_TEST_CASE(reads_a_million_lines) {
  const Files files;
  constexpr int kLines = 1'000'000;
  std::string bytes = "id,verdict,other\n";
  // What others hold changes its kind far behind the first block.
  for (int i = 0; i < kLines; ++i) {
    bytes += "row number " + std::to_string(i) + ",clean," + (i < kLines - 1 ? "1" : "one") + "\n";
  }
  const ReviewedRows read = files.Read("r.csv", bytes);
  BOOST_REQUIRE(read.rows.size() == std::size_t{kLines});
  BOOST_TEST(*read.rows.back().id == "row number 999999");
  BOOST_TEST(read.rows.back().where == files.directory / "r.csv" + ", line 1000001");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
