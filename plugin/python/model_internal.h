#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "plugin/c/spuna.h"

namespace spuna::python {

namespace nb = nanobind;

/// A fitted model. Immutable.
class Model {
 public:
  /// Takes the model over.
  explicit Model(spuna_model* model) : model_(model) {}

  static Model Load(const nb::bytes& path);
  static Model Parse(const nb::bytes& bytes);

  void Save(const nb::bytes& path, bool overwrite) const;
  nb::bytes Serialize() const;
  /// The model's report as JSON.
  std::string Describe() const;
  /// A capsule with the scored rows of the stream in the capsule `input`.
  nb::object Score(const nb::object& input, const std::string& options) const;
  /// The same for files, and those that were skipped as JSON.
  nb::tuple ScoreFiles(const std::vector<nb::bytes>& paths, const std::string& options) const;
  /// What its user should know, as a JSON list of texts.
  std::string Warnings() const;

  spuna_model* get() const { return model_.get(); }

 private:
  struct Deleter {
    void operator()(spuna_model* model) const { spuna_model_free(model); }
  };

  std::unique_ptr<spuna_model, Deleter> model_;
};

/// A model that a call makes, held from the moment it exists.
class NewModel {
 public:
  NewModel() = default;
  ~NewModel() { spuna_model_free(model_); }
  NewModel(const NewModel&) = delete;
  NewModel& operator=(const NewModel&) = delete;

  spuna_model** out() { return &model_; }
  Model Take();

 private:
  spuna_model* model_ = nullptr;
};

}  // namespace spuna::python
