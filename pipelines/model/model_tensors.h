#pragma once

#include <arrow/result.h>

#include <string>
#include <vector>

#include "algorithms/classifier/classifier.h"
#include "algorithms/classifier/held_out.h"
#include "pipelines/model/safetensors.h"

namespace spuna {

/// The tensors of a classifier, their names beginning with `prefix`.
void AddClassifier(const std::string& prefix, const algorithms::Classifier& classifier,
                   Safetensors& file);
/// Every shape is checked. Throws std::invalid_argument where the parts don't fit each other.
arrow::Result<algorithms::Classifier> ReadClassifier(const std::string& prefix,
                                                     const Safetensors& file);

/// Classifiers with scores, under `name`.0, `name`.1 and so on.
void AddHeldOut(const std::string& name, const std::vector<algorithms::HeldOut>& held_out,
                Safetensors& file);
/// None where there are none.
arrow::Result<std::vector<algorithms::HeldOut>> ReadHeldOut(const std::string& name,
                                                            const Safetensors& file);

/// A list of scores, which may be empty and then is not in the file.
void AddScores(const std::string& name, const std::vector<float>& scores, Safetensors& file);
arrow::Result<std::vector<float>> ReadScores(const std::string& name, const Safetensors& file);

}  // namespace spuna
