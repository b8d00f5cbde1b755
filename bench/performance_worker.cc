// Runs the parts of spuna that scripts/bench compares with other tools. Reads one command a line
// and answers each with one line of JSON, so that whoever drives it can take turns with a peer.
//
//   gemm M N K                                     the machine's limit: M x N x K products
//   search BANK QUERIES DIMENSION K auto|kd-tree|product
//   expand TRUSTED POOL DIMENSION                  all rounds, with entropy
//   epochs TRUSTED POOL DIMENSION EPOCHS           distillation of alternating labels
//   score MODEL ROWS DIMENSION
//   read PARQUET
//
// Rows are files of raw float32.

#include <cblas.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "algorithms/classifier/distillation.h"
#include "algorithms/compute/blas.h"
#include "algorithms/expansion/expansion.h"
#include "algorithms/neighbors/neighbor_index.h"
#include "pipelines/matrix/source_rows.h"
#include "pipelines/model/model.h"

namespace {

using namespace spuna;
using namespace spuna::algorithms;
using nlohmann::json;

constexpr int kThreads = 2;

class Worker {
 public:
  json Run(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (command == "gemm") return Gemm(words);
    if (command == "search") return Search(words);
    if (command == "expand") return Expand(words);
    if (command == "epochs") return Epochs(words);
    if (command == "score") return Score(words);
    if (command == "read") return Read(words);
    throw std::invalid_argument("unknown command: " + command);
  }

 private:
  using Clock = std::chrono::steady_clock;

  static double SecondsSince(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  static Execution OnAllThreads() {
    Execution execution;
    execution.num_threads = kThreads;
    return execution;
  }

  EmbeddingsView Rows(const std::string& path, std::size_t dimension) {
    std::vector<float>& values = rows_[path];
    if (values.empty()) {
      std::ifstream file(path, std::ios::binary | std::ios::ate);
      values.resize(static_cast<std::size_t>(file.tellg()) / sizeof(float));
      file.seekg(0);
      file.read(reinterpret_cast<char*>(values.data()),
                static_cast<std::streamsize>(values.size() * sizeof(float)));
      if (!file) throw std::runtime_error("can't read " + path);
    }
    return {values.data(), values.size() / dimension, dimension};
  }

  json Gemm(std::istream& words) {
    blasint m = 0;
    blasint n = 0;
    blasint k = 0;
    words >> m >> n >> k;
    const SingleThreadedBlas single_threaded;
    auto size = [](blasint a, blasint b) { return static_cast<std::size_t>(a) * b; };
    std::vector<std::vector<float>> a(kThreads, std::vector<float>(size(m, k), 1.0F));
    std::vector<std::vector<float>> b(kThreads, std::vector<float>(size(n, k), 1.0F));
    std::vector<std::vector<float>> c(kThreads, std::vector<float>(size(m, n)));
    const auto begin = Clock::now();
    ParallelFor(kThreads, OnAllThreads(), [&](std::size_t i, std::size_t) {
      cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, n, k, 1.0F, a[i].data(), k,
                  b[i].data(), k, 0.0F, c[i].data(), m);
    });
    const double seconds = SecondsSince(begin);
    return {{"seconds", seconds}, {"flops", 2.0 * kThreads * m * n * k / seconds}};
  }

  json Search(std::istream& words) {
    std::string bank_path;
    std::string query_path;
    std::size_t dimension = 0;
    std::size_t k = 0;
    std::string kind;
    words >> bank_path >> query_path >> dimension >> k >> kind;
    const EmbeddingsView bank = Rows(bank_path, dimension);
    const EmbeddingsView queries = Rows(query_path, dimension);
    const SearchKind search = kind == "kd-tree"   ? SearchKind::kKdTree
                              : kind == "product" ? SearchKind::kProduct
                                                  : SearchKind::kAuto;
    const auto begin = Clock::now();
    NearestDistances lists(queries.num_rows, k);
    const RowNumbers all = AllRows(queries.num_rows);
    MakeNeighborIndex(search, bank, k)->MergeNearest({queries, all}, OnAllThreads(), lists);
    const double seconds = SecondsSince(begin);
    double sum = 0;
    for (std::size_t i = 0; i < queries.num_rows; ++i) sum += lists.Mean(i);
    const bool is_tree = ResolveSearch(search, dimension, bank.num_rows, k) == SearchKind::kKdTree;
    return {{"seconds", seconds},
            {"mean", sum / static_cast<double>(queries.num_rows)},
            {"kind", is_tree ? "kd-tree" : "product"}};
  }

  json Expand(std::istream& words) {
    std::string trusted_path;
    std::string pool_path;
    std::size_t dimension = 0;
    words >> trusted_path >> pool_path >> dimension;
    const EmbeddingsView trusted = Rows(trusted_path, dimension);
    const EmbeddingsView pool = Rows(pool_path, dimension);
    ExpansionOptions options;
    options.alpha = 30;
    options.beta = 1500;
    options.num_neighbors = 100;
    options.epsilon = -1e9;  // No stop.
    const auto begin = Clock::now();
    const Expansion expansion = ExpandLabels(trusted, pool, options, OnAllThreads());
    const double seconds = SecondsSince(begin);
    return {{"seconds", seconds},
            {"rounds", expansion.num_rounds},
            {"entropy", expansion.entropy.back()},
            {"labels", std::vector<int>(expansion.rounds.begin(), expansion.rounds.end())}};
  }

  json Epochs(std::istream& words) {
    std::string trusted_path;
    std::string pool_path;
    std::size_t dimension = 0;
    DistillationOptions options;
    words >> trusted_path >> pool_path >> dimension >> options.epochs;
    const EmbeddingsView pool = Rows(pool_path, dimension);
    Expansion expansion = NoLabels(pool.num_rows);
    for (std::size_t i = 0; i < pool.num_rows; ++i) {
      expansion.labels[i] = i % 2 == 0 ? PseudoLabel::kClean : PseudoLabel::kShifted;
    }
    options.batch_size = 128;
    const auto begin = Clock::now();
    Distill(Rows(trusted_path, dimension), pool, expansion, options, OnAllThreads());
    return {{"seconds", SecondsSince(begin)}, {"hidden", options.hidden}};
  }

  json Score(std::istream& words) {
    std::string model_path;
    std::string rows_path;
    std::size_t dimension = 0;
    words >> model_path >> rows_path >> dimension;
    const Model model = LoadModel(model_path).ValueOrDie();
    const EmbeddingsView rows = Rows(rows_path, dimension);
    const auto begin = Clock::now();
    const std::vector<float> scores = model.classifier.Score(rows, OnAllThreads());
    return {{"seconds", SecondsSince(begin)},
            {"hidden", model.classifier.hidden},
            {"first", scores.front()}};
  }

  static json Read(std::istream& words) {
    std::string path;
    words >> path;
    Runtime runtime;
    runtime.num_threads = kThreads;
    StageClock clock(runtime);
    const auto begin = Clock::now();
    Source source = Source::List({{path}, "pool"}, OnBadFile::kError).ValueOrDie();
    const arrow::Status surveyed = source.Survey({"embedding", ""}, {}, runtime);
    if (!surveyed.ok()) return {{"error", surveyed.ToString()}};
    const EmbeddingMatrix matrix = ReadAllRows({source}, clock).ValueOrDie().matrix;
    return {{"seconds", SecondsSince(begin)},
            {"rows", matrix.num_rows()},
            {"last", matrix.values.back()}};
  }

  std::map<std::string, std::vector<float>> rows_;
};

}  // namespace

int main() {
  ChooseBlasKernels();
  Worker worker;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << worker.Run(line) << std::endl;
    } catch (const std::exception& error) {
      std::cout << json{{"error", error.what()}} << std::endl;
    }
  }
}
