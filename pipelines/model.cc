#include "pipelines/model.h"

#include <arrow/buffer.h>
#include <arrow/io/file.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "pipelines/exception_status.h"
#include "pipelines/json_text.h"
#include "pipelines/option_words.h"
#include "pipelines/safetensors.h"

namespace spuna {
namespace {

using nlohmann::json;

constexpr const char* kFormat = "spuna-model";
constexpr const char* kFormatVersion = "2";

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
  if (summary.share) shift["share"] = *summary.share;
  json described = {
      {"chosen", chosen},
      {"shift", shift},
      {"rows_trusted", summary.rows_trusted},
      {"rows_pool", summary.rows_pool},
      {"rows_invalid_trusted", summary.rows_invalid_trusted},
      {"rows_invalid_pool", summary.rows_invalid_pool},
      {"rows_trusted_in_pool", summary.rows_trusted_in_pool},
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
  summary.choices = ChoicesFromJson(from.at("chosen"));
  const json& shift = from.at("shift");
  summary.found = shift.at("found").get<bool>();
  if (!summary.found || shift.contains("auroc")) {
    summary.separation = {shift.at("auroc").get<double>(), shift.at("p_value").get<double>()};
  }
  if (shift.contains("share")) summary.share = shift.at("share").get<double>();
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
  model.threshold = json::parse(text("calibration")).at("threshold").get<double>();
  ARROW_RETURN_NOT_OK(model.options.Validate());

  ARROW_ASSIGN_OR_RAISE(const auto shape, file.Shape("hidden.weight"));
  if (shape.size() != 2) return arrow::Status::Invalid("the hidden weights are not a matrix");
  algorithms::Classifier& classifier = model.classifier;
  classifier.hidden = static_cast<std::size_t>(shape[0]);
  classifier.dimension = static_cast<std::size_t>(shape[1]);
  ARROW_ASSIGN_OR_RAISE(classifier.mean, file.Doubles("standardize.mean"));
  ARROW_ASSIGN_OR_RAISE(classifier.deviation, file.Doubles("standardize.deviation"));
  ARROW_ASSIGN_OR_RAISE(classifier.hidden_weight, file.Floats("hidden.weight"));
  ARROW_ASSIGN_OR_RAISE(classifier.hidden_bias, file.Floats("hidden.bias"));
  ARROW_ASSIGN_OR_RAISE(classifier.output_weight, file.Floats("output.weight"));
  ARROW_ASSIGN_OR_RAISE(classifier.output_bias, file.Floats("output.bias"));
  classifier.Validate();
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
          {"seed", options.seed}};
}

json Model::Describe() const {
  json described = {{"format", kFormat},
                    {"format_version", kFormatVersion},
                    {"dimension", dimension()},
                    {"options", ToJson(options)},
                    {"fit", SummaryToJson(summary, options.recipe)},
                    {"calibration", {{"threshold", threshold}}},
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
                   {"calibration", DumpJson({{"threshold", model.threshold}})},
                   {"versions", DumpJson(model.versions)}};
  file.Add("standardize.mean", {dimension}, std::span(classifier.mean));
  file.Add("standardize.deviation", {dimension}, std::span(classifier.deviation));
  file.Add("hidden.weight", {hidden, dimension}, std::span(classifier.hidden_weight));
  file.Add("hidden.bias", {hidden}, std::span(classifier.hidden_bias));
  file.Add("output.weight", {2, hidden}, std::span(classifier.output_weight));
  file.Add("output.bias", {2}, std::span(classifier.output_bias));
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
