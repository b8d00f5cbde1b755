// What the doors cost, on rows of 768 dimensions and a model of 512 hidden units:
//
//   doors_bench acero DIR [ROWS]           a scan alone, scoring from memory alone, and a scan with
//                                          the node spuna_score, interleaved; writes
//                                          DIR/rows.parquet
//   doors_bench stream DIR [ROWS]          scoring DIR/rows.parquet from memory as a stream, once
//   for
//                                          every byte on standard input
//
// `bench/doors` runs both and compares the second with the same rows through Python.
#include <arrow/acero/exec_plan.h>
#include <arrow/acero/options.h>
#include <arrow/acero/util.h>
#include <arrow/api.h>
#include <arrow/dataset/discovery.h>
#include <arrow/dataset/file_parquet.h>
#include <arrow/dataset/plan.h>
#include <arrow/dataset/scanner.h>
#include <arrow/filesystem/localfs.h>
#include <arrow/io/file.h>
#include <arrow/util/thread_pool.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "algorithms/rows/seeded_random.h"
#include "pipelines/score/streams.h"
#include "plugin/acero/node_options.h"
#include "plugin/acero/register.h"

namespace {

namespace ac = arrow::acero;
namespace ds = arrow::dataset;

constexpr std::int32_t kDimension = 768;
constexpr std::int64_t kRowsPerGroup = 16'384;
constexpr int kRepeats = 7;

void Require(const arrow::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "doors_bench: %s\n", status.message().c_str());
  std::exit(1);
}

template <typename T>
T Get(arrow::Result<T> result) {
  Require(result.status());
  return *std::move(result);
}

std::vector<float> NormalValues(std::size_t count, std::uint64_t seed, double scale) {
  spuna::algorithms::SeededRandom random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(scale * random.Normal());
  return values;
}

spuna::Model MakeModel() {
  spuna::Model model;
  auto& classifier = model.classifier;
  classifier.dimension = kDimension;
  classifier.hidden = 512;
  classifier.mean.assign(kDimension, 0);
  classifier.deviation.assign(kDimension, 1);
  classifier.hidden_weight = NormalValues(512 * kDimension, 1, 0.05);
  classifier.hidden_bias.assign(512, 0);
  classifier.output_weight = NormalValues(2 * 512, 2, 0.05);
  classifier.output_bias.assign(2, 0);
  model.options.embedding = "embedding";
  return model;
}

void WriteRows(const std::string& path, std::int64_t num_rows) {
  const auto values = std::make_shared<arrow::FloatArray>(
      num_rows * kDimension, arrow::Buffer::FromVector(NormalValues(
                                 static_cast<std::size_t>(num_rows) * kDimension, 3, 1)));
  const auto type = arrow::fixed_size_list(arrow::float32(), kDimension);
  const auto table =
      arrow::Table::Make(arrow::schema({arrow::field("embedding", type)}),
                         {std::make_shared<arrow::FixedSizeListArray>(type, num_rows, values)});
  const auto file = Get(arrow::io::FileOutputStream::Open(path));
  const auto properties = parquet::WriterProperties::Builder().disable_dictionary()->build();
  Require(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), file, kRowsPerGroup,
                                     properties));
  Require(file->Close());
}

std::shared_ptr<arrow::Table> ReadRows(const std::string& path) {
  const auto file = Get(arrow::io::ReadableFile::Open(path));
  return Get(Get(parquet::arrow::OpenFile(file, arrow::default_memory_pool()))->ReadTable());
}

ac::Declaration Scan(const std::string& path) {
  const auto factory =
      Get(ds::FileSystemDatasetFactory::Make(std::make_shared<arrow::fs::LocalFileSystem>(), {path},
                                             std::make_shared<ds::ParquetFileFormat>(), {}));
  const auto dataset = Get(factory->Finish());
  auto options = std::make_shared<ds::ScanOptions>();
  options->use_threads = true;
  options->projection =
      arrow::compute::project({arrow::compute::field_ref("embedding")}, {"embedding"});
  return {"scan", ds::ScanNodeOptions(dataset, options)};
}

double Seconds(const std::function<void()>& work) {
  const auto started = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void Drain(const ac::Declaration& plan) {
  Require(ac::DeclarationToStatus(
      {"consuming_sink", {plan}, ac::ConsumingSinkNodeOptions(ac::NullSinkNodeConsumer::Make())}));
}

// Scores a table in memory as a stream, in batches of one row group each.
void ScoreFromMemory(const std::shared_ptr<arrow::Table>& table,
                     const std::shared_ptr<const spuna::Model>& model) {
  spuna::Runtime runtime;
  runtime.num_threads = arrow::GetCpuThreadPoolCapacity();
  auto reader = std::make_shared<arrow::TableBatchReader>(table);
  reader->set_chunksize(kRowsPerGroup);
  const auto scored = Get(spuna::ScoreStream(reader, model, {}, runtime));
  std::shared_ptr<arrow::RecordBatch> batch;
  do Require(scored->ReadNext(&batch));
  while (batch != nullptr);
}

void CompareAcero(const std::string& path, const std::shared_ptr<const spuna::Model>& model) {
  const auto table = ReadRows(path);
  std::vector<double> scan;
  std::vector<double> score;
  std::vector<double> both;
  for (int i = 0; i < kRepeats; ++i) {
    scan.push_back(Seconds([&] { Drain(Scan(path)); }));
    score.push_back(Seconds([&] { ScoreFromMemory(table, model); }));
    both.push_back(Seconds(
        [&] { Drain({"spuna_score", {Scan(path)}, spuna::acero::ScoreNodeOptions(model)}); }));
  }
  std::printf("scan alone                 %.3f s\n", Median(scan));
  std::printf("scoring from memory alone  %.3f s\n", Median(score));
  std::printf("scan with spuna_score      %.3f s\n", Median(both));
  std::printf("together / alone           %.2f\n", Median(both) / (Median(scan) + Median(score)));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: doors_bench acero|stream DIR [ROWS]\n");
    return 2;
  }
  ds::internal::Initialize();
  Require(spuna::acero::Register());
  const std::filesystem::path directory = argv[2];
  const std::string path = directory / "rows.parquet";
  const auto model = std::make_shared<const spuna::Model>(MakeModel());
  if (!std::filesystem::exists(path)) {
    WriteRows(path, argc > 3 ? std::stoll(argv[3]) : 200'000);
    Require(spuna::SaveModel(*model, directory / "model.safetensors", true));
  }
  if (argv[1] == std::string("acero")) {
    CompareAcero(path, model);
  } else {
    const auto table = ReadRows(path);
    while (std::getchar() != EOF) {
      std::printf("%.4f\n", Seconds([&] { ScoreFromMemory(table, model); }));
      std::fflush(stdout);
    }
  }
  return 0;
}
