#include "tests/plugin/c_example.h"

#include <arrow/api.h>
#include <arrow/c/bridge.h>

#include <boost/test/unit_test.hpp>

namespace spuna::test {

ArrowArrayStream Export(const arrow::Table& table, std::int64_t rows_per_batch) {
  auto reader = std::make_shared<arrow::TableBatchReader>(table.Slice(0));
  reader->set_chunksize(rows_per_batch);
  ArrowArrayStream stream;
  Require(arrow::ExportRecordBatchReader(reader, &stream));
  return stream;
}

std::shared_ptr<arrow::Table> Import(ArrowArrayStream* stream) {
  auto reader = Get(arrow::ImportRecordBatchReader(stream));
  return Get(Get(reader->ToTable())->CombineChunks());
}

ModelHandle CExample::FitModel() {
  ArrowArrayStream trusted_stream = Export(*trusted_table);
  ArrowArrayStream pool_stream = Export(*pool_table);
  spuna_model* model = nullptr;
  const spuna_code code =
      spuna_fit(&trusted_stream, &pool_stream, kCallOptions, nullptr, &model, &error);
  BOOST_REQUIRE_MESSAGE(code == SPUNA_OK, error.message);
  BOOST_TEST((trusted_stream.release == nullptr && pool_stream.release == nullptr));
  return {model, spuna_model_free};
}

std::shared_ptr<arrow::Table> CExample::CleanedByTheCommand() const {
  CleanJob job = Clean("cleaned.parquet");
  job.fit.overwrite = true;
  Require(Run(job, Threads(2)).status());
  return Get(ReadParquet(job.output)->CombineChunks());
}

}  // namespace spuna::test
