#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <utility>

#include "plugin/python/c_interface_internal.h"
#include "plugin/python/capsules_internal.h"
#include "plugin/python/model_internal.h"
#include "plugin/python/registration_internal.h"

namespace spuna::python {

Model Model::Load(const nb::bytes& path) {
  spuna_model* model = nullptr;
  Check([&, name = PathOf(path)](spuna_error* error) {
    return spuna_model_load(name.c_str(), &model, error);
  });
  return Model(model);
}

Model Model::Parse(const nb::bytes& bytes) {
  spuna_model* model = nullptr;
  Check([&, data = bytes.c_str(), size = bytes.size()](spuna_error* error) {
    return spuna_model_parse(data, size, &model, error);
  });
  return Model(model);
}

void Model::Save(const nb::bytes& path, bool overwrite) const {
  Check([&, name = PathOf(path)](spuna_error* error) {
    return spuna_model_save(get(), name.c_str(), overwrite ? 1 : 0, error);
  });
}

nb::bytes Model::Serialize() const {
  char* bytes = nullptr;
  std::size_t size = 0;
  Check([&](spuna_error* error) { return spuna_model_serialize(get(), &bytes, &size, error); });
  const Text held(bytes);
  return nb::bytes(bytes, size);
}

std::string Model::Describe() const {
  char* json = nullptr;
  Check([&](spuna_error* error) { return spuna_model_describe(get(), &json, error); });
  return Text(json).get();
}

nb::object Model::Score(const nb::object& input, const std::string& options) const {
  OutgoingStream out;
  auto* const stream = Unwrap<ArrowArrayStream>(input, kStreamCapsule);
  Check([&](spuna_error* error) {
    return spuna_score_stream(get(), stream, options.c_str(), out.get(), error);
  });
  return out.Capsule();
}

nb::tuple Model::ScoreFiles(const std::vector<nb::bytes>& paths, const std::string& options) const {
  OutgoingStream out;
  const Paths list(paths);
  char* skipped = nullptr;
  Check([&](spuna_error* error) {
    return spuna_score_files(get(), list.data(), list.size(), options.c_str(), out.get(), &skipped,
                             error);
  });
  const Text held(skipped);
  return nb::make_tuple(out.Capsule(), std::string(skipped));
}

std::string Model::Warnings() const {
  char* json = nullptr;
  Check([&](spuna_error* error) { return spuna_model_warnings(get(), &json, error); });
  return Text(json).get();
}

Model NewModel::Take() { return Model(std::exchange(model_, nullptr)); }

void RegisterModel(nb::module_& module) {
  nb::class_<Model>(module, "Model")
      .def_static("load", &Model::Load)
      .def_static("parse", &Model::Parse)
      .def("save", &Model::Save)
      .def("serialize", &Model::Serialize)
      .def("describe", &Model::Describe)
      .def("score", &Model::Score)
      .def("score_files", &Model::ScoreFiles)
      .def("warnings", &Model::Warnings);
}

}  // namespace spuna::python
