#include "pipelines/options/call_words.h"

#include <boost/test/unit_test.hpp>

namespace spuna {
namespace {

BOOST_AUTO_TEST_SUITE(call_words)

BOOST_AUTO_TEST_CASE(options_are_written_as_calls_write_them) {
  BOOST_TEST(InCallWords("fit on fewer with `--fit-rows`") == "fit on fewer with `fit_rows`");
  BOOST_TEST(InCallWords("`fit-rows` and `k`") == "`fit_rows` and `k`");
  BOOST_TEST(InCallWords("add `--overwrite`") == "add `overwrite=true`");
  BOOST_TEST(InCallWords("use `--max-clean-loss 0.02`, or") == "use `max_clean_loss=0.02`, or");
  BOOST_TEST(InCallWords("with `--stratify`.") == "with `stratify`.");
}

BOOST_AUTO_TEST_CASE(other_text_stays_as_it_is) {
  for (const char* text : {"", "`", "-", "--", "a -- b", "`--nowhere`", "x--drop.parquet",
                           "--overwrite/a.parquet", "--drop yes", "`--`", "fit-rows"}) {
    BOOST_TEST(InCallWords(text) == text);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
