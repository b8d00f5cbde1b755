#pragma once

#include <arrow/result.h>

#include <memory>
#include <string>

#include "pipelines/model/model.h"

namespace spuna::acero {

/// The model of this name; a KeyError says which names there are.
arrow::Result<std::shared_ptr<const Model>> FindModel(const std::string& name);

}  // namespace spuna::acero
