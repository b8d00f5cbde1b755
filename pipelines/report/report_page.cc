#include "pipelines/report/report_page.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "pipelines/options/json_text.h"
#include "pipelines/report/report_files_internal.h"

namespace spuna {
namespace {

// JSON that can stand inside a script element. The characters that HTML, or JavaScript before 2019,
// may take for something else occur only inside JSON's strings, where an escape means the same.
std::string ScriptSafeJson(const nlohmann::json& value) {
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

}  // namespace

std::string RenderReportPage(const nlohmann::json& report) {
  const std::string data = ScriptSafeJson(report);
  const std::pair<std::string_view, std::string_view> parts[] = {
      {"{{style}}", kReportStyle},    {"{{data}}", data},
      {"{{library}}", kChartLibrary}, {"{{drawing}}", kReportDrawing},
      {"{{charts}}", kReportCharts},  {"{{script}}", kReportScript},
  };
  // One pass over the template, in its order: what was put in is never searched for marks.
  std::string page;
  std::string_view rest = kReportTemplate;
  for (const auto& [mark, content] : parts) {
    const std::size_t at = rest.find(mark);
    if (at == std::string_view::npos) {
      throw std::logic_error("the template of the report has no " + std::string(mark));
    }
    page += rest.substr(0, at);
    page += content;
    rest.remove_prefix(at + mark.size());
  }
  page += rest;
  return page;
}

}  // namespace spuna
