#pragma once

#include <arrow/result.h>

#include <memory>
#include <string>

#include "pipelines/model/model.h"
#include "plugin/acero/export.h"

/// spuna inside Arrow's dataflow engine: exec nodes and compute functions.
namespace spuna::acero {

/// Adds to Arrow's registries the nodes "spuna_expand", "spuna_distill", "spuna_clean" and
/// "spuna_score" (node_options.h) and the compute functions "spuna_score" and "spuna_keep".
///
/// The functions take an embedding column and the name of a registered model, which must be one
/// for all rows: spuna_score(embedding, "name") is float32, spuna_keep(embedding, "name") boolean,
/// and both are null for a null or non-finite embedding.
///
/// Loading libspuna_acero.so does the same; calling it again changes nothing. Thread-safe.
SPUNA_ACERO_EXPORT arrow::Status Register();

/// Gives a model a name that the compute functions know it by. A name that is taken gets the new
/// model; what runs at the time ends with the old one or goes on with the new one. Thread-safe.
SPUNA_ACERO_EXPORT arrow::Status RegisterModel(const std::string& name,
                                               std::shared_ptr<const Model> model);

/// Forgets a name; an unknown one is a KeyError. Thread-safe.
SPUNA_ACERO_EXPORT arrow::Status UnregisterModel(const std::string& name);

/// Reads a model file.
SPUNA_ACERO_EXPORT arrow::Result<std::shared_ptr<const Model>> LoadModel(const std::string& path);

}  // namespace spuna::acero
