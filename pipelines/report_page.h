#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace spuna {

/// A report as one HTML page that needs no other file and no network.
///
/// `report` has a `title` and a `summary` (sentences); every other part may be null or missing, and
/// is then left out of the page. docs/report.md lists the parts. The page treats all that is in
/// the report as text: markup in an id is shown, never obeyed. Bytes that are not UTF-8 are
/// replaced.
std::string RenderReportPage(const nlohmann::json& report);

}  // namespace spuna
