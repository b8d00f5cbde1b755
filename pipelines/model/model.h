#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/classifier/classifier.h"
#include "algorithms/classifier/held_out.h"
#include "algorithms/expansion/banks.h"
#include "algorithms/guarantees/conformal.h"
#include "algorithms/space/row_limits.h"
#include "algorithms/space/row_screen.h"
#include "pipelines/options/options.h"
#include "pipelines/run/decision.h"
#include "pipelines/run/fit_summary.h"

namespace spuna {

/// A fitted model: all that scoring needs, and what it says of itself.
struct Model {
  algorithms::Classifier classifier;
  /// To where rows are clipped before the classifier sees them; empty where they are not.
  algorithms::RowLimits limits;
  /// What rows are held against before they are scored; none in models before format 5, and where
  /// the fit was not asked for it.
  std::optional<algorithms::RowScreen> screen;
  /// The rows that the score without classifier is measured against, where they were kept.
  std::optional<algorithms::Banks> banks;
  Decision decision;
  /// What p-values are counted from; empty without a calibration.
  algorithms::CalibrationScores calibration;
  /// What a deployment is watched with: classifiers and trusted rows that they have not seen. Empty
  /// where the recipe cross-fitted nothing.
  std::vector<algorithms::HeldOut> watch;
  FitOptions options;
  FitSummary summary;
  std::map<std::string, std::string> versions;

  /// Whether it should tell far rows by its options, and can't: it is of an older format.
  bool LacksDistance() const { return !screen && options.ChosenFar().has_value(); }

  std::int64_t dimension() const { return static_cast<std::int64_t>(classifier.dimension); }

  /// What the model says of itself: hash, options, summary, versions. Equal fits say the same.
  nlohmann::json Describe() const;
};

/// The model as safetensors: an 8-byte length, a JSON header with a checksum of the whole, raw
/// tensors. Equal models are equal bytes.
std::string SerializeModel(const Model& model);

/// The hash of these bytes: what manifests, states and `inspect` name a model by.
std::string ModelHash(const Model& model);

/// Reads a model; its checksum and every length, offset and shape are checked before use. `name` is
/// for messages.
arrow::Result<Model> ParseModel(const std::string& bytes, const std::string& name);

/// ParseModel of a file, which a file:// URI may name.
arrow::Result<Model> LoadModel(const std::filesystem::path& named);

/// Writes a model file, which appears whole or not at all. A file:// URI may name it.
arrow::Status SaveModel(const Model& model, const std::filesystem::path& named, bool overwrite);

}  // namespace spuna
