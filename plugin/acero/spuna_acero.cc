#include "plugin/acero/spuna_acero.h"

#include <memory>
#include <string>
#include <utility>

#include "pipelines/model/model.h"
#include "plugin/acero/register.h"
#include "plugin/boundary/guard.h"

using spuna::c::Guard;

extern "C" {

spuna_code spuna_acero_register(spuna_error* error) {
  return Guard(error, [] { return spuna::acero::Register(); });
}

spuna_code spuna_acero_register_model(const char* name, const void* model, size_t size,
                                      spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    if (name == nullptr || model == nullptr) {
      return arrow::Status::Invalid("`name` and `model` must not be NULL");
    }
    const std::string bytes(static_cast<const char*>(model), size);
    ARROW_ASSIGN_OR_RAISE(spuna::Model parsed, spuna::ParseModel(bytes, "in these bytes"));
    return spuna::acero::RegisterModel(name,
                                       std::make_shared<const spuna::Model>(std::move(parsed)));
  });
}

spuna_code spuna_acero_unregister_model(const char* name, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    if (name == nullptr) return arrow::Status::Invalid("`name` must not be NULL");
    return spuna::acero::UnregisterModel(name);
  });
}

}  // extern "C"
