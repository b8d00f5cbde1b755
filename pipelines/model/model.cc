#include "pipelines/model/model.h"

#include <arrow/buffer.h>
#include <arrow/io/file.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "arrow_io/hash.h"
#include "pipelines/model/checksum.h"
#include "pipelines/model/model_tensors.h"
#include "pipelines/model/safetensors.h"
#include "pipelines/model/screen_tensors.h"
#include "pipelines/options/json_text.h"
#include "pipelines/options/option_list.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/run/job_paths.h"
#include "pipelines/run/output_set.h"

namespace spuna {
namespace {

using nlohmann::json;

constexpr const char* kFormat = "spuna-model";
// From kOldestFormat on every release reads the older ones: docs/architecture.md has the policy.
constexpr int kOldestFormat = 3;
constexpr int kFormatVersion = 6;
// The first with a checksum.
constexpr int kChecksumFormat = 6;

arrow::Result<algorithms::Matrix> ReadBank(const Safetensors& file, const std::string& name,
                                           std::size_t dimension) {
  ARROW_ASSIGN_OR_RAISE(const auto shape, file.Shape(name));
  if (shape.size() != 2 || shape[0] < 1 || shape[1] != static_cast<std::int64_t>(dimension)) {
    return arrow::Status::Invalid("expected the tensor '", name, "' to have rows of dimension ",
                                  dimension);
  }
  algorithms::Matrix bank;
  bank.dimension = dimension;
  ARROW_ASSIGN_OR_RAISE(bank.values, file.Floats(name));
  if (!std::ranges::all_of(bank.values, [](float value) { return std::isfinite(value); })) {
    return arrow::Status::Invalid("the tensor '", name, "' holds a non-finite number");
  }
  return bank;
}

arrow::Status CheckHeldOut(const std::vector<algorithms::HeldOut>& parts, std::size_t dimension) {
  for (const algorithms::HeldOut& part : parts) {
    if (part.classifier.dimension != dimension || part.scores.empty()) {
      return arrow::Status::Invalid("its held-out classifiers don't fit the rest");
    }
  }
  return arrow::Status::OK();
}

arrow::Result<int> ReadVersion(const std::string& text) {
  for (int version = kOldestFormat; version <= kFormatVersion; ++version) {
    if (text == std::to_string(version)) return version;
  }
  const std::string oldest =
      kOldestFormat < kFormatVersion ? std::to_string(kOldestFormat) + " to " : std::string();
  return arrow::Status::Invalid("expected model format ", oldest, kFormatVersion, " but found '",
                                text, "'; use the spuna that wrote it");
}

arrow::Result<Model> FromSafetensors(const Safetensors& file, const std::string& bytes) {
  auto text = [&](const std::string& key) {
    const auto it = file.metadata.find(key);
    return it == file.metadata.end() ? std::string() : it->second;
  };
  if (text("format") != kFormat) {
    return arrow::Status::Invalid("it is a safetensors file but not a model of spuna");
  }
  ARROW_ASSIGN_OR_RAISE(const int version, ReadVersion(text("format_version")));
  ARROW_RETURN_NOT_OK(VerifyChecksum(bytes, file, version >= kChecksumFormat));
  Model model;
  model.options = FitOptionsFromJson(json::parse(text("options")), version);
  model.summary = FitSummaryFromJson(json::parse(text("fit")));
  model.versions = json::parse(text("versions")).get<std::map<std::string, std::string>>();
  model.decision = DecisionFromJson(json::parse(text("calibration")));
  ARROW_RETURN_NOT_OK(model.options.Validate());

  ARROW_ASSIGN_OR_RAISE(model.classifier, ReadClassifier("", file));
  const algorithms::Classifier& classifier = model.classifier;
  if (text("dimension") != std::to_string(classifier.dimension) ||
      text("hidden") != std::to_string(classifier.hidden)) {
    return arrow::Status::Invalid("its tensors are not of the size that it says of itself");
  }
  ARROW_ASSIGN_OR_RAISE(model.limits, ReadLimits("", classifier.dimension, file));
  ARROW_ASSIGN_OR_RAISE(model.screen, ReadScreen("", classifier.dimension, file));
  if (file.Has("bank.clean") || file.Has("bank.shifted")) {
    algorithms::Banks banks;
    ARROW_ASSIGN_OR_RAISE(banks.clean, ReadBank(file, "bank.clean", classifier.dimension));
    ARROW_ASSIGN_OR_RAISE(banks.shifted, ReadBank(file, "bank.shifted", classifier.dimension));
    model.banks = std::move(banks);
  }
  ARROW_ASSIGN_OR_RAISE(model.calibration.own, ReadScores("calibration.scores", file));
  ARROW_ASSIGN_OR_RAISE(model.calibration.folds, ReadHeldOut("calibration", file));
  ARROW_ASSIGN_OR_RAISE(model.watch, ReadHeldOut("watch", file));
  ARROW_RETURN_NOT_OK(CheckHeldOut(model.calibration.folds, classifier.dimension));
  ARROW_RETURN_NOT_OK(CheckHeldOut(model.watch, classifier.dimension));
  if (!std::ranges::is_sorted(model.calibration.own)) {
    return arrow::Status::Invalid("its calibration scores are not in order");
  }
  if (model.decision.p_value_cutoff && model.calibration.empty()) {
    return arrow::Status::Invalid("it decides by p-values but has no calibration scores");
  }
  return model;
}

}  // namespace

json Model::Describe() const {
  json described = {{"format", kFormat},
                    {"format_version", std::to_string(kFormatVersion)},
                    {"hash", ModelHash(*this)},
                    {"dimension", dimension()},
                    {"options", ToJson(options)},
                    {"fit", ToJson(summary, options.recipe)},
                    {"calibration", ToJson(decision)},
                    {"versions", versions}};
  described["distance"] = nullptr;
  if (screen) {
    described["distance"] = {{"level", screen->level},
                             {"repeated_rows", screen->repeated.num_rows()}};
    if (screen->distance) {
      described["distance"]["references"] = screen->distance->num_references();
      described["distance"]["coordinates"] = screen->distance->num_coordinates();
      described["distance"]["beyond"] = screen->distance->CutoffAt(screen->level);
    }
  }
  described["banks"] = nullptr;
  if (banks) {
    described["banks"] = {{"clean", banks->clean.num_rows()},
                          {"shifted", banks->shifted.num_rows()}};
  }
  return described;
}

std::string SerializeModel(const Model& model) {
  const algorithms::Classifier& classifier = model.classifier;
  const auto hidden = static_cast<std::int64_t>(classifier.hidden);
  const std::int64_t dimension = model.dimension();
  Safetensors file;
  file.metadata = {{"format", kFormat},
                   {"format_version", std::to_string(kFormatVersion)},
                   {"dimension", std::to_string(dimension)},
                   {"hidden", std::to_string(hidden)},
                   {"options", DumpJson(ToJson(model.options))},
                   {"fit", DumpJson(ToJson(model.summary, model.options.recipe))},
                   {"calibration", DumpJson(ToJson(model.decision))},
                   {"versions", DumpJson(model.versions)}};
  AddClassifier("", classifier, file);
  AddLimits("", model.limits, file);
  AddScreen("", model.screen, file);
  AddScores("calibration.scores", model.calibration.own, file);
  AddHeldOut("calibration", model.calibration.folds, file);
  AddHeldOut("watch", model.watch, file);
  if (model.banks) {
    auto add = [&](const std::string& name, const algorithms::Matrix& bank) {
      file.Add(name, {static_cast<std::int64_t>(bank.num_rows()), dimension},
               std::span(bank.values));
    };
    add("bank.clean", model.banks->clean);
    add("bank.shifted", model.banks->shifted);
  }
  return SerializeWithChecksum(std::move(file));
}

std::string ModelHash(const Model& model) { return arrow_io::HashDigits(SerializeModel(model)); }

arrow::Result<Model> ParseModel(const std::string& bytes, const std::string& name) {
  auto parse = [&]() -> arrow::Result<Model> {
    ARROW_ASSIGN_OR_RAISE(const Safetensors file, Safetensors::Parse(bytes));
    return FromSafetensors(file, bytes);
  };
  arrow::Result<Model> model = CatchExceptions(parse);
  if (!model.ok()) {
    return model.status().WithMessage("the model ", name,
                                      " can't be used: ", model.status().message());
  }
  return model;
}

arrow::Result<Model> LoadModel(const std::filesystem::path& named) {
  ARROW_ASSIGN_OR_RAISE(const std::filesystem::path path, PathOf(named.string(), "model"));
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return arrow::Status::IOError("the model ", path.string(), " can't be used: it is not a file");
  }
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(path.string()));
  ARROW_ASSIGN_OR_RAISE(const std::int64_t size, file->GetSize());
  ARROW_ASSIGN_OR_RAISE(const auto buffer, file->Read(size));
  return ParseModel(buffer->ToString(), path.string());
}

arrow::Status SaveModel(const Model& model, const std::filesystem::path& named, bool overwrite) {
  if (named.empty()) return arrow::Status::Invalid("`model` names no file");
  ARROW_ASSIGN_OR_RAISE(const std::filesystem::path path, PathOf(named.string(), "model"));
  OutputSet output;
  ARROW_RETURN_NOT_OK(output.Add("model", path.string(), overwrite));
  ARROW_RETURN_NOT_OK(output.Write("model", SerializeModel(model)));
  return output.Commit();
}

}  // namespace spuna
