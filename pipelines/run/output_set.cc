#include "pipelines/run/output_set.h"

namespace spuna {

arrow::Status OutputSet::Add(const std::string& option, const std::optional<std::string>& path,
                             bool may_replace) {
  if (!path) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(auto output, arrow_io::StagedOutput::Create({*path, may_replace, option}));
  outputs_.emplace_back(option, std::move(output));
  return arrow::Status::OK();
}

const arrow_io::StagedOutput* OutputSet::Find(const std::string& option) const {
  for (const auto& [name, output] : outputs_) {
    if (name == option) return &output;
  }
  return nullptr;
}

void OutputSet::Remove(const std::string& option) {
  std::erase_if(outputs_, [&](const auto& entry) { return entry.first == option; });
}

arrow::Status OutputSet::Write(const std::string& option, const std::string& bytes) const {
  const arrow_io::StagedOutput* const output = Find(option);
  if (output == nullptr) return arrow::Status::OK();
  arrow::Status written = arrow_io::WriteBytes(output->path(), bytes);
  if (written.ok()) return written;
  return written.WithMessage("`", option, "`: ", output->target().string(),
                             ": can't be written: ", written.message());
}

arrow::Status OutputSet::Check() const {
  for (const auto& [option, output] : outputs_) ARROW_RETURN_NOT_OK(output.Check());
  return arrow::Status::OK();
}

arrow::Status OutputSet::GiveNames() {
  for (auto& [option, output] : outputs_) ARROW_RETURN_NOT_OK(output.Commit());
  return arrow::Status::OK();
}

arrow::Status OutputSet::Commit() {
  ARROW_RETURN_NOT_OK(Check());
  return GiveNames();
}

arrow::Status OutputSet::Commit(RunState& state, const std::string& key,
                                const nlohmann::json& value) {
  ARROW_RETURN_NOT_OK(Check());
  ARROW_RETURN_NOT_OK(state.Record(key, value));
  return GiveNames();
}

}  // namespace spuna
