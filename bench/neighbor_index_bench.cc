// The two neighbor searches at the dimensions where the choice between them turns.
// The rule of SearchKind::kAuto stands on these numbers.

#include <benchmark/benchmark.h>

#include <thread>

#include "algorithms/compute/blas.h"
#include "algorithms/neighbors/neighbor_index.h"
#include "algorithms/rows/seeded_random.h"

namespace {

using namespace spuna::algorithms;

std::vector<float> NormalValues(std::size_t count, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.Normal());
  return values;
}

void MergeNearest(benchmark::State& state, SearchKind kind) {
  constexpr std::size_t kNumBank = 4000;
  constexpr std::size_t kNumQueries = 2500;
  const auto dimension = static_cast<std::size_t>(state.range(0));
  const auto num_neighbors = static_cast<std::size_t>(state.range(1));
  const std::vector<float> bank = NormalValues(kNumBank * dimension, 1);
  const std::vector<float> queries = NormalValues(kNumQueries * dimension, 2);
  const RowNumbers all = AllRows(kNumQueries);
  Execution execution;
  execution.num_threads = static_cast<int>(std::thread::hardware_concurrency());
  for (auto _ : state) {
    NearestDistances lists(kNumQueries, num_neighbors);
    MakeNeighborIndex(kind, {bank.data(), kNumBank, dimension}, num_neighbors)
        ->MergeNearest({{queries.data(), kNumQueries, dimension}, all}, execution, lists);
    benchmark::DoNotOptimize(lists.Mean(0));
  }
}

void Grid(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"dimension", "k"})->Unit(benchmark::kMillisecond)->UseRealTime();
  for (const int dimension : {2, 4, 6, 8, 10, 12, 16, 32, 64, 768}) {
    for (const int k : {10, 100}) bench->Args({dimension, k});
  }
}

BENCHMARK_CAPTURE(MergeNearest, kd_tree, SearchKind::kKdTree)->Apply(Grid);
BENCHMARK_CAPTURE(MergeNearest, product, SearchKind::kProduct)->Apply(Grid);

}  // namespace

int main(int argc, char** argv) {
  ChooseBlasKernels();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
