#include "pipelines/options/call_options.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "pipelines/options/option_words.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/run/json_text.h"

namespace spuna {
namespace {

using nlohmann::json;

// What one key does with its value. Throws std::invalid_argument.
using Reader = std::function<void(const json& value)>;

[[noreturn]] void Refuse(const std::string& expected, const json& value) {
  throw std::invalid_argument("expected " + expected + " but found " + DumpJson(value));
}

void Read(const json& value, std::string& out) {
  if (!value.is_string()) Refuse("a text", value);
  out = value.get<std::string>();
}

void Read(const json& value, bool& out) {
  if (!value.is_boolean()) Refuse("true or false", value);
  out = value.get<bool>();
}

void Read(const json& value, double& out) {
  if (!value.is_number()) Refuse("a number", value);
  out = value.get<double>();
}

void Read(const json& value, std::uint64_t& out) {
  if (!value.is_number_unsigned()) Refuse("a whole number of 0 or more", value);
  out = value.get<std::uint64_t>();
}

void Read(const json& value, std::int64_t& out) {
  const bool fits = value.is_number_integer() &&
                    !(value.is_number_unsigned() &&
                      value.get<std::uint64_t>() >
                          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  if (!fits) Refuse("a whole number", value);
  out = value.get<std::int64_t>();
}

template <typename T>
  requires std::is_enum_v<T>
void Read(const json& value, T& out) {
  const auto& words = OptionWords<T>();
  const auto found = value.is_string() ? words.find(value.get<std::string>()) : words.end();
  if (found != words.end()) {
    out = found->second;
    return;
  }
  Refuse("one of " + AllowedWords<T>(), value);
}

template <typename T>
void Read(const json& value, std::optional<T>& out) {
  T read{};
  Read(value, read);
  out = read;
}

template <typename T>
Reader Into(T& out) {
  return [&out](const json& value) { Read(value, out); };
}

// The keys of a call, over the options that they fill.
std::map<std::string, Reader> Readers(Call call, CallOptions& options) {
  FitOptions& fit = options.fit;
  ScoreOptions& score = options.score;
  std::map<std::string, Reader> readers = {
      {"embedding", Into(fit.embedding)},
      {"invalid", Into(fit.invalid)},
      {"neighbors", Into(fit.neighbors)},
      {"threshold", Into(fit.decision.threshold)},
      {"max_clean_loss", Into(fit.decision.max_clean_loss)},
      {"threads", [&options](const json& value) {
         std::int64_t threads = 0;
         Read(value, threads);
         if (threads < 1 || threads > kMaxThreads) {
           Refuse("a number between 1 and " + std::to_string(kMaxThreads), value);
         }
         options.num_threads = static_cast<int>(threads);
       }}};
  if (call != Call::kScore) {
    readers.insert({{"recipe", Into(fit.recipe)},
                    {"metric", Into(fit.metric)},
                    {"seeds", Into(fit.seeds)},
                    {"discriminant", Into(fit.discriminant)},
                    {"sides", Into(fit.sides)},
                    {"targets", Into(fit.targets)},
                    {"alpha", Into(fit.alpha)},
                    {"beta", Into(fit.beta)},
                    {"k", Into(fit.k)},
                    {"epsilon", Into(fit.epsilon)},
                    {"on_stop", Into(fit.on_stop)},
                    {"hidden", Into(fit.hidden)},
                    {"epochs", Into(fit.epochs)},
                    {"learning_rate", Into(fit.learning_rate)},
                    {"batch_size", Into(fit.batch_size)},
                    {"seed", Into(fit.seed)},
                    {"fit_rows", Into(fit.fit_rows)},
                    {"fit_sample", Into(fit.fit_sample)},
                    {"stratify", Into(fit.stratify)},
                    {"max_false_drops", Into(fit.decision.max_false_drops)},
                    {"keep_share", Into(fit.decision.keep_share)},
                    {"calibration", Into(fit.decision.calibration)},
                    {"calibration_rows", Into(fit.decision.calibration_rows)},
                    {"keep_banks", Into(options.extras.keep_banks)}});
  }
  if (call == Call::kScore) readers.insert({"by", Into(score.by)});
  if (call != Call::kFit) {
    readers.insert({{"prefix", Into(score.prefix)},
                    {"drop", Into(score.drop)},
                    {"p_values", Into(score.p_values)}});
  }
  return readers;
}

// The command's names of options, as they are written here.
arrow::Status InOurWords(const arrow::Status& status) {
  if (status.ok()) return status;
  std::string message = status.message();
  for (const std::string name : {"batch-size", "learning-rate", "fit-rows", "max-clean-loss",
                                 "max-false-drops", "keep-share", "calibration-rows", "p-values"}) {
    const std::size_t at = message.find('`' + name + '`');
    if (at == std::string::npos) continue;
    std::replace(message.begin() + at, message.begin() + at + name.size(), '-', '_');
  }
  return status.WithMessage(message);
}

CallOptions ParseOrThrow(const std::string& text, Call call) {
  CallOptions options;
  const json parsed = text.empty() ? json::object() : json::parse(text);
  if (!parsed.is_object()) throw std::invalid_argument("options: expected a JSON object");
  const auto readers = Readers(call, options);
  for (const auto& [key, value] : parsed.items()) {
    std::string name = key;
    std::ranges::replace(name, '-', '_');
    const auto reader = readers.find(name);
    if (reader == readers.end()) {
      std::string known;
      for (const auto& [other, unused] : readers) known += (known.empty() ? "" : ", ") + other;
      throw std::invalid_argument("there is no option `" + key + "`; the options are " + known);
    }
    if (value.is_null()) continue;
    try {
      reader->second(value);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("`" + name + "`: " + error.what());
    }
  }
  options.score.embedding = options.fit.embedding;
  options.score.invalid = options.fit.invalid;
  options.score.neighbors = options.fit.neighbors;
  if (call == Call::kScore) {
    options.score.threshold = options.fit.decision.threshold;
    options.score.max_clean_loss = options.fit.decision.max_clean_loss;
  } else {
    options.fit.decision = CalibratedFor(options.score, options.fit.decision);
  }
  return options;
}

}  // namespace

arrow::Result<CallOptions> ParseCallOptions(const std::string& text, Call call) {
  return CatchExceptions([&]() -> arrow::Result<CallOptions> {
    try {
      CallOptions options = ParseOrThrow(text, call);
      ARROW_RETURN_NOT_OK(InOurWords(options.fit.Validate()));
      ARROW_RETURN_NOT_OK(InOurWords(options.score.Validate()));
      return options;
    } catch (const json::parse_error& error) {
      return arrow::Status::Invalid("options: expected a JSON object: ", error.what());
    }
  });
}

}  // namespace spuna
