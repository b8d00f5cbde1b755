#include "pipelines/model/model.h"

#include <arrow/buffer.h>
#include <arrow/io/file.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "pipelines/model/model_tensors.h"
#include "pipelines/model/safetensors.h"
#include "pipelines/options/option_words.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/run/json_text.h"

namespace spuna {
namespace {

using nlohmann::json;

constexpr const char* kFormat = "spuna-model";
constexpr const char* kFormatVersion = "3";

// What was set, or that it was chosen.
template <typename T>
json Set(const std::optional<T>& value) {
  if (!value) return "auto";
  if constexpr (std::is_same_v<T, std::int64_t>) {
    return *value;
  } else {
    return ToWord(*value);
  }
}

template <typename T>
std::optional<T> GetSet(const json& from) {
  if (from == "auto") return std::nullopt;
  if constexpr (std::is_same_v<T, std::int64_t>) {
    return from.get<T>();
  } else {
    return FromWord<T>(from.get<std::string>());
  }
}

// Names of options that older files don't have.
constexpr const char* kFitRows = "fit-rows";
constexpr const char* kFitSample = "fit-sample";

json Set(const std::optional<double>& value) { return value ? json(*value) : json("auto"); }

std::optional<double> GetNumber(const json& from) {
  return from == "auto" ? std::nullopt : std::optional(from.get<double>());
}

FitOptions OptionsFromJson(const json& from) {
  FitOptions options;
  options.recipe = FromWord<Recipe>(from.at("recipe").get<std::string>());
  options.metric = GetSet<algorithms::Metric>(from.at("metric"));
  options.seeds = GetSet<algorithms::Seeds>(from.at("seeds"));
  options.discriminant = GetSet<bool>(from.at("discriminant"));
  options.sides = GetSet<algorithms::Sides>(from.at("sides"));
  options.targets = GetSet<algorithms::Targets>(from.at("targets"));
  options.embedding = from.at("embedding").get<std::string>();
  options.alpha = GetSet<std::int64_t>(from.at("alpha"));
  options.beta = GetSet<std::int64_t>(from.at("beta"));
  options.k = GetSet<std::int64_t>(from.at("k"));
  options.epsilon = from.at("epsilon").get<double>();
  options.on_stop = FromWord<algorithms::OnStop>(from.at("on-stop").get<std::string>());
  options.hidden = GetSet<std::int64_t>(from.at("hidden"));
  options.epochs = GetSet<std::int64_t>(from.at("epochs"));
  options.learning_rate = from.at("learning-rate").get<double>();
  options.batch_size = from.at("batch-size").get<std::int64_t>();
  options.seed = from.at("seed").get<std::uint64_t>();
  options.fit_rows = from.value(kFitRows, kDefaultFitRows);
  options.fit_sample = FromWord<FitSample>(from.value(kFitSample, "uniform"));
  options.stratify = from.at("stratify").get<std::string>();
  options.decision.max_clean_loss = GetNumber(from.at("max-clean-loss"));
  options.decision.max_false_drops = GetNumber(from.at("max-false-drops"));
  options.decision.keep_share = GetNumber(from.at("keep-share"));
  options.decision.threshold = GetNumber(from.at("threshold"));
  options.decision.calibration = GetSet<Calibration>(from.at("calibration"));
  options.decision.calibration_rows = GetSet<std::int64_t>(from.at("calibration-rows"));
  return options;
}

FitChoices ChoicesFromJson(const json& from) {
  FitChoices choices;
  choices.switches.metric = FromWord<algorithms::Metric>(from.at("metric").get<std::string>());
  choices.switches.seeds = FromWord<algorithms::Seeds>(from.at("seeds").get<std::string>());
  choices.switches.discriminant = FromWord<bool>(from.at("discriminant").get<std::string>());
  choices.switches.sides = FromWord<algorithms::Sides>(from.at("sides").get<std::string>());
  choices.switches.targets = FromWord<algorithms::Targets>(from.at("targets").get<std::string>());
  choices.alpha = from.at("alpha").get<std::int64_t>();
  choices.beta = from.at("beta").get<std::int64_t>();
  choices.k = from.at("k").get<std::int64_t>();
  choices.hidden = from.at("hidden").get<std::int64_t>();
  choices.epochs = from.at("epochs").get<std::int64_t>();
  if (choices.k < 1) throw std::invalid_argument("expected `k` of at least 1");
  return choices;
}

json SummaryToJson(const FitSummary& summary, Recipe recipe) {
  json chosen = ToJson(summary.choices);
  chosen["rule"] = ChoiceRule(recipe);
  json shift = {{"found", summary.found}};
  if (summary.separation) {
    shift["auroc"] = summary.separation->auroc;
    shift["p_value"] = summary.separation->p_value;
  }
  if (summary.share) shift["share"] = ToJson(*summary.share);
  json described = {
      {"chosen", chosen},
      {"shift", shift},
      {"rows_trusted", summary.rows_trusted},
      {"rows_pool", summary.rows_pool},
      {"rows_invalid_trusted", summary.rows_invalid_trusted},
      {"rows_invalid_pool", summary.rows_invalid_pool},
      {"rows_trusted_in_pool", summary.rows_trusted_in_pool},
      {"rows_calibration", summary.rows_calibration},
      {"rounds", summary.rounds},
      {"entropy", summary.entropy},
      {"stopped_by", summary.stopped_by},
      {"labeled", {{"clean", summary.labeled_clean}, {"shifted", summary.labeled_shifted}}}};
  if (summary.sampled_from) described["sampled_from"] = *summary.sampled_from;
  return described;
}

FitSummary SummaryFromJson(const json& from) {
  FitSummary summary;
  summary.rows_trusted = from.at("rows_trusted").get<std::int64_t>();
  summary.rows_pool = from.at("rows_pool").get<std::int64_t>();
  summary.rows_invalid_trusted = from.at("rows_invalid_trusted").get<std::int64_t>();
  summary.rows_invalid_pool = from.at("rows_invalid_pool").get<std::int64_t>();
  summary.rows_trusted_in_pool = from.at("rows_trusted_in_pool").get<std::int64_t>();
  summary.rows_calibration = from.at("rows_calibration").get<std::int64_t>();
  summary.choices = ChoicesFromJson(from.at("chosen"));
  const json& shift = from.at("shift");
  summary.found = shift.at("found").get<bool>();
  if (!summary.found || shift.contains("auroc")) {
    summary.separation = {shift.at("auroc").get<double>(), shift.at("p_value").get<double>()};
  }
  if (shift.contains("share")) {
    const json& share = shift.at("share");
    summary.share = {share.at("estimate").get<double>(), share.at("low").get<double>(),
                     share.at("high").get<double>()};
  }
  summary.rounds = from.at("rounds").get<std::int64_t>();
  summary.entropy = from.at("entropy").get<std::vector<double>>();
  summary.stopped_by = from.at("stopped_by").get<std::string>();
  summary.labeled_clean = from.at("labeled").at("clean").get<std::int64_t>();
  summary.labeled_shifted = from.at("labeled").at("shifted").get<std::int64_t>();
  if (from.contains("sampled_from")) {
    summary.sampled_from = from.at("sampled_from").get<std::int64_t>();
  }
  return summary;
}

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

arrow::Result<Model> FromSafetensors(const Safetensors& file) {
  auto text = [&](const std::string& key) {
    const auto it = file.metadata.find(key);
    return it == file.metadata.end() ? std::string() : it->second;
  };
  if (text("format") != kFormat) {
    return arrow::Status::Invalid("it is a safetensors file but not a model of spuna");
  }
  if (text("format_version") != kFormatVersion) {
    return arrow::Status::Invalid("expected model format ", kFormatVersion, " but found '",
                                  text("format_version"), "'; use the spuna that wrote it");
  }
  Model model;
  model.options = OptionsFromJson(json::parse(text("options")));
  model.summary = SummaryFromJson(json::parse(text("fit")));
  model.versions = json::parse(text("versions")).get<std::map<std::string, std::string>>();
  model.decision = DecisionFromJson(json::parse(text("calibration")));
  ARROW_RETURN_NOT_OK(model.options.Validate());

  ARROW_ASSIGN_OR_RAISE(model.classifier, ReadClassifier("", file));
  const algorithms::Classifier& classifier = model.classifier;
  if (text("dimension") != std::to_string(classifier.dimension) ||
      text("hidden") != std::to_string(classifier.hidden)) {
    return arrow::Status::Invalid("its tensors are not of the size that it says of itself");
  }
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

json ToJson(const FitChoices& choices) {
  return {{"metric", ToWord(choices.switches.metric)},
          {"seeds", ToWord(choices.switches.seeds)},
          {"discriminant", ToWord(choices.switches.discriminant)},
          {"sides", ToWord(choices.switches.sides)},
          {"targets", ToWord(choices.switches.targets)},
          {"alpha", choices.alpha},
          {"beta", choices.beta},
          {"k", choices.k},
          {"hidden", choices.hidden},
          {"epochs", choices.epochs}};
}

json ToJson(const algorithms::Share& share) {
  return {{"estimate", share.estimate}, {"low", share.low}, {"high", share.high}};
}

json ToJson(const FitOptions& options) {
  // What determines the result; not how it was computed or where it went.
  return {{kFitRows, options.fit_rows},
          {kFitSample, ToWord(options.fit_sample)},
          {"recipe", ToWord(options.recipe)},
          {"metric", Set(options.metric)},
          {"seeds", Set(options.seeds)},
          {"discriminant", Set(options.discriminant)},
          {"sides", Set(options.sides)},
          {"targets", Set(options.targets)},
          {"embedding", options.embedding},
          {"alpha", Set(options.alpha)},
          {"beta", Set(options.beta)},
          {"k", Set(options.k)},
          {"epsilon", options.epsilon},
          {"on-stop", ToWord(options.on_stop)},
          {"hidden", Set(options.hidden)},
          {"epochs", Set(options.epochs)},
          {"learning-rate", options.learning_rate},
          {"batch-size", options.batch_size},
          {"seed", options.seed},
          {"stratify", options.stratify},
          {"max-clean-loss", Set(options.decision.max_clean_loss)},
          {"max-false-drops", Set(options.decision.max_false_drops)},
          {"keep-share", Set(options.decision.keep_share)},
          {"threshold", Set(options.decision.threshold)},
          {"calibration", Set(options.decision.calibration)},
          {"calibration-rows", Set(options.decision.calibration_rows)}};
}

json Model::Describe() const {
  json described = {{"format", kFormat},
                    {"format_version", kFormatVersion},
                    {"dimension", dimension()},
                    {"options", ToJson(options)},
                    {"fit", SummaryToJson(summary, options.recipe)},
                    {"calibration", ToJson(decision)},
                    {"versions", versions}};
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
                   {"format_version", kFormatVersion},
                   {"dimension", std::to_string(dimension)},
                   {"hidden", std::to_string(hidden)},
                   {"options", DumpJson(ToJson(model.options))},
                   {"fit", DumpJson(SummaryToJson(model.summary, model.options.recipe))},
                   {"calibration", DumpJson(ToJson(model.decision))},
                   {"versions", DumpJson(model.versions)}};
  AddClassifier("", classifier, file);
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
  return file.Serialize();
}

arrow::Result<Model> ParseModel(const std::string& bytes, const std::string& name) {
  auto parse = [&]() -> arrow::Result<Model> {
    ARROW_ASSIGN_OR_RAISE(const Safetensors file, Safetensors::Parse(bytes));
    return FromSafetensors(file);
  };
  arrow::Result<Model> model = CatchExceptions(parse);
  if (!model.ok()) {
    return model.status().WithMessage("the model ", name,
                                      " can't be used: ", model.status().message());
  }
  return model;
}

arrow::Result<Model> LoadModel(const std::filesystem::path& path) {
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

arrow::Status WriteModel(const std::string& bytes, const arrow_io::StagedOutput& output) {
  arrow::Status written = arrow_io::WriteBytes(output.path(), bytes);
  if (written.ok()) return written;
  return written.WithMessage(output.target().string(), " can't be written: ", written.message());
}

arrow::Status SaveModel(const Model& model, const std::filesystem::path& path, bool overwrite) {
  if (path.empty()) return arrow::Status::Invalid("`model` names no file");
  ARROW_ASSIGN_OR_RAISE(auto output, arrow_io::StagedOutput::Create({path, overwrite, "model"}));
  ARROW_RETURN_NOT_OK(WriteModel(SerializeModel(model), output));
  ARROW_RETURN_NOT_OK(output.Check());
  return output.Commit();
}

}  // namespace spuna
