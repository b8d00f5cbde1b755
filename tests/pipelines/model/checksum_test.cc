#include "pipelines/model/checksum.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "arrow_io/hash.h"

namespace spuna {
namespace {

Safetensors Example() {
  Safetensors file;
  // A text that looks like the entry itself.
  file.metadata = {{"about", R"("checksum":"00000000000000000000000000000000")"}, {"z", "last"}};
  file.Add("a", {2}, std::vector<float>{1, 2});
  return file;
}

arrow::Status Verify(const std::string& bytes, bool is_required = true) {
  return VerifyChecksum(bytes, Safetensors::Parse(bytes).ValueOrDie(), is_required);
}

BOOST_AUTO_TEST_SUITE(checksum)

BOOST_AUTO_TEST_CASE(is_the_hash_of_the_file_with_zeros_in_its_place) {
  const std::string bytes = SerializeWithChecksum(Example());
  const Safetensors read = Safetensors::Parse(bytes).ValueOrDie();
  const std::string digits = read.metadata.at("checksum");
  BOOST_TEST(digits.size() == 32U);
  std::string zeroed = bytes;
  zeroed.replace(zeroed.find(digits), 32, std::string(32, '0'));
  BOOST_TEST(arrow_io::HashDigits(zeroed) == digits);
  BOOST_TEST(Verify(bytes).ok());
  BOOST_TEST(SerializeWithChecksum(Example()) == bytes);
}

BOOST_AUTO_TEST_CASE(what_was_changed_is_sealed_anew) {
  Safetensors file = Safetensors::Parse(SerializeWithChecksum(Example())).ValueOrDie();
  file.metadata["z"] = "other";
  BOOST_TEST(!Verify(file.Serialize()).ok());
  BOOST_TEST(Verify(SerializeWithChecksum(file)).ok());
}

BOOST_AUTO_TEST_CASE(a_checksum_that_is_there_counts_even_if_none_is_required) {
  Safetensors file = Example();
  BOOST_TEST(Verify(file.Serialize(), false).ok());
  BOOST_TEST(!Verify(file.Serialize(), true).ok());
  for (const std::string digits : {"", "12", "00000000000000000000000000000000"}) {
    file.metadata["checksum"] = digits;
    BOOST_TEST(!Verify(file.Serialize(), false).ok());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
