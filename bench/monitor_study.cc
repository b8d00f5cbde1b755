// How often `spuna monitor` cries wolf, and how soon it finds a shift, on rows with known truth:
//
//   monitor_study CLEAN SHIFTED DIMENSION [FITS] [HISTORIES]
//
// CLEAN and SHIFTED are files of raw float32, one embedding after the other. Every fit cross-fits
// 1,000 trusted rows against a pool of 1,000 clean and 1,000 shifted rows, and is followed by some
// histories of its own. Prints one line of JSON.
//
// There are not 100,000 distinct clean rows for a history of 500 batches, and rows that are drawn
// again and again from a leftover of the trusted rows would differ from the trusted rows by chance.
// So the clean rows of the file are taken for the whole world: trusted rows, the pool's clean rows
// and the stream's are all drawn from it independently, with replacement. Held-out trusted rows and
// clean rows of the stream are then exactly what the guarantee is about, draws from one
// distribution. Shifted rows of the stream are never among those of the pool.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/guarantees/batch_share.h"
#include "algorithms/guarantees/drift_watch.h"
#include "algorithms/recipe/discriminant.h"
#include "algorithms/rows/seeded_random.h"

namespace {

using namespace spuna::algorithms;

constexpr std::size_t kRowsPerBatch = 200;
constexpr std::size_t kTrustedRows = 1000;
constexpr std::size_t kPoolRowsASide = 1000;
constexpr std::size_t kCleanBatches = 500;
constexpr std::size_t kShiftedBatches = 5;
constexpr double kShare = 0.2;
constexpr double kLevel = 0.05;

Matrix Load(const std::string& path, std::size_t dimension) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (bytes.empty()) throw std::runtime_error(path + " can't be read");
  Matrix rows{{}, dimension};
  rows.values.resize(bytes.size() / (dimension * sizeof(float)) * dimension);
  std::copy_n(bytes.data(), rows.values.size() * sizeof(float),
              reinterpret_cast<char*>(rows.values.data()));
  return rows;
}

void Append(const Matrix& from, std::size_t row, Matrix& to) {
  const float* const values = from.view().row(row);
  to.values.insert(to.values.end(), values, values + from.dimension);
}

using Scores = std::vector<std::vector<float>>;

Scores ScoreAll(const std::vector<HeldOut>& folds, const Matrix& rows) {
  Scores scores;
  for (const HeldOut& fold : folds) scores.push_back(fold.classifier.Score(rows.view(), {}));
  return scores;
}

// How often an interval held the truth, and the mean estimate and width.
struct Coverage {
  double truth = 0;
  std::size_t batches = 0;
  std::size_t held = 0;
  double estimate = 0;
  double width = 0;

  void Add(const Share& share) {
    ++batches;
    held += share.low <= truth && truth <= share.high ? 1 : 0;
    estimate += share.estimate;
    width += share.high - share.low;
  }
  std::string Json() const {
    const auto count = static_cast<double>(batches);
    return "{\"batches\": " + std::to_string(batches) +
           ", \"covered\": " + std::to_string(static_cast<double>(held) / count) +
           ", \"mean_estimate\": " + std::to_string(estimate / count) +
           ", \"mean_width\": " + std::to_string(width / count) + "}";
  }
};

// One model and the scores of all there is.
class Study {
 public:
  Study(const Matrix& clean, const Matrix& shifted, std::uint64_t seed) : random_(seed) {
    Matrix trusted{{}, clean.dimension};
    Matrix pool = trusted;
    for (std::size_t i = 0; i < kTrustedRows; ++i) Append(clean, DrawFrom(clean), trusted);
    for (std::size_t i = 0; i < kPoolRowsASide; ++i) Append(clean, DrawFrom(clean), pool);
    std::vector<std::size_t> order(shifted.num_rows());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    random_.Shuffle(order);
    for (std::size_t i = 0; i < kPoolRowsASide; ++i) Append(shifted, order[i], pool);
    Matrix unseen{{}, clean.dimension};
    for (std::size_t i = kPoolRowsASide; i < order.size(); ++i) Append(shifted, order[i], unseen);
    SoftNetworkOptions options;
    options.seed = seed;
    Execution execution;
    execution.num_threads = 2;
    folds_ = CrossFit(trusted.view(), pool.view(), {}, {}, {}, options, execution).folds;
    clean_ = ScoreAll(folds_, clean);
    shifted_ = ScoreAll(folds_, unseen);
  }

  const std::vector<HeldOut>& folds() const { return folds_; }

  DriftWatch Begin() { return {folds_, random_.Below(1ULL << 62)}; }

  Scores DrawBatch(double share) {
    Scores batch(folds_.size());
    for (std::size_t row = 0; row < kRowsPerBatch; ++row) {
      const Scores& from = random_.Uniform() < share ? shifted_ : clean_;
      const std::size_t drawn = random_.Below(from[0].size());
      for (std::size_t k = 0; k < batch.size(); ++k) batch[k].push_back(from[k][drawn]);
    }
    return batch;
  }

 private:
  std::size_t DrawFrom(const Matrix& rows) { return random_.Below(rows.num_rows()); }

  SeededRandom random_;
  std::vector<HeldOut> folds_;
  Scores clean_;
  Scores shifted_;
};

void AddBatch(const Scores& batch, DriftWatch& watch) {
  watch.BeginBatch();
  watch.Add(batch);
}

Share ShareOf(const std::vector<HeldOut>& folds, const Scores& batch) {
  BatchShare share(folds, 0);
  share.Add(batch);
  return share.Estimate();
}

// After how many shifted batches a copy of the watch finds it; kShiftedBatches + 1 for never.
std::size_t BatchesToFind(DriftWatch watch, Study& study) {
  for (std::size_t batch = 1; batch <= kShiftedBatches; ++batch) {
    AddBatch(study.DrawBatch(kShare), watch);
    if (watch.Finds(kLevel)) return batch;
  }
  return kShiftedBatches + 1;
}

int Run(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: monitor_study CLEAN SHIFTED DIMENSION [FITS] [HISTORIES]\n";
    return 2;
  }
  const std::size_t dimension = std::strtoul(argv[3], nullptr, 10);
  const Matrix clean = Load(argv[1], dimension);
  const Matrix shifted = Load(argv[2], dimension);
  const std::size_t num_fits = argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 20;
  const std::size_t num_histories = argc > 5 ? std::strtoul(argv[5], nullptr, 10) : 5;

  const std::vector<std::size_t> quiet_times = {0, 50, kCleanBatches};
  // For each quiet time: how often it took so many batches.
  std::vector<std::vector<std::size_t>> took(quiet_times.size(),
                                             std::vector<std::size_t>(kShiftedBatches + 2));
  std::size_t false_alarms = 0;
  Coverage of_clean;
  Coverage of_shifted;
  of_shifted.truth = kShare;
  for (std::size_t fit = 0; fit < num_fits; ++fit) {
    Study study(clean, shifted, 1000 + fit);
    for (int i = 0; i < 20; ++i) {
      of_clean.Add(ShareOf(study.folds(), study.DrawBatch(0)));
      of_shifted.Add(ShareOf(study.folds(), study.DrawBatch(kShare)));
    }
    for (std::size_t history = 0; history < num_histories; ++history) {
      DriftWatch watch = study.Begin();
      for (std::size_t batch = 0; batch <= kCleanBatches; ++batch) {
        if (batch > 0) AddBatch(study.DrawBatch(0), watch);
        const auto quiet = std::ranges::find(quiet_times, batch);
        // A history that has cried wolf already can't show how soon it finds anything.
        if (quiet == quiet_times.end() || watch.Finds(kLevel)) continue;
        ++took[static_cast<std::size_t>(quiet - quiet_times.begin())][BatchesToFind(watch, study)];
      }
      false_alarms += watch.Finds(kLevel) ? 1 : 0;
    }
  }

  std::cout << "{\"histories\": " << num_fits * num_histories
            << ", \"false_alarms\": " << false_alarms << ", \"found_after\": {";
  for (std::size_t i = 0; i < quiet_times.size(); ++i) {
    std::cout << (i == 0 ? "" : ", ") << '"' << quiet_times[i] << "\": [";
    for (std::size_t n = 1; n < took[i].size(); ++n)
      std::cout << (n == 1 ? "" : ", ") << took[i][n];
    std::cout << "]";
  }
  std::cout << "}, \"share_of_clean\": " << of_clean.Json()
            << ", \"share_of_shifted\": " << of_shifted.Json() << "}" << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
