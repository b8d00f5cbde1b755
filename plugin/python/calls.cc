// registration_internal.h declares what this adds to the module.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "plugin/python/c_interface_internal.h"
#include "plugin/python/capsules_internal.h"
#include "plugin/python/listener_internal.h"
#include "plugin/python/model_internal.h"
#include "plugin/python/registration_internal.h"

namespace spuna::python {
namespace {

Model Fit(const nb::object& trusted, const nb::object& pool, const std::string& options,
          nb::object progress) {
  Listener listener(std::move(progress));
  auto* const trusted_stream = Unwrap<ArrowArrayStream>(trusted, kStreamCapsule);
  auto* const pool_stream = Unwrap<ArrowArrayStream>(pool, kStreamCapsule);
  NewModel model;
  CheckCancellable(listener, [&](const spuna_callbacks* callbacks, spuna_error* error) {
    return spuna_fit(trusted_stream, pool_stream, options.c_str(), callbacks, model.out(), error);
  });
  return model.Take();
}

// The model, and the files that were skipped as JSON.
nb::tuple FitFiles(const std::vector<nb::bytes>& trusted, const std::vector<nb::bytes>& pool,
                   const std::string& options, nb::object progress) {
  Listener listener(std::move(progress));
  const Paths trusted_paths(trusted);
  const Paths pool_paths(pool);
  NewModel model;
  char* skipped = nullptr;
  CheckCancellable(listener, [&](const spuna_callbacks* callbacks, spuna_error* error) {
    return spuna_fit_files(trusted_paths.data(), trusted_paths.size(), pool_paths.data(),
                           pool_paths.size(), options.c_str(), callbacks, model.out(), &skipped,
                           error);
  });
  const Text held(skipped);
  return nb::make_tuple(model.Take(), std::string(skipped));
}

void CheckClean(const nb::object& pool, const std::string& options) {
  auto* const stream = pool.is_none() ? nullptr : Unwrap<ArrowArrayStream>(pool, kStreamCapsule);
  Check([&](spuna_error* error) { return spuna_check_clean(stream, options.c_str(), error); });
}

void CheckScore(const std::string& options) {
  Check([&](spuna_error* error) { return spuna_check_score(options.c_str(), error); });
}

nb::tuple SplitCleanOptions(const std::string& options) {
  char* fit = nullptr;
  char* score = nullptr;
  Check([&](spuna_error* error) {
    return spuna_split_clean_options(options.c_str(), &fit, &score, error);
  });
  const Text held_fit(fit);
  const Text held_score(score);
  return nb::make_tuple(std::string(fit), std::string(score));
}

void CheckOutput(const nb::bytes& path, const std::string& argument,
                 const std::vector<nb::bytes>& inputs, const std::string& inputs_argument) {
  const Paths list(inputs);
  Check([&, name = PathOf(path)](spuna_error* error) {
    return spuna_check_output(name.c_str(), argument.c_str(), list.data(), list.size(),
                              inputs_argument.c_str(), error);
  });
}

std::string Evaluate(const nb::object& input, const std::string& truth, const std::string& score) {
  Listener listener{nb::none()};
  auto* const stream = Unwrap<ArrowArrayStream>(input, kStreamCapsule);
  char* json = nullptr;
  CheckCancellable(listener, [&](const spuna_callbacks* callbacks, spuna_error* error) {
    return spuna_evaluate_stream(stream, truth.c_str(), score.c_str(), callbacks, &json, error);
  });
  return Text(json).get();
}

std::string EvaluateFiles(const std::vector<nb::bytes>& paths, const std::string& truth,
                          const std::string& score) {
  Listener listener{nb::none()};
  const Paths list(paths);
  char* json = nullptr;
  CheckCancellable(listener, [&](const spuna_callbacks* callbacks, spuna_error* error) {
    return spuna_evaluate_files(list.data(), list.size(), truth.c_str(), score.c_str(), callbacks,
                                &json, error);
  });
  return Text(json).get();
}

// JSON and text that a call handed out, as a pair.
nb::tuple TakeBoth(char* json, char* text) {
  const Text held_json(json);
  const Text held_text(text);
  return nb::make_tuple(std::string(json), std::string(text));
}

nb::tuple Plan(const std::vector<nb::bytes>& trusted, const std::vector<nb::bytes>& pool,
               const nb::object& out, bool overwrite, const std::string& options,
               nb::object progress) {
  Listener listener(std::move(progress));
  const Paths trusted_paths(trusted);
  const Paths pool_paths(pool);
  const std::string path = out.is_none() ? "" : PathOf(nb::cast<nb::bytes>(out));
  char* json = nullptr;
  char* text = nullptr;
  CheckCancellable(listener, [&](const spuna_callbacks* callbacks, spuna_error* error) {
    return spuna_plan_files(trusted_paths.data(), trusted_paths.size(), pool_paths.data(),
                            pool_paths.size(), path.c_str(), overwrite ? 1 : 0, options.c_str(),
                            callbacks, &json, &text, error);
  });
  return TakeBoth(json, text);
}

nb::tuple Monitor(const Model& model, const nb::object& input, const std::string& options,
                  nb::object progress) {
  Listener listener(std::move(progress));
  auto* const stream = Unwrap<ArrowArrayStream>(input, kStreamCapsule);
  char* json = nullptr;
  char* text = nullptr;
  CheckCancellable(listener, [&](const spuna_callbacks* callbacks, spuna_error* error) {
    return spuna_monitor(model.get(), stream, options.c_str(), callbacks, &json, &text, error);
  });
  return TakeBoth(json, text);
}

nb::tuple MonitorFiles(const Model& model, const std::vector<nb::bytes>& paths,
                       const std::string& options, nb::object progress) {
  Listener listener(std::move(progress));
  const Paths list(paths);
  char* json = nullptr;
  char* text = nullptr;
  CheckCancellable(listener, [&](const spuna_callbacks* callbacks, spuna_error* error) {
    return spuna_monitor_files(model.get(), list.data(), list.size(), options.c_str(), callbacks,
                               &json, &text, error);
  });
  return TakeBoth(json, text);
}

}  // namespace

void RegisterCalls(nb::module_& module) {
  module.def("fit", &Fit, nb::arg("trusted"), nb::arg("pool"), nb::arg("options"),
             nb::arg("progress").none());
  module.def("fit_files", &FitFiles, nb::arg("trusted"), nb::arg("pool"), nb::arg("options"),
             nb::arg("progress").none());
  module.def("check_clean", &CheckClean, nb::arg("pool").none(), nb::arg("options"));
  module.def("check_score", &CheckScore);
  module.def("split_clean_options", &SplitCleanOptions);
  module.def("check_output", &CheckOutput);
  module.def("plan", &Plan, nb::arg("trusted"), nb::arg("pool"), nb::arg("out").none(),
             nb::arg("overwrite"), nb::arg("options"), nb::arg("progress").none());
  module.def("monitor", &Monitor, nb::arg("model"), nb::arg("input"), nb::arg("options"),
             nb::arg("progress").none());
  module.def("monitor_files", &MonitorFiles, nb::arg("model"), nb::arg("paths"), nb::arg("options"),
             nb::arg("progress").none());
  module.def("evaluate", &Evaluate);
  module.def("evaluate_files", &EvaluateFiles);
}

}  // namespace spuna::python
