#include "arrow_io/uri.h"

#include <boost/test/unit_test.hpp>
#include <utility>
#include <vector>

namespace spuna::arrow_io {
namespace {

BOOST_AUTO_TEST_SUITE(uri)

BOOST_AUTO_TEST_CASE(a_file_uri_is_a_path) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"file:///a/b", "/a/b"},
      {"file://localhost/a", "/a"},
      {"file:///a%20b%2Fc/", "/a b/c/"},
      {"file:///50%", "/50%"},
      {"file:///a?b", "/a?b"},
      {"relative/file://x", "relative/file://x"},
      {"s3://bucket/x", "s3://bucket/x"},
      {"", ""},
      {"-", "-"}};
  for (const auto& [text, path] : cases) {
    BOOST_TEST_CONTEXT(text) { BOOST_TEST(LocalPath(text).ValueOrDie() == path); }
  }
  BOOST_TEST(LocalPath("file://server/x").status().message() ==
             "file://server/x: expected a file of this machine, file:///path or "
             "file://localhost/path, but found another host");
  for (const char* none : {"file://", "file://localhost"}) {
    BOOST_TEST(LocalPath(none).status().message() ==
               std::string(none) + ": expected a path behind file:// but found none");
  }
  BOOST_TEST(!LocalPath("file:///a%00b").ok());
}

BOOST_AUTO_TEST_CASE(a_uri_is_shown_without_its_secrets) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"s3://bucket/lake", "s3://bucket/lake"},
      {"s3://KEY:SECRET@bucket/lake", "s3://***@bucket/lake"},
      {"s3://KEY@bucket", "s3://***@bucket"},
      // Keys that nobody has encoded.
      {"s3://KEY:SEC/RET@bucket/lake", "s3://***@bucket/lake"},
      {"s3://KEY:12/SECRET@bucket/lake", "s3://***@bucket/lake"},
      {"s3://KEY:SEC@RET@bucket/lake", "s3://***@bucket/lake"},
      {"s3://KEY:SEC RET'@bucket/lake", "s3://***@bucket/lake"},
      {"s3://KEY:SEC?RET@bucket/lake", "s3://***?***"},
      {"s3://bucket/x?secret_key=S&region=r", "s3://bucket/x?***"},
      {"s3://bucket/user@home/x", "s3://bucket/user@home/x"},
      {"abfs://container@account.dfs.core.windows.net/x",
       "abfs://container@account.dfs.core.windows.net/x"},
      {"abfs://container:KEY@account/x", "abfs://***@account/x"},
      {"http://host:8080/x", "http://host:8080/x"},
      {"lake/a?b@c:d", "lake/a?b@c:d"}};
  for (const auto& [uri, shown] : cases) {
    BOOST_TEST_CONTEXT(uri) { BOOST_TEST(MaskUri(uri) == shown); }
  }
}

BOOST_AUTO_TEST_CASE(texts_are_shown_without_the_secrets_of_their_uris) {
  BOOST_TEST(MaskSecrets("`pool`: s3://K:S@b/x?a=S: no; and 'gs://u:S@c/y?t=S', https://x.org/?") ==
             "`pool`: s3://***@b/x?***: no; and 'gs://***@c/y?***', https://x.org/?");
  // A key with a space in it.
  BOOST_TEST(MaskSecrets("of s3://KEY:SEC RET@bucket").find("SEC") == std::string::npos);
  BOOST_TEST(MaskSecrets("s3://data: nothing @all, is there?") ==
             "s3://data: nothing @all, is there?");
  BOOST_TEST(MaskSecrets("://x @ y") == "://x @ y");
}

BOOST_AUTO_TEST_CASE(messages_of_others_may_quote_parts) {
  const std::string uri =
      "s3://USER:PASS%2FWORD@bucket/x?secret_key=HIDDEN&WORDALONE&region=eu-west-1&a=b";
  const std::string shown = MaskSecretsOf(
      uri, "no 'HIDDEN', WORDALONE, PASS/WORD, PASS%2FWORD of USER in eu-west-1, " + uri);
  for (const char* secret : {"HIDDEN", "WORDALONE", "PASS", "USER"}) {
    BOOST_TEST_CONTEXT(shown) { BOOST_TEST(shown.find(secret) == std::string::npos); }
  }
  BOOST_TEST(shown.find("in eu-west-1") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::arrow_io
