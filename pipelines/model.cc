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
#include "pipelines/safetensors.h"

namespace spuna {
namespace {

using nlohmann::json;

constexpr const char* kFormat = "spuna-model";
constexpr const char* kFormatVersion = "1";

json OptionsToJson(const FitOptions& options) {
  // What determines the result; not how it was computed or where it went.
  return {{"recipe", options.recipe},
          {"embedding", options.embedding},
          {"alpha", options.alpha},
          {"beta", options.beta ? json(*options.beta) : json("auto")},
          {"k", options.k},
          {"epsilon", options.epsilon},
          {"on-stop", ToString(options.on_stop)},
          {"hidden", options.hidden},
          {"epochs", options.epochs},
          {"learning-rate", options.learning_rate},
          {"batch-size", options.batch_size},
          {"seed", options.seed}};
}

FitOptions OptionsFromJson(const json& from) {
  FitOptions options;
  options.recipe = from.at("recipe").get<std::string>();
  options.embedding = from.at("embedding").get<std::string>();
  options.alpha = from.at("alpha").get<std::int64_t>();
  if (from.at("beta").is_number_integer()) options.beta = from.at("beta").get<std::int64_t>();
  options.k = from.at("k").get<std::int64_t>();
  options.epsilon = from.at("epsilon").get<double>();
  const auto on_stop = from.at("on-stop").get<std::string>();
  if (on_stop != "keep" && on_stop != "rollback") {
    throw std::invalid_argument("expected `on-stop` to be 'keep' or 'rollback' but found '" +
                                on_stop + "'");
  }
  options.on_stop = on_stop == "keep" ? algorithms::OnStop::kKeep : algorithms::OnStop::kRollback;
  options.hidden = from.at("hidden").get<std::int64_t>();
  options.epochs = from.at("epochs").get<std::int64_t>();
  options.learning_rate = from.at("learning-rate").get<double>();
  options.batch_size = from.at("batch-size").get<std::int64_t>();
  options.seed = from.at("seed").get<std::uint64_t>();
  return options;
}

json SummaryToJson(const FitSummary& summary) {
  return {{"rows_trusted", summary.rows_trusted},
          {"rows_pool", summary.rows_pool},
          {"rows_invalid_trusted", summary.rows_invalid_trusted},
          {"rows_invalid_pool", summary.rows_invalid_pool},
          {"rows_trusted_in_pool", summary.rows_trusted_in_pool},
          {"beta", summary.beta},
          {"rounds", summary.rounds},
          {"entropy", summary.entropy},
          {"stopped_by", summary.stopped_by},
          {"labeled", {{"clean", summary.labeled_clean}, {"shifted", summary.labeled_shifted}}}};
}

FitSummary SummaryFromJson(const json& from) {
  FitSummary summary;
  summary.rows_trusted = from.at("rows_trusted").get<std::int64_t>();
  summary.rows_pool = from.at("rows_pool").get<std::int64_t>();
  summary.rows_invalid_trusted = from.at("rows_invalid_trusted").get<std::int64_t>();
  summary.rows_invalid_pool = from.at("rows_invalid_pool").get<std::int64_t>();
  summary.rows_trusted_in_pool = from.at("rows_trusted_in_pool").get<std::int64_t>();
  summary.beta = from.at("beta").get<std::int64_t>();
  summary.rounds = from.at("rounds").get<std::int64_t>();
  summary.entropy = from.at("entropy").get<std::vector<double>>();
  summary.stopped_by = from.at("stopped_by").get<std::string>();
  summary.labeled_clean = from.at("labeled").at("clean").get<std::int64_t>();
  summary.labeled_shifted = from.at("labeled").at("shifted").get<std::int64_t>();
  return summary;
}

arrow::Result<algorithms::Bank> ReadBank(const Safetensors& file, const std::string& name,
                                         std::size_t dimension) {
  ARROW_ASSIGN_OR_RAISE(const auto shape, file.Shape(name));
  if (shape.size() != 2 || shape[0] < 1 || shape[1] != static_cast<std::int64_t>(dimension)) {
    return arrow::Status::Invalid("expected the tensor '", name, "' to have rows of dimension ",
                                  dimension);
  }
  algorithms::Bank bank;
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
      model.options.hidden != static_cast<std::int64_t>(classifier.hidden)) {
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

json Model::Describe() const {
  json described = {{"format", kFormat},
                    {"format_version", kFormatVersion},
                    {"dimension", dimension()},
                    {"options", OptionsToJson(options)},
                    {"fit", SummaryToJson(summary)},
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
                   {"options", DumpJson(OptionsToJson(model.options))},
                   {"fit", DumpJson(SummaryToJson(model.summary))},
                   {"calibration", DumpJson({{"threshold", model.threshold}})},
                   {"versions", DumpJson(model.versions)}};
  file.Add("standardize.mean", {dimension}, std::span(classifier.mean));
  file.Add("standardize.deviation", {dimension}, std::span(classifier.deviation));
  file.Add("hidden.weight", {hidden, dimension}, std::span(classifier.hidden_weight));
  file.Add("hidden.bias", {hidden}, std::span(classifier.hidden_bias));
  file.Add("output.weight", {2, hidden}, std::span(classifier.output_weight));
  file.Add("output.bias", {2}, std::span(classifier.output_bias));
  if (model.banks) {
    auto add = [&](const std::string& name, const algorithms::Bank& bank) {
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

arrow::Status WriteModel(const Model& model, const arrow_io::StagedOutput& output) {
  arrow::Status written = arrow_io::WriteBytes(output.path(), SerializeModel(model));
  if (written.ok()) return written;
  return written.WithMessage(output.target().string(), " can't be written: ", written.message());
}

arrow::Status SaveModel(const Model& model, const std::filesystem::path& path, bool overwrite) {
  if (path.empty()) return arrow::Status::Invalid("`model` names no file");
  ARROW_ASSIGN_OR_RAISE(auto output,
                        arrow_io::StagedOutput::Create(
                            {path, arrow_io::StagedOutput::Kind::kFile, overwrite, "model"}));
  ARROW_RETURN_NOT_OK(WriteModel(model, output));
  ARROW_RETURN_NOT_OK(output.Check());
  return output.Commit();
}

}  // namespace spuna
