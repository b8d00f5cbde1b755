#include "pipelines/fit/fit_checkpoint.h"

#include <span>
#include <vector>

#include "arrow_io/hash.h"
#include "pipelines/model/model_tensors.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/run/runtime.h"

namespace spuna {
namespace {

using algorithms::Discriminant;
using algorithms::Expansion;

constexpr const char* kDiscriminant = "discriminant.safetensors";
constexpr const char* kExpansion = "expansion.safetensors";

template <typename T>
void AddVector(Safetensors& file, const std::string& name, const std::vector<T>& values) {
  file.Add(name, {static_cast<std::int64_t>(values.size())}, std::span(values));
}

// Numbers survive as text only if every digit is written; as tensors they do in any case.
Safetensors ToFile(const Discriminant& discriminant) {
  Safetensors file;
  AddVector(file, "trusted", discriminant.trusted);
  AddVector(file, "pool", discriminant.pool);
  std::vector<double> numbers = {discriminant.network_weight,     discriminant.separation.auroc,
                                 discriminant.separation.p_value, discriminant.share.estimate,
                                 discriminant.share.low,          discriminant.share.high};
  if (const auto& least = discriminant.separation.least_p_value) numbers.push_back(*least);
  AddVector(file, "numbers", numbers);
  AddHeldOut("fold", discriminant.folds, file);
  return file;
}

arrow::Result<Discriminant> DiscriminantFrom(const Safetensors& file) {
  Discriminant discriminant;
  ARROW_ASSIGN_OR_RAISE(discriminant.trusted, file.Doubles("trusted"));
  ARROW_ASSIGN_OR_RAISE(discriminant.pool, file.Doubles("pool"));
  ARROW_ASSIGN_OR_RAISE(const std::vector<double> numbers, file.Doubles("numbers"));
  if (numbers.size() != 6 && numbers.size() != 7) {
    return arrow::Status::Invalid("expected 6 or 7 numbers");
  }
  discriminant.network_weight = numbers[0];
  discriminant.separation = {numbers[1], numbers[2], {}};
  if (numbers.size() == 7) discriminant.separation.least_p_value = numbers[6];
  discriminant.share = {numbers[3], numbers[4], numbers[5]};
  ARROW_ASSIGN_OR_RAISE(discriminant.folds, ReadHeldOut("fold", file));
  return discriminant;
}

Safetensors ToFile(const Expansion& expansion) {
  Safetensors file;
  std::vector<float> labels;
  std::vector<float> rounds;
  labels.reserve(expansion.labels.size());
  rounds.reserve(expansion.rounds.size());
  for (const algorithms::PseudoLabel label : expansion.labels) {
    labels.push_back(static_cast<float>(label));
  }
  for (const std::int32_t round : expansion.rounds) rounds.push_back(static_cast<float>(round));
  AddVector(file, "labels", labels);
  AddVector(file, "rounds", rounds);
  AddVector(file, "entropy", expansion.entropy);
  return file;
}

arrow::Result<Expansion> ExpansionFrom(const Safetensors& file) {
  Expansion expansion;
  ARROW_ASSIGN_OR_RAISE(const std::vector<float> labels, file.Floats("labels"));
  ARROW_ASSIGN_OR_RAISE(const std::vector<float> rounds, file.Floats("rounds"));
  ARROW_ASSIGN_OR_RAISE(expansion.entropy, file.Doubles("entropy"));
  if (labels.size() != rounds.size() || expansion.entropy.empty()) {
    return arrow::Status::Invalid("the labels don't belong together");
  }
  expansion.num_rounds = expansion.entropy.size() - 1;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    expansion.labels.push_back(
        static_cast<algorithms::PseudoLabel>(static_cast<std::int8_t>(labels[i])));
    expansion.rounds.push_back(static_cast<std::int32_t>(rounds[i]));
  }
  return expansion;
}

std::string HashRows(const EmbeddingMatrix& rows) {
  const std::uint64_t hash = arrow_io::Hash(rows.values.data(), rows.values.size() * sizeof(float),
                                            static_cast<std::uint64_t>(rows.dimension));
  return std::to_string(rows.num_rows()) + ":" + std::to_string(hash);
}

// What was read, unless it can't be used.
template <typename T>
std::optional<T> IfRead(arrow::Result<T> read) {
  return read.ok() ? std::optional<T>(*std::move(read)) : std::nullopt;
}

}  // namespace

void FitCheckpoint::TieTo(const FitInput& trusted, const FitInput& pool) {
  rows_ = HashRows(trusted.rows) + " " + HashRows(pool.rows) + " " + SpunaVersion();
  for (const FitInput* const input : {&trusted, &pool}) {
    if (input->verdicts.empty()) continue;
    const auto* const bytes = reinterpret_cast<const char*>(input->verdicts.data());
    rows_ += " " + arrow_io::HashDigits(std::string(bytes, input->verdicts.size()));
  }
}

void FitCheckpoint::Save(const char* name, Safetensors file) {
  if (!IsDue()) return;
  file.metadata["rows"] = rows_;
  static_cast<void>(state_.Save(name, file.Serialize()));
}

std::optional<Safetensors> FitCheckpoint::Find(const char* name) const {
  const std::optional<std::string> bytes = state_.Load(name);
  if (!bytes) return std::nullopt;
  std::optional<Safetensors> file =
      IfRead(CatchExceptions([&] { return Safetensors::Parse(*bytes); }));
  const bool is_ours = file && file->metadata.contains("rows") && file->metadata["rows"] == rows_;
  return is_ours ? file : std::nullopt;
}

std::optional<Discriminant> FitCheckpoint::FindDiscriminant() {
  const std::optional<Safetensors> file = Find(kDiscriminant);
  return file ? IfRead(DiscriminantFrom(*file)) : std::nullopt;
}

void FitCheckpoint::Keep(const Discriminant& discriminant) {
  Save(kDiscriminant, ToFile(discriminant));
}

std::optional<Expansion> FitCheckpoint::FindExpansion() {
  const std::optional<Safetensors> file = Find(kExpansion);
  return file ? IfRead(ExpansionFrom(*file)) : std::nullopt;
}

void FitCheckpoint::Keep(const Expansion& expansion) { Save(kExpansion, ToFile(expansion)); }

bool FitCheckpoint::IsDue() {
  const Clock::time_point now = Clock::now();
  if (std::chrono::duration<double>(now - kept_at_).count() < seconds_between_) return false;
  kept_at_ = now;
  return true;
}

}  // namespace spuna
