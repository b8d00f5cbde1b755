#include "pipelines/model/model_tensors.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "pipelines/model/screen_tensors.h"

namespace spuna {

using algorithms::Classifier;
using algorithms::HeldOut;

void AddClassifier(const std::string& prefix, const Classifier& classifier, Safetensors& file) {
  const auto hidden = static_cast<std::int64_t>(classifier.hidden);
  const auto dimension = static_cast<std::int64_t>(classifier.dimension);
  file.Add(prefix + "standardize.mean", {dimension}, std::span(classifier.mean));
  file.Add(prefix + "standardize.deviation", {dimension}, std::span(classifier.deviation));
  file.Add(prefix + "hidden.weight", {hidden, dimension}, std::span(classifier.hidden_weight));
  file.Add(prefix + "hidden.bias", {hidden}, std::span(classifier.hidden_bias));
  file.Add(prefix + "output.weight", {2, hidden}, std::span(classifier.output_weight));
  file.Add(prefix + "output.bias", {2}, std::span(classifier.output_bias));
}

arrow::Result<Classifier> ReadClassifier(const std::string& prefix, const Safetensors& file) {
  Classifier classifier;
  ARROW_ASSIGN_OR_RAISE(const auto shape, file.Shape(prefix + "hidden.weight"));
  if (shape.size() != 2) return arrow::Status::Invalid("the hidden weights are not a matrix");
  classifier.hidden = static_cast<std::size_t>(shape[0]);
  classifier.dimension = static_cast<std::size_t>(shape[1]);
  ARROW_ASSIGN_OR_RAISE(classifier.mean, file.Doubles(prefix + "standardize.mean"));
  ARROW_ASSIGN_OR_RAISE(classifier.deviation, file.Doubles(prefix + "standardize.deviation"));
  ARROW_ASSIGN_OR_RAISE(classifier.hidden_weight, file.Floats(prefix + "hidden.weight"));
  ARROW_ASSIGN_OR_RAISE(classifier.hidden_bias, file.Floats(prefix + "hidden.bias"));
  ARROW_ASSIGN_OR_RAISE(classifier.output_weight, file.Floats(prefix + "output.weight"));
  ARROW_ASSIGN_OR_RAISE(classifier.output_bias, file.Floats(prefix + "output.bias"));
  classifier.Validate();
  return classifier;
}

void AddHeldOut(const std::string& name, const std::vector<HeldOut>& held_out, Safetensors& file) {
  for (std::size_t i = 0; i < held_out.size(); ++i) {
    const std::string prefix = name + "." + std::to_string(i) + ".";
    AddClassifier(prefix, held_out[i].classifier, file);
    AddLimits(prefix, held_out[i].limits, file);
    AddScreen(prefix, held_out[i].screen, file);
    AddScores(prefix + "scores", held_out[i].scores, file);
  }
}

arrow::Result<std::vector<HeldOut>> ReadHeldOut(const std::string& name, const Safetensors& file) {
  std::vector<HeldOut> held_out;
  for (;;) {
    const std::string prefix = name + "." + std::to_string(held_out.size()) + ".";
    if (!file.Has(prefix + "hidden.weight")) return held_out;
    HeldOut part;
    ARROW_ASSIGN_OR_RAISE(part.classifier, ReadClassifier(prefix, file));
    const std::size_t dimension = part.classifier.dimension;
    ARROW_ASSIGN_OR_RAISE(part.limits, ReadLimits(prefix, dimension, file));
    ARROW_ASSIGN_OR_RAISE(part.screen, ReadScreen(prefix, dimension, file));
    ARROW_ASSIGN_OR_RAISE(part.scores, ReadScores(prefix + "scores", file));
    held_out.push_back(std::move(part));
  }
}

void AddScores(const std::string& name, const std::vector<float>& scores, Safetensors& file) {
  if (scores.empty()) return;
  file.Add(name, {static_cast<std::int64_t>(scores.size())}, std::span(scores));
}

arrow::Result<std::vector<float>> ReadScores(const std::string& name, const Safetensors& file) {
  if (!file.Has(name)) return std::vector<float>();
  ARROW_ASSIGN_OR_RAISE(std::vector<float> scores, file.Floats(name));
  if (!std::ranges::all_of(scores, [](float score) { return std::isfinite(score); })) {
    return arrow::Status::Invalid("the tensor '", name, "' holds a non-finite number");
  }
  return scores;
}

}  // namespace spuna
