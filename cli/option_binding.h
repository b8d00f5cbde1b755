#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "pipelines/options/option_list.h"

namespace spuna::cli {

/// Adds an option of the list to a command of CLI11; it fills the field. What the command line
/// gives in another form is refused with what was expected and found.
CLI::Option* BindOption(const Option& option, Command command,
                        const std::shared_ptr<OptionField>& field, CLI::App& app);

}  // namespace spuna::cli
