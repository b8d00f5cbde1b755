#include "pipelines/options.h"

#include <algorithm>
#include <cmath>

#include "algorithms/format_number.h"

namespace spuna {
namespace {

// Larger values are surely a mistake, and would overflow what is computed from them.
constexpr std::int64_t kMaxCount = 1'000'000'000;
constexpr std::int64_t kMaxHidden = 65'536;

arrow::Status CheckCount(const char* option, std::int64_t value, std::int64_t max = kMaxCount) {
  if (value >= 1 && value <= max) return arrow::Status::OK();
  return arrow::Status::Invalid("`", option, "` must be between 1 and ", max, ", but is ", value);
}

}  // namespace

arrow::Status FitOptions::Validate() const {
  if (recipe != "paper") {
    return arrow::Status::Invalid("`recipe` must be 'paper', but is '", recipe, "'");
  }
  ARROW_RETURN_NOT_OK(CheckCount("alpha", alpha));
  ARROW_RETURN_NOT_OK(CheckCount("beta", beta.value_or(1)));
  ARROW_RETURN_NOT_OK(CheckCount("k", k));
  ARROW_RETURN_NOT_OK(CheckCount("hidden", hidden, kMaxHidden));
  ARROW_RETURN_NOT_OK(CheckCount("epochs", epochs));
  ARROW_RETURN_NOT_OK(CheckCount("batch-size", batch_size));
  if (!std::isfinite(epsilon)) {
    return arrow::Status::Invalid("`epsilon` must be a finite number, but is ",
                                  algorithms::FormatNumber(epsilon));
  }
  if (!(std::isfinite(learning_rate) && learning_rate > 0)) {
    return arrow::Status::Invalid("`learning-rate` must be a positive number, but is ",
                                  algorithms::FormatNumber(learning_rate));
  }
  return arrow::Status::OK();
}

std::int64_t FitOptions::BetaFor(std::int64_t num_pool_rows) const {
  if (beta) return *beta;
  // floor(|U| * 1500 / 14000 + 0.5), at least 1, in whole numbers.
  return std::max<std::int64_t>(1, (num_pool_rows * 3 + 14) / 28);
}

algorithms::ExpansionOptions FitOptions::Expansion(std::int64_t num_pool_rows) const {
  algorithms::ExpansionOptions options;
  options.alpha = static_cast<std::size_t>(alpha);
  options.beta = static_cast<std::size_t>(BetaFor(num_pool_rows));
  options.num_neighbors = static_cast<std::size_t>(k);
  options.epsilon = epsilon;
  options.on_stop = on_stop;
  options.search = neighbors;
  return options;
}

algorithms::DistillationOptions FitOptions::Distillation() const {
  algorithms::DistillationOptions options;
  options.hidden = static_cast<std::size_t>(hidden);
  options.epochs = static_cast<std::size_t>(epochs);
  options.learning_rate = learning_rate;
  options.batch_size = static_cast<std::size_t>(batch_size);
  options.seed = seed;
  return options;
}

arrow::Status ScoreOptions::Validate() const {
  if (prefix.find('\0') != std::string::npos) {
    return arrow::Status::Invalid("`prefix` must not hold a zero byte");
  }
  if (drop && by == ScoreBy::kNeighbors) {
    return arrow::Status::Invalid("`drop` needs the classifier's score");
  }
  return arrow::Status::OK();
}

std::string ToString(algorithms::OnStop value) {
  return value == algorithms::OnStop::kKeep ? "keep" : "rollback";
}

std::string ToString(algorithms::StoppedBy value) {
  return value == algorithms::StoppedBy::kEntropy ? "entropy" : "exhausted";
}

std::string ToString(InvalidRows value) {
  switch (value) {
    case InvalidRows::kNull:
      return "null";
    case InvalidRows::kDrop:
      return "drop";
    case InvalidRows::kError:
      break;
  }
  return "error";
}

}  // namespace spuna
