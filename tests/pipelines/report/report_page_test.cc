#include "pipelines/report/report_page.h"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <nlohmann/json.hpp>

namespace spuna {
namespace {

constexpr std::string_view kDataBegin = R"(<script type="application/json" id="report-data">)";

nlohmann::json Example(const std::string& text) {
  return {{"title", "spuna report"}, {"summary", {text}}};
}

// What stands in the page's element of the data: all up to the first end of a script.
std::string Data(const std::string& page) {
  const std::size_t begin = page.find(kDataBegin) + kDataBegin.size();
  return page.substr(begin, page.find("</script", begin) - begin);
}

std::size_t Count(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

BOOST_AUTO_TEST_SUITE(report_page)

BOOST_AUTO_TEST_CASE(the_data_comes_back_as_it_was) {
  for (const std::string text :
       {"plain", "</script><script>alert(1)</script>", "<!--<script>", "a & b &amp; c", "\\u003c\\",
        "\"quoted\"", "\u2028 and \u2029", "\u00fc \u20ac \U0001F600", "{{script}} {{data}}", ""}) {
    BOOST_TEST_CONTEXT(text) {
      const nlohmann::json report = Example(text);
      BOOST_TEST((nlohmann::json::parse(Data(RenderReportPage(report))) == report));
    }
  }
}

BOOST_AUTO_TEST_CASE(nothing_in_the_data_can_be_taken_for_markup) {
  nlohmann::json report = Example("</script><img src=x onerror=alert(1)> & \u2028\u2029");
  report["settings"] = {{"</SCRIPT>", "<!--"}};
  const std::string data = Data(RenderReportPage(report));
  for (const std::string_view forbidden : {"<", ">", "&", "\u2028", "\u2029"}) {
    BOOST_TEST(data.find(forbidden) == data.npos);
  }
  BOOST_TEST(
      data ==
      R"({"settings":{"\u003c/SCRIPT\u003e":"\u003c!--"},"summary":["\u003c/script\u003e)"
      R"(\u003cimg src=x onerror=alert(1)\u003e \u0026 \u2028\u2029"],"title":"spuna report"})");
}

BOOST_AUTO_TEST_CASE(the_page_has_the_same_elements_whatever_the_data) {
  const std::string plain = RenderReportPage(Example("plain"));
  const std::string hostile = RenderReportPage(Example("</script><script>{{library}}{{style}}"));
  for (const std::string_view element : {"<script", "</script", "<style", "</style", "<!--"}) {
    BOOST_TEST_CONTEXT(element) { BOOST_TEST(Count(hostile, element) == Count(plain, element)); }
  }
  BOOST_TEST(Count(plain, "<script") == 6u);
  BOOST_TEST(Count(plain, "</script") == 6u);
}

BOOST_AUTO_TEST_CASE(bytes_that_are_not_utf8_are_replaced) {
  for (const std::string text : {"\xff", "\xe2\x80", "a\xc3(", "\xed\xa0\x80"}) {
    const nlohmann::json data = nlohmann::json::parse(Data(RenderReportPage(Example(text))));
    BOOST_TEST(data["summary"][0].get<std::string>().find("\ufffd") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(numbers_that_are_not_finite_are_missing) {
  nlohmann::json report = Example("plain");
  report["evidence_needed"] = std::numeric_limits<double>::infinity();
  BOOST_TEST(nlohmann::json::parse(Data(RenderReportPage(report)))["evidence_needed"].is_null());
}

BOOST_AUTO_TEST_CASE(the_page_is_whole) {
  const std::string page = RenderReportPage(Example("plain"));
  BOOST_TEST(page.starts_with("<!DOCTYPE html>\n"));
  BOOST_TEST(page.ends_with("</html>\n"));
  BOOST_TEST(Count(page, "Content-Security-Policy") == 1u);
  BOOST_TEST(page.find("{{") == page.npos);
  // The license of Chart.js asks for its notice.
  BOOST_TEST(Count(page, "Chart.js Contributors\n * Released under the MIT License") == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
