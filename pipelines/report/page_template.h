#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

namespace spuna {

/// JSON that can stand inside a script element: no text in it can end the element or start another.
/// Bytes that are not UTF-8 are replaced, numbers that are not finite are null.
std::string ScriptSafeJson(const nlohmann::json& value);

/// What takes the place of a mark, such as `{{style}}`, in a page's template.
struct PagePart {
  std::string_view mark;
  std::string_view content;
};

/// A template with its marks replaced. The parts are in the order of their marks; what was put in
/// is never searched for marks. Throws std::logic_error where a mark is missing.
std::string FillTemplate(std::string_view page_template, std::span<const PagePart> parts);

}  // namespace spuna
