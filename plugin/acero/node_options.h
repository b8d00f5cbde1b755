#pragma once

#include <arrow/acero/options.h>
#include <arrow/status.h>

#include <functional>
#include <memory>
#include <string>

#include "pipelines/model/model.h"
#include "pipelines/options/options.h"
#include "plugin/acero/export.h"

namespace spuna::acero {

/// Called with a freshly fitted model, from a thread of the plan, before the first row goes on.
using OnModel = std::function<void(std::shared_ptr<const Model>)>;

/// Options of "spuna_expand", a node with two inputs: the trusted rows, then the pool.
///
/// It waits for both to end, then passes the pool's rows on, in the order of their batches, with
/// the columns `label` (utf8: "clean", "shifted", or null) and `round` (int32) appended. If an
/// input has no order of its own, the order in which its batches arrive decides about ties. Of a
/// pool of more than `fit.fit_rows` rows a sample is labeled; the other rows have no label.
class SPUNA_ACERO_EXPORT ExpandNodeOptions : public arrow::acero::ExecNodeOptions {
 public:
  static constexpr const char* kName = "spuna_expand";

  explicit ExpandNodeOptions(FitOptions fit = {}, std::string prefix = "spuna_");

  /// Whether every value can be used, whatever the data.
  arrow::Status Validate() const;

  FitOptions fit;
  /// What the names of the appended columns start with.
  std::string prefix;
};

/// Options of "spuna_distill", a node with two inputs: the trusted rows, then pool rows that have
/// a `label` column as "spuna_expand" writes it.
///
/// It waits for both to end, trains the classifier on the trusted and the labeled rows, then passes
/// the pool's rows on, in order, with `score` (float32) and `keep` (boolean) appended. Of a pool of
/// more than `fit.fit_rows` rows a sample is learned from, labeled rows before others.
class SPUNA_ACERO_EXPORT DistillNodeOptions : public arrow::acero::ExecNodeOptions {
 public:
  static constexpr const char* kName = "spuna_distill";

  explicit DistillNodeOptions(FitOptions fit = {}, std::string prefix = "spuna_",
                              OnModel on_model = {});

  arrow::Status Validate() const;

  FitOptions fit;
  /// What the names of the label column and of the appended columns start with.
  std::string prefix;
  OnModel on_model;
};

/// Options of "spuna_clean": "spuna_expand" and "spuna_distill" in one node, with all four columns.
class SPUNA_ACERO_EXPORT CleanNodeOptions : public arrow::acero::ExecNodeOptions {
 public:
  static constexpr const char* kName = "spuna_clean";

  explicit CleanNodeOptions(FitOptions fit = {}, std::string prefix = "spuna_",
                            OnModel on_model = {});

  arrow::Status Validate() const;

  FitOptions fit;
  std::string prefix;
  OnModel on_model;
};

/// Options of "spuna_score", a node with one input that scores with a fitted model: a map over
/// batches that keeps their order and holds none back.
class SPUNA_ACERO_EXPORT ScoreNodeOptions : public arrow::acero::ExecNodeOptions {
 public:
  static constexpr const char* kName = "spuna_score";

  explicit ScoreNodeOptions(std::shared_ptr<const Model> model, ScoreOptions score = {});

  arrow::Status Validate() const;

  std::shared_ptr<const Model> model;
  ScoreOptions score;
};

}  // namespace spuna::acero
