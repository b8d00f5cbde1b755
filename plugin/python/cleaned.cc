#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plugin/python/c_interface_internal.h"
#include "plugin/python/capsules_internal.h"
#include "plugin/python/cleaned_internal.h"
#include "plugin/python/listener_internal.h"
#include "plugin/python/numpy_internal.h"
#include "plugin/python/registration_internal.h"

namespace spuna::python {
namespace {

Cleaned Clean(const nb::object& trusted, const nb::object& pool, nb::object reopen,
              const std::string& options, nb::object progress) {
  Listener listener(std::move(progress));
  auto* const trusted_stream = Unwrap<ArrowArrayStream>(trusted, kStreamCapsule);
  auto* const pool_stream = Unwrap<ArrowArrayStream>(pool, kStreamCapsule);
  std::shared_ptr<Reopen> opener;
  if (!reopen.is_none()) opener = std::make_shared<Reopen>(std::move(reopen));
  Cleaned cleaned(opener);
  const spuna_reopen shared = opener ? Reopen::Share(opener) : spuna_reopen{};
  cleaned.WithRows([&] {
    CheckCancellable(listener, [&](const spuna_callbacks* callbacks, spuna_error* error) {
      return spuna_clean(trusted_stream, pool_stream, opener ? &shared : nullptr, options.c_str(),
                         callbacks, cleaned.out(), error);
    });
  });
  return cleaned;
}

Cleaned CleanFiles(const std::vector<nb::bytes>& trusted, const std::vector<nb::bytes>& pool,
                   const std::string& options, nb::object progress) {
  Listener listener(std::move(progress));
  const Paths trusted_paths(trusted);
  const Paths pool_paths(pool);
  Cleaned cleaned(nullptr);
  CheckCancellable(listener, [&](const spuna_callbacks* callbacks, spuna_error* error) {
    return spuna_clean_files(trusted_paths.data(), trusted_paths.size(), pool_paths.data(),
                             pool_paths.size(), options.c_str(), callbacks, cleaned.out(), error);
  });
  return cleaned;
}

}  // namespace

Model Cleaned::GetModel() const {
  NewModel model;
  Check([&](spuna_error* error) { return spuna_cleaned_model(cleaned_, model.out(), error); });
  return model.Take();
}

nb::object Cleaned::Rows() const {
  OutgoingStream rows;
  WithRows([&] {
    Check([&](spuna_error* error) { return spuna_cleaned_rows(cleaned_, rows.get(), error); });
  });
  return rows.Capsule();
}

std::string Cleaned::Summary() const {
  char* text = nullptr;
  Check([&](spuna_error* error) { return spuna_cleaned_summary(cleaned_, &text, error); });
  return Text(text).get();
}

std::string Cleaned::Describe() const {
  char* json = nullptr;
  Check([&](spuna_error* error) { return spuna_cleaned_describe(cleaned_, &json, error); });
  return Text(json).get();
}

nb::object Cleaned::Numbers(bool kept) const {
  std::int64_t* numbers = nullptr;
  std::size_t count = 0;
  Check([&](spuna_error* error) {
    return spuna_cleaned_numbers(cleaned_, kept ? 1 : 0, &numbers, &count, error);
  });
  auto owned = std::make_unique<std::vector<std::int64_t>>(numbers, numbers + count);
  spuna_string_free(numbers);
  return OwnedArray(std::move(owned), count);
}

std::string Cleaned::Ids(bool kept) const {
  char* json = nullptr;
  Check(
      [&](spuna_error* error) { return spuna_cleaned_ids(cleaned_, kept ? 1 : 0, &json, error); });
  return Text(json).get();
}

nb::object Cleaned::Reasons(nb::object progress) const {
  Listener listener(std::move(progress));
  OutgoingStream reasons;
  WithRows([&] {
    CheckCancellable(listener, [&](const spuna_callbacks* callbacks, spuna_error* error) {
      return spuna_cleaned_reasons(cleaned_, callbacks, reasons.get(), error);
    });
  });
  return reasons.Capsule();
}

void Cleaned::WriteReasons(const nb::bytes& path, bool overwrite, nb::object progress) const {
  Listener listener(std::move(progress));
  WithRows([&] {
    CheckCancellable(
        listener, [&, name = PathOf(path)](const spuna_callbacks* callbacks, spuna_error* error) {
          return spuna_cleaned_write_reasons(cleaned_, name.c_str(), overwrite ? 1 : 0, callbacks,
                                             error);
        });
  });
}

void Cleaned::WriteReport(const nb::bytes& path, bool overwrite, nb::object progress) const {
  Listener listener(std::move(progress));
  WithRows([&] {
    CheckCancellable(
        listener, [&, name = PathOf(path)](const spuna_callbacks* callbacks, spuna_error* error) {
          return spuna_cleaned_write_report(cleaned_, name.c_str(), overwrite ? 1 : 0, callbacks,
                                            error);
        });
  });
}

void RegisterCleaned(nb::module_& module) {
  nb::class_<Cleaned>(module, "Cleaned")
      .def("model", &Cleaned::GetModel)
      .def("rows", &Cleaned::Rows)
      .def("summary", &Cleaned::Summary)
      .def("describe", &Cleaned::Describe)
      .def("numbers", &Cleaned::Numbers)
      .def("ids", &Cleaned::Ids)
      .def("reasons", &Cleaned::Reasons, nb::arg("progress").none())
      .def("write_reasons", &Cleaned::WriteReasons, nb::arg("path"), nb::arg("overwrite"),
           nb::arg("progress").none())
      .def("write_report", &Cleaned::WriteReport, nb::arg("path"), nb::arg("overwrite"),
           nb::arg("progress").none());
  module.def("clean", &Clean, nb::arg("trusted"), nb::arg("pool"), nb::arg("reopen").none(),
             nb::arg("options"), nb::arg("progress").none());
  module.def("clean_files", &CleanFiles, nb::arg("trusted"), nb::arg("pool"), nb::arg("options"),
             nb::arg("progress").none());
}

}  // namespace spuna::python
