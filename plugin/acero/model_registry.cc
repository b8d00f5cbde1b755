#include <map>
#include <mutex>
#include <utility>

#include "plugin/acero/model_registry_internal.h"
#include "plugin/acero/register.h"

namespace spuna::acero {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const Model>> models;
};

// Never destroyed: a plan may still run while the process ends.
Registry& GlobalRegistry() {
  static auto* const registry = new Registry();
  return *registry;
}

}  // namespace

arrow::Status RegisterModel(const std::string& name, std::shared_ptr<const Model> model) {
  if (name.empty()) return arrow::Status::Invalid("the name of a model must not be empty");
  if (model == nullptr) return arrow::Status::Invalid("model '", name, "': there is no model");
  Registry& registry = GlobalRegistry();
  const std::scoped_lock lock(registry.mutex);
  registry.models[name] = std::move(model);
  return arrow::Status::OK();
}

arrow::Status UnregisterModel(const std::string& name) {
  Registry& registry = GlobalRegistry();
  const std::scoped_lock lock(registry.mutex);
  if (registry.models.erase(name) == 0) {
    return arrow::Status::KeyError("no model is registered as '", name, "'");
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<const Model>> FindModel(const std::string& name) {
  Registry& registry = GlobalRegistry();
  const std::scoped_lock lock(registry.mutex);
  const auto found = registry.models.find(name);
  if (found != registry.models.end()) return found->second;
  std::string names;
  for (const auto& [other, model] : registry.models) {
    names += (names.empty() ? "'" : ", '") + other + "'";
  }
  return arrow::Status::KeyError(
      "no model is registered as '", name, "'; ",
      names.empty() ? "none is registered at all" : "the registered ones are " + names);
}

}  // namespace spuna::acero
