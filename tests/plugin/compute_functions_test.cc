#include <arrow/acero/options.h>
#include <arrow/api.h>
#include <arrow/compute/exec.h>
#include <arrow/compute/expression.h>
#include <arrow/dataset/dataset.h>
#include <arrow/dataset/discovery.h>
#include <arrow/dataset/file_parquet.h>
#include <arrow/dataset/scanner.h>
#include <arrow/extension/fixed_shape_tensor.h>
#include <arrow/filesystem/localfs.h>

#include <boost/test/unit_test.hpp>

#include "plugin/acero/node_options.h"
#include "plugin/acero/register.h"
#include "plugin/acero/spuna_acero.h"
#include "tests/support/files_example.h"
#include "tests/support/parquet_files.h"
#include "tests/support/plans.h"

namespace spuna::acero {
namespace {

namespace cp = arrow::compute;

struct Example : test::FilesExample {
  std::shared_ptr<const Model> model;
  std::shared_ptr<arrow::Table> scored;
  std::shared_ptr<arrow::Array> embeddings =
      test::EmbeddingArray(pool, test::FixedSizeFloats(test::kDimension));

  Example() {
    test::Require(Register());
    test::Require(Run(Fit("model"), test::Threads(1)).status());
    model = test::Get(LoadModel(directory / "model"));
    test::Require(RegisterModel("example", model));
    ScoreJob job;
    job.model = directory / "model";
    job.input = {directory / "pool.parquet"};
    job.output = directory / "scored";
    test::Require(Run(job, test::Threads(1)).status());
    scored = test::Get(test::ReadParquet(job.output)->CombineChunks());
  }
  ~Example() { test::Require(UnregisterModel("example")); }

  arrow::Result<arrow::Datum> Call(const std::string& function, const arrow::Datum& rows,
                                   const arrow::Datum& name) const {
    return cp::CallFunction(function, {rows, name});
  }
};

arrow::Datum Name(const std::string& name) { return arrow::Datum(name); }

BOOST_FIXTURE_TEST_SUITE(compute_functions, Example)

BOOST_AUTO_TEST_CASE(they_give_the_scores_of_the_command) {
  const auto scores = test::Get(Call("spuna_score", embeddings, Name("example")));
  const auto keeps = test::Get(Call("spuna_keep", embeddings, Name("example")));
  const auto array = scores.make_array();
  const auto& floats = static_cast<const arrow::FloatArray&>(*array);
  const auto expected = test::Scores(*scored);
  BOOST_REQUIRE(floats.length() == static_cast<std::int64_t>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    BOOST_TEST(std::abs(floats.Value(static_cast<std::int64_t>(i)) - expected[i]) <= 2e-6);
  }
  BOOST_TEST(keeps.make_array()->Equals(scored->GetColumnByName("spuna_keep")->chunk(0)));
}

BOOST_AUTO_TEST_CASE(chunks_slices_scalars_nulls_and_empty_columns_work) {
  const auto whole = test::Get(Call("spuna_keep", embeddings, Name("example"))).make_array();
  const auto slice = embeddings->Slice(17, 40);
  BOOST_TEST(test::Get(Call("spuna_keep", slice, Name("example")))
                 .make_array()
                 ->Equals(whole->Slice(17, 40)));
  const auto chunked = std::make_shared<arrow::ChunkedArray>(
      arrow::ArrayVector{embeddings->Slice(0, 10), embeddings->Slice(10, 0), slice});
  BOOST_TEST(test::Get(Call("spuna_keep", chunked, Name("example"))).length() == 50);
  BOOST_TEST(test::Get(Call("spuna_score", embeddings->Slice(0, 0), Name("example"))).length() ==
             0);
  const auto one = test::Get(embeddings->GetScalar(5));
  BOOST_TEST(test::Get(Call("spuna_keep", one, Name("example")))
                 .scalar()
                 ->Equals(*test::Get(whole->GetScalar(5))));
  const auto with_null =
      test::EmbeddingArray(pool, test::FixedSizeFloats(test::kDimension), /*null_rows=*/{2});
  const auto scores = test::Get(Call("spuna_score", with_null, Name("example"))).make_array();
  BOOST_TEST(scores->IsNull(2));
  BOOST_TEST(scores->null_count() == 1);
}

BOOST_AUTO_TEST_CASE(every_embedding_type_is_taken) {
  const auto whole = test::Get(Call("spuna_keep", embeddings, Name("example"))).make_array();
  for (const auto& type : {arrow::list(arrow::float32()), arrow::large_list(arrow::float64())}) {
    const auto other = test::EmbeddingArray(pool, type);
    BOOST_TEST(test::Get(Call("spuna_keep", other, Name("example"))).make_array()->Equals(whole));
  }
  const auto tensors = arrow::ExtensionType::WrapArray(
      arrow::extension::fixed_shape_tensor(arrow::float32(),
                                           {static_cast<std::int64_t>(test::kDimension)}),
      embeddings);
  BOOST_TEST(test::Get(Call("spuna_keep", tensors, Name("example"))).make_array()->Equals(whole));
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_said) {
  BOOST_TEST(Call("spuna_score", embeddings, Name("other")).status().ToString() ==
             "Key error: no model is registered as 'other'; the registered ones are 'example'");
  const auto null_name = arrow::MakeNullScalar(arrow::utf8());
  BOOST_TEST(Call("spuna_score", embeddings, null_name).status().message() ==
             "the name of the model is null");
  const auto narrow = test::EmbeddingArray(test::RandomRows(3, 2, 1), test::FixedSizeFloats(2));
  BOOST_TEST(Call("spuna_keep", narrow, Name("example")).status().message() ==
             "column 'embedding' of a call of spuna_keep: expected dimension 6 but found 2 at row "
             "0");
  const auto whole_numbers = test::Get(arrow::MakeArrayOfNull(arrow::list(arrow::int32()), 2));
  BOOST_TEST(Call("spuna_score", whole_numbers, Name("example")).status().message() ==
             "column 'embedding' of a call of spuna_score: expected a list of float16, float32 or "
             "float64 but found list<item: int32>");
  BOOST_TEST(RegisterModel("", model).message() == "the name of a model must not be empty");
  BOOST_TEST(RegisterModel("x", nullptr).message() == "model 'x': there is no model");
  BOOST_TEST(UnregisterModel("x").message() == "no model is registered as 'x'");
}

BOOST_AUTO_TEST_CASE(a_model_can_be_registered_from_c) {
  spuna_error error{};
  BOOST_TEST(spuna_acero_register(&error) == SPUNA_OK);
  const std::string bytes = SerializeModel(*model);
  BOOST_TEST(spuna_acero_register_model("by c", bytes.data(), bytes.size(), &error) == SPUNA_OK);
  BOOST_TEST(test::Get(Call("spuna_score", embeddings, Name("by c")))
                 .Equals(test::Get(Call("spuna_score", embeddings, Name("example")))));
  BOOST_TEST(spuna_acero_unregister_model("by c", &error) == SPUNA_OK);
  BOOST_TEST(spuna_acero_unregister_model("by c", &error) == SPUNA_INVALID);
  BOOST_TEST(std::string(error.message) == "no model is registered as 'by c'");
  BOOST_TEST(spuna_acero_register_model("x", bytes.data(), 9, &error) == SPUNA_INVALID);
  BOOST_TEST(spuna_acero_register_model(nullptr, nullptr, 0, &error) == SPUNA_INVALID);
  BOOST_TEST(std::string(error.message) == "`name` and `model` must not be NULL");
}

BOOST_AUTO_TEST_CASE(a_dataset_scan_filters_and_projects_with_them) {
  const auto filesystem = std::make_shared<arrow::fs::LocalFileSystem>();
  auto factory = test::Get(arrow::dataset::FileSystemDatasetFactory::Make(
      filesystem, {directory / "pool.parquet"},
      std::make_shared<arrow::dataset::ParquetFileFormat>(), {}));
  const auto dataset = test::Get(factory->Finish());
  const auto keep = cp::call("spuna_keep", {cp::field_ref("embedding"), cp::literal("example")});
  const auto score = cp::call("spuna_score", {cp::field_ref("embedding"), cp::literal("example")});
  for (const bool use_threads : {false, true}) {
    arrow::dataset::ScannerBuilder builder(dataset);
    test::Require(builder.Filter(keep));
    test::Require(builder.Project({cp::field_ref("id"), score}, {"id", "score"}));
    test::Require(builder.UseThreads(use_threads));
    const auto kept = test::Get(test::Get(builder.Finish())->ToTable());
    const auto& expected_keep =
        static_cast<const arrow::BooleanArray&>(*scored->GetColumnByName("spuna_keep")->chunk(0));
    BOOST_TEST(kept->num_rows() == expected_keep.true_count());
    BOOST_TEST(kept->num_rows() > 50);
    for (const float value : test::Scores(*kept, "score")) BOOST_TEST(value < 0.5F);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::acero
