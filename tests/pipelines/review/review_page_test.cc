#include "pipelines/review/review_page.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

namespace spuna {
namespace {

constexpr std::string_view kDataBegin = R"(<script type="application/json" id="review-data">)";

nlohmann::json Example(const std::string& id) {
  return {{"title", "spuna review"},
          {"key", "a"},
          {"columns", {"id", "verdict"}},
          {"rows", {{{"id", id}, {"score", 0.5}}}}};
}

std::string Data(const std::string& page) {
  const std::size_t begin = page.find(kDataBegin) + kDataBegin.size();
  return page.substr(begin, page.find("</script", begin) - begin);
}

std::size_t Count(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

BOOST_AUTO_TEST_SUITE(review_page)

BOOST_AUTO_TEST_CASE(the_data_comes_back_as_it_was) {
  for (const std::string id : {"plain", "</script><script>alert(1)</script>", "{{script}} {{data}}",
                               "\"quoted\", and\nmore", "\u2028\u2029", ""}) {
    BOOST_TEST_CONTEXT(id) {
      const nlohmann::json review = Example(id);
      BOOST_TEST((nlohmann::json::parse(Data(RenderReviewPage(review))) == review));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_page_has_the_same_elements_whatever_the_data) {
  const std::string plain = RenderReviewPage(Example("plain"));
  const std::string hostile = RenderReviewPage(Example("</script><script>{{marks}}<!--</style>"));
  for (const std::string_view element : {"<script", "</script", "<style", "</style", "<!--"}) {
    BOOST_TEST_CONTEXT(element) { BOOST_TEST(Count(hostile, element) == Count(plain, element)); }
  }
  BOOST_TEST(Count(plain, "<script") == 6u);
  BOOST_TEST(Count(plain, "</script") == 6u);
}

BOOST_AUTO_TEST_CASE(the_page_is_whole) {
  const std::string page = RenderReviewPage(Example("plain"));
  BOOST_TEST(page.starts_with("<!DOCTYPE html>\n"));
  BOOST_TEST(page.ends_with("</html>\n"));
  BOOST_TEST(Count(page, "Content-Security-Policy") == 1u);
  BOOST_TEST(page.find("{{") == page.npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
