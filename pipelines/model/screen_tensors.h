#pragma once

#include <arrow/result.h>

#include <optional>
#include <string>

#include "algorithms/space/row_limits.h"
#include "algorithms/space/row_screen.h"
#include "pipelines/model/safetensors.h"

namespace spuna {

/// The limits and the screen of a model, or of one of its parts, as tensors whose names start with
/// `prefix`, and back. Reading checks sizes and numbers; what is not there is empty.
void AddLimits(const std::string& prefix, const algorithms::RowLimits& limits, Safetensors& file);
arrow::Result<algorithms::RowLimits> ReadLimits(const std::string& prefix, std::size_t dimension,
                                                const Safetensors& file);

void AddScreen(const std::string& prefix, const std::optional<algorithms::RowScreen>& screen,
               Safetensors& file);
arrow::Result<std::optional<algorithms::RowScreen>> ReadScreen(const std::string& prefix,
                                                               std::size_t dimension,
                                                               const Safetensors& file);

}  // namespace spuna
