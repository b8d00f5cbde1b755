#include "pipelines/report/page_template.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "pipelines/options/json_text.h"

namespace spuna {

std::string ScriptSafeJson(const nlohmann::json& value) {
  // What HTML, or JavaScript before 2019, may take for something else. It occurs only inside JSON's
  // strings, where an escape means the same.
  constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
      {"<", "\\u003c"},      {">", "\\u003e"},      {"&", "\\u0026"},
      {"\u2028", "\\u2028"}, {"\u2029", "\\u2029"},
  };
  const std::string text = DumpJson(value);
  std::string safe;
  safe.reserve(text.size() + text.size() / 16);
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view taken = rest.substr(0, 1);
    std::string_view written = taken;
    for (const auto& [plain, escaped] : kEscapes) {
      if (!rest.starts_with(plain)) continue;
      taken = plain;
      written = escaped;
    }
    safe += written;
    rest.remove_prefix(taken.size());
  }
  return safe;
}

std::string FillTemplate(std::string_view page_template, std::span<const PagePart> parts) {
  std::string page;
  std::string_view rest = page_template;
  for (const PagePart& part : parts) {
    const std::size_t at = rest.find(part.mark);
    if (at == std::string_view::npos) {
      throw std::logic_error("the template of the page has no " + std::string(part.mark));
    }
    page += rest.substr(0, at);
    page += part.content;
    rest.remove_prefix(at + part.mark.size());
  }
  page += rest;
  return page;
}

}  // namespace spuna
