#include "algorithms/classifier/hidden_units.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>

namespace spuna::algorithms {
namespace {

// So much of the gradient is made and then used at a time: it stays in the cache.
constexpr std::size_t kGradientAtOnce = 32'768;

blasint Size(std::size_t size) { return static_cast<blasint>(size); }

bool AllFinite(const std::vector<float>& values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

}  // namespace

arma::fmat NormalWeights(std::size_t num_rows, std::size_t num_columns, double variance,
                         SeededRandom& random) {
  const double deviation = std::sqrt(variance);
  arma::fmat weights(num_rows, num_columns);
  for (float& weight : weights) weight = static_cast<float>(deviation * random.Normal());
  return weights;
}

HiddenUnits::HiddenUnits(const arma::fmat& hidden_weight, const arma::fmat& output_weight,
                         double learning_rate, double decay)
    : inputs_(hidden_weight.n_cols),
      units_(hidden_weight.n_rows),
      outputs_(output_weight.n_rows),
      bias_at_(units_ * inputs_),
      output_at_(bias_at_ + units_),
      learning_rate_(learning_rate),
      decay_(decay),
      parameters_(output_at_ + outputs_ * units_),
      moments_(parameters_.size()),
      gradient_(std::max(kGradientAtOnce, units_ * outputs_)) {
  std::ranges::copy(hidden_weight, parameters_.begin());
  std::copy(output_weight.begin(), output_weight.end(), parameters_.data() + output_at_);
}

const arma::fmat& HiddenUnits::Forward(const arma::fmat& rows) {
  const std::size_t count = rows.n_cols;
  activations_.set_size(units_, count);
  cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, Size(units_), Size(count), Size(inputs_),
              1.0F, parameters_.data(), Size(units_), rows.memptr(), Size(inputs_), 0.0F,
              activations_.memptr(), Size(units_));
  const float* const bias = parameters_.data() + bias_at_;
  for (std::size_t i = 0; i < count; ++i) {
    float* const column = activations_.colptr(i);
    for (std::size_t h = 0; h < units_; ++h) {
      const float value = column[h] + bias[h];
      column[h] = value > 0 ? value : 0;
    }
  }
  part_.set_size(outputs_, count);
  cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, Size(outputs_), Size(count), Size(units_),
              1.0F, parameters_.data() + output_at_, Size(outputs_), activations_.memptr(),
              Size(units_), 0.0F, part_.memptr(), Size(outputs_));
  return part_;
}

void HiddenUnits::Backward(const arma::fmat& derivatives) {
  errors_.zeros(units_, derivatives.n_cols);
  const float* const weight = parameters_.data() + output_at_;
  for (std::size_t i = 0; i < derivatives.n_cols; ++i) {
    float* const column = errors_.colptr(i);
    for (std::size_t o = 0; o < outputs_; ++o) {
      const float derivative = derivatives(o, i);
      for (std::size_t h = 0; h < units_; ++h) column[h] += weight[h * outputs_ + o] * derivative;
    }
    const float* const active = activations_.colptr(i);
    for (std::size_t h = 0; h < units_; ++h) column[h] = active[h] > 0 ? column[h] : 0;
  }
}

void HiddenUnits::Learn(const arma::fmat& rows, const arma::fmat& derivatives) {
  const std::size_t count = rows.n_cols;
  Backward(derivatives);
  ++num_steps_;
  const AdamStep of_weights = AdamMoments::StepNumber(num_steps_, learning_rate_, decay_);
  const AdamStep of_biases = AdamMoments::StepNumber(num_steps_, learning_rate_);

  cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, Size(outputs_), Size(units_), Size(count),
              1.0F, derivatives.memptr(), Size(outputs_), activations_.memptr(), Size(units_), 0.0F,
              gradient_.data(), Size(outputs_));
  Move(of_weights, output_at_, outputs_ * units_);

  std::fill_n(gradient_.begin(), units_, 0.0F);
  for (std::size_t i = 0; i < count; ++i) {
    const float* const column = errors_.colptr(i);
    for (std::size_t h = 0; h < units_; ++h) gradient_[h] += column[h];
  }
  Move(of_biases, bias_at_, units_);

  const std::size_t inputs_at_once = std::max<std::size_t>(gradient_.size() / units_, 1);
  for (std::size_t begin = 0; begin < inputs_; begin += inputs_at_once) {
    const std::size_t some = std::min(inputs_at_once, inputs_ - begin);
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, Size(units_), Size(some), Size(count),
                1.0F, errors_.memptr(), Size(units_), rows.memptr() + begin, Size(inputs_), 0.0F,
                gradient_.data(), Size(units_));
    Move(of_weights, begin * units_, some * units_);
  }
}

void HiddenUnits::Move(const AdamStep& step, std::size_t begin, std::size_t count) {
  moments_.Move(step, gradient_.data(), parameters_.data() + begin, begin, count);
}

bool HiddenUnits::IsFinite() const { return AllFinite(parameters_); }

bool OutputBiases::IsFinite() const { return AllFinite(values_); }

void OutputBiases::Learn(const arma::fmat& derivatives) {
  std::vector<float> sums(values_.size());
  for (std::size_t i = 0; i < derivatives.n_cols; ++i) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += derivatives(k, i);
  }
  moments_.Move(AdamMoments::StepNumber(++num_steps_, learning_rate_), sums.data(), values_.data(),
                0, sums.size());
}

}  // namespace spuna::algorithms
