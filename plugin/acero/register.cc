#include "plugin/acero/register.h"

#include <arrow/acero/exec_plan.h>
#include <arrow/compute/initialize.h>

#include <cstdio>
#include <mutex>
#include <utility>

#include "plugin/acero/node_options.h"
#include "plugin/acero/nodes_internal.h"

namespace spuna::acero {
namespace {

arrow::Status RegisterAll() {
  // Arrow's own kernels first: whoever filters on our columns needs them.
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  arrow::acero::ExecFactoryRegistry* registry = arrow::acero::default_exec_factory_registry();
  ARROW_RETURN_NOT_OK(registry->AddFactory(ExpandNodeOptions::kName, MakeExpandNode));
  ARROW_RETURN_NOT_OK(registry->AddFactory(DistillNodeOptions::kName, MakeDistillNode));
  ARROW_RETURN_NOT_OK(registry->AddFactory(CleanNodeOptions::kName, MakeCleanNode));
  ARROW_RETURN_NOT_OK(registry->AddFactory(ScoreNodeOptions::kName, MakeScoreNode));
  return AddComputeFunctions();
}

// Loading the library registers. Nobody could catch an error here, so it is said, and Register()
// returns it to whoever asks.
[[gnu::constructor]] void RegisterOnLoad() {
  const arrow::Status status = Register();
  if (!status.ok()) std::fprintf(stderr, "libspuna_acero: %s\n", status.ToString().c_str());
}

}  // namespace

arrow::Status Register() {
  static std::once_flag once;
  static arrow::Status* result = nullptr;
  std::call_once(once, [] { result = new arrow::Status(RegisterAll()); });
  return *result;
}

arrow::Result<std::shared_ptr<const Model>> LoadModel(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(Model model, spuna::LoadModel(path));
  return std::make_shared<const Model>(std::move(model));
}

}  // namespace spuna::acero
