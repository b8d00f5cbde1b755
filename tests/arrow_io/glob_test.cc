#include "arrow_io/glob.h"

#include <boost/test/unit_test.hpp>

namespace spuna::arrow_io {
namespace {

BOOST_AUTO_TEST_SUITE(glob)

BOOST_AUTO_TEST_CASE(a_pattern_is_cut_before_its_first_wildcard) {
  auto check = [](const std::string& path, const std::string& base, const std::string& pattern) {
    const Glob glob = SplitGlob(path);
    BOOST_TEST(glob.base == base);
    BOOST_TEST(glob.pattern == pattern);
  };
  check("lake/day=*/a?.parquet", "lake", "day=*/a?.parquet");
  check("*.parquet", "", "*.parquet");
  check("/[ab]/x", "/", "[ab]/x");
  check("s3://bucket/a/b-*/c", "s3://bucket/a", "b-*/c");
}

BOOST_AUTO_TEST_CASE(wildcards_stay_within_names_but_for_two_stars) {
  BOOST_TEST(MatchesGlob("*.parquet", "a.parquet"));
  BOOST_TEST(!MatchesGlob("*.parquet", "a/b.parquet"));
  BOOST_TEST(MatchesGlob("*/b.parquet", "a/b.parquet"));
  BOOST_TEST(MatchesGlob("part-[0-4]?.parquet", "part-31.parquet"));
  BOOST_TEST(!MatchesGlob("part-[0-4]?.parquet", "part-51.parquet"));
  BOOST_TEST(MatchesGlob("**/*.parquet", "a.parquet"));
  BOOST_TEST(MatchesGlob("**/*.parquet", "a/b/c.parquet"));
  BOOST_TEST(MatchesGlob("a/**/c.parquet", "a/c.parquet"));
  BOOST_TEST(MatchesGlob("a/**/c.parquet", "a/b/b/c.parquet"));
  BOOST_TEST(!MatchesGlob("a/**/c.parquet", "b/c.parquet"));
}

BOOST_AUTO_TEST_CASE(a_folder_that_matches_brings_what_is_in_it) {
  BOOST_TEST(MatchesGlob("day=*", "day=1/kind=a/x.parquet"));
  BOOST_TEST(!MatchesGlob("day=*/y", "day=1/x.parquet"));
}

BOOST_AUTO_TEST_CASE(what_could_match_below_a_path_is_told) {
  BOOST_TEST(MayMatchBelow("**/*.parquet", "out"));
  BOOST_TEST(MayMatchBelow("*/*/a.parquet", "out"));
  BOOST_TEST(MayMatchBelow("day=*", "day=1/out"));
  BOOST_TEST(!MayMatchBelow("day=*/*.parquet", "out"));
  BOOST_TEST(!MayMatchBelow("*.parquet", "out"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::arrow_io
