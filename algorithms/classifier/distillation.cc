#include "algorithms/classifier/distillation.h"

#include <algorithm>
#include <armadillo>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/classifier/hidden_units.h"
#include "algorithms/compute/blas.h"
#include "algorithms/compute/format_number.h"
#include "algorithms/compute/logistic.h"
#include "algorithms/compute/standardization.h"
#include "algorithms/compute/thread_pair.h"
#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kNumClasses = 2;

// The rows of both banks: the clean ones first.
RowSet TrainingRows(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                    const Expansion& expansion) {
  RowSet rows(trusted);
  for (const PseudoLabel label : {PseudoLabel::kClean, PseudoLabel::kShifted}) {
    for (const std::uint32_t row : expansion.RowsWith(label)) rows.Add(pool.row(row));
  }
  return rows;
}

// The training rows, standardized. The working copy of the fit.
struct TrainingSet {
  arma::fmat inputs;
  std::size_t num_clean = 0;

  float label(std::size_t row) const { return row < num_clean ? 0.0F : 1.0F; }
};

// Some hidden units, with the rows that they see and what they make of them.
class Part {
 public:
  Part(const arma::fmat& hidden_weight, const arma::fmat& output_weight, double learning_rate)
      : units_(hidden_weight, output_weight, learning_rate) {}

  const HiddenUnits& units() const { return units_; }
  const arma::fmat& outputs() const { return outputs_; }

  // Learns the rows that it saw last, where there are some.
  void Learn(const arma::fmat& derivatives) {
    if (!outputs_.empty()) units_.Learn(inputs_, derivatives);
  }

  void See(const TrainingSet& set, std::span<const std::uint32_t> rows) {
    // Gathered into a block that is small enough to stay in the cache.
    inputs_.set_size(set.inputs.n_rows, rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(set.inputs.colptr(rows[i]), set.inputs.n_rows, inputs_.colptr(i));
    }
    outputs_ = units_.Forward(inputs_);
  }

 private:
  HiddenUnits units_;
  arma::fmat inputs_;
  arma::fmat outputs_;
};

// The two logits of every row and the loss: what the parts of the hidden layer have in common.
class OutputLayer {
 public:
  explicit OutputLayer(double learning_rate) : biases_(kNumClasses, learning_rate) {}

  const OutputBiases& biases() const { return biases_; }
  // The derivatives of a batch's mean cross-entropy by its logits.
  const arma::fmat& derivatives() const { return derivatives_; }

  // Takes a step with the biases, and returns the mean cross-entropy.
  double Learn(const TrainingSet& set, std::span<const std::uint32_t> rows,
               const std::vector<Part>& parts) {
    derivatives_ = parts.front().outputs();
    for (std::size_t i = 1; i < parts.size(); ++i) derivatives_ += parts[i].outputs();
    const auto n = static_cast<float>(rows.size());
    const std::vector<float>& bias = biases_.values();
    double loss = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      float* const of_row = derivatives_.colptr(i);
      const double logit = static_cast<double>(of_row[1]) + bias[1] - of_row[0] - bias[0];
      loss += LogisticLoss(logit, set.label(rows[i]));
      const double difference = Logistic(logit) - set.label(rows[i]);
      of_row[1] = static_cast<float>(difference) / n;
      of_row[0] = -of_row[1];
    }
    biases_.Learn(derivatives_);
    return loss / n;
  }

 private:
  OutputBiases biases_;
  arma::fmat derivatives_;
};

// A network while it learns. Its hidden layer is cut into two parts, which learn at the same time
// where there are two threads; what they give is added in order, so the number of threads changes
// nothing.
class Training {
 public:
  Training(const TrainingSet& set, const DistillationOptions& options)
      : set_(set), options_(options), random_(options.seed), output_(options.learning_rate) {
    // He initialization: normal weights of variance 2 / inputs, biases of 0.
    const std::size_t dimension = set.inputs.n_rows;
    const arma::fmat hidden_weight =
        NormalWeights(options.hidden, dimension, 2.0 / static_cast<double>(dimension), random_);
    const arma::fmat output_weight = NormalWeights(
        kNumClasses, options.hidden, 2.0 / static_cast<double>(options.hidden), random_);
    const std::size_t middle = options.hidden / 2;
    if (middle > 0) AddPart(hidden_weight, output_weight, 0, middle);
    AddPart(hidden_weight, output_weight, middle, options.hidden);
  }

  // Runs every epoch; false where it diverged.
  bool Run(const Execution& execution) {
    const std::size_t num_rows = set_.inputs.n_cols;
    const std::size_t batch_size = std::min(options_.batch_size, num_rows);
    const std::size_t num_steps = options_.epochs * ((num_rows + batch_size - 1) / batch_size);
    ThreadPair threads(execution);
    RowNumbers order = AllRows(num_rows);
    double loss = 0;
    std::size_t step = 0;
    for (std::size_t epoch = 0; epoch < options_.epochs; ++epoch) {
      random_.Shuffle(order);
      for (std::size_t begin = 0; begin < num_rows; begin += batch_size) {
        execution.CheckStop();
        const std::span<const std::uint32_t> rows(order.data() + begin,
                                                  std::min(batch_size, num_rows - begin));
        threads.Run([&](std::size_t half) {
          if (half >= parts_.size()) return;
          parts_[half].Learn(output_.derivatives());
          parts_[half].See(set_, rows);
        });
        loss = output_.Learn(set_, rows, parts_);
        execution.Report({Stage::kDistill, ++step, num_steps});
      }
    }
    for (Part& part : parts_) part.Learn(output_.derivatives());
    return std::isfinite(loss) && output_.biases().IsFinite() &&
           std::ranges::all_of(parts_, [](const Part& part) { return part.units().IsFinite(); });
  }

  Classifier Finish(Standardization standardization) const;

 private:
  void AddPart(const arma::fmat& hidden_weight, const arma::fmat& output_weight, std::size_t begin,
               std::size_t end) {
    parts_.emplace_back(hidden_weight.rows(begin, end - 1), output_weight.cols(begin, end - 1),
                        options_.learning_rate);
  }

  const TrainingSet& set_;
  const DistillationOptions& options_;
  SeededRandom random_;
  OutputLayer output_;
  std::vector<Part> parts_;
};

Classifier Training::Finish(Standardization standardization) const {
  const std::size_t dimension = set_.inputs.n_rows;
  Classifier classifier;
  classifier.dimension = dimension;
  classifier.hidden = options_.hidden;
  classifier.mean = std::move(standardization.mean);
  classifier.deviation = std::move(standardization.deviation);
  classifier.output_weight.resize(kNumClasses * options_.hidden);
  for (const Part& part : parts_) {
    const HiddenUnits& units = part.units();
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      const std::size_t at = classifier.hidden_bias.size();
      for (std::size_t j = 0; j < dimension; ++j) {
        classifier.hidden_weight.push_back(units.hidden_weight()[j * units.size() + unit]);
      }
      for (std::size_t k = 0; k < kNumClasses; ++k) {
        classifier.output_weight[k * options_.hidden + at] =
            units.output_weight()[unit * kNumClasses + k];
      }
      classifier.hidden_bias.push_back(units.hidden_bias()[unit]);
    }
  }
  classifier.output_bias = output_.biases().values();
  return classifier;
}

// Training can end in a network that says the same of every row.
void RequireVaryingOutput(const Classifier& classifier, const EmbeddingsView& trusted,
                          const EmbeddingsView& pool, const Expansion& expansion,
                          const Execution& execution) {
  std::vector<float> scores = classifier.Score(trusted, execution);
  const std::vector<float> pool_scores = classifier.Score(pool, execution);
  for (std::size_t i = 0; i < pool.num_rows; ++i) {
    if (expansion.labels[i] != PseudoLabel::kNone) scores.push_back(pool_scores[i]);
  }
  const auto [lowest, highest] = std::ranges::minmax(scores);
  if (lowest < highest) return;
  throw std::runtime_error("the distilled network gives every training row the same score, " +
                           FormatNumber(lowest) +
                           "; try another `seed`, more `hidden` units or more `epochs`");
}

}  // namespace

void DistillationOptions::Validate() const {
  if (hidden < 1 || epochs < 1 || batch_size < 1) {
    throw std::invalid_argument("`hidden`, `epochs` and `batch-size` must be at least 1, but are " +
                                std::to_string(hidden) + ", " + std::to_string(epochs) + " and " +
                                std::to_string(batch_size));
  }
  if (!(std::isfinite(learning_rate) && learning_rate > 0)) {
    throw std::invalid_argument("`learning-rate` must be a positive number, but is " +
                                FormatNumber(learning_rate));
  }
}

Classifier Distill(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                   const Expansion& expansion, const DistillationOptions& options,
                   const Execution& execution) {
  options.Validate();
  const SingleThreadedBlas single_threaded;
  Standardization standardization;
  TrainingSet set;
  {
    const RowSet rows = TrainingRows(trusted, pool, expansion);
    standardization = FitStandardization(rows);
    const Standardizer standardizer(standardization);
    set.inputs.set_size(pool.dimension, rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      standardizer.Apply(rows[i], set.inputs.colptr(i));
    }
    set.num_clean = rows.size() - expansion.RowsWith(PseudoLabel::kShifted).size();
  }

  Training training(set, options);
  if (!training.Run(execution)) {
    throw std::runtime_error("the distillation diverged; lower `learning-rate`, now " +
                             FormatNumber(options.learning_rate));
  }
  Classifier classifier = training.Finish(std::move(standardization));
  RequireVaryingOutput(classifier, trusted, pool, expansion, execution);
  return classifier;
}

}  // namespace spuna::algorithms
