#include "pipelines/model/safetensors.h"

#include <boost/test/unit_test.hpp>
#include <cstring>

namespace spuna {
namespace {

Safetensors Example() {
  Safetensors file;
  file.metadata = {{"who", "me"}, {"quote", "\"\n\\"}};
  file.Add("b", {2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  file.Add("a", {2}, std::vector<double>{0.1, -1e300});
  file.Add("none", {0, 4}, std::vector<float>{});
  return file;
}

// A file with this header text and these bytes after it.
std::string WithHeader(const std::string& header, const std::string& data = "") {
  std::string bytes(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

std::string Error(const std::string& bytes) { return Safetensors::Parse(bytes).status().message(); }

BOOST_AUTO_TEST_SUITE(safetensors)

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
  const std::string bytes = Example().Serialize();
  const Safetensors read = Safetensors::Parse(bytes).ValueOrDie();
  BOOST_TEST(read.metadata.at("quote") == "\"\n\\");
  const std::vector<float> floats = {1, 2, 3, 4, 5, 6};
  const std::vector<double> doubles = {0.1, -1e300};
  const std::vector<std::int64_t> shape = {2, 3};
  BOOST_TEST(read.Floats("b").ValueOrDie() == floats, boost::test_tools::per_element());
  BOOST_TEST(read.Doubles("a").ValueOrDie() == doubles, boost::test_tools::per_element());
  BOOST_TEST(read.Shape("b").ValueOrDie() == shape, boost::test_tools::per_element());
  BOOST_TEST(read.Floats("none").ValueOrDie().empty());
  BOOST_TEST(!read.Has("c"));
  BOOST_TEST(read.Serialize() == bytes);
}

BOOST_AUTO_TEST_CASE(the_bytes_are_those_of_the_format) {
  Safetensors file;
  file.Add("x", {1}, std::vector<float>{1});
  const std::string header = R"({"x":{"data_offsets":[0,4],"dtype":"F32","shape":[1]}})";
  BOOST_TEST(file.Serialize() == WithHeader(header + "  ", std::string("\x00\x00\x80\x3f", 4)));
}

BOOST_AUTO_TEST_CASE(missing_and_mistyped_tensors_are_errors) {
  const Safetensors file = Example();
  BOOST_TEST(file.Floats("c").status().message() ==
             "not a sound safetensors file: the tensor 'c' is missing");
  BOOST_TEST(file.Shape("c").status().message() ==
             "not a sound safetensors file: the tensor 'c' is missing");
  BOOST_TEST(file.Floats("a").status().message() ==
             "not a sound safetensors file: expected the tensor 'a' to be F32 but found F64");
}

BOOST_AUTO_TEST_CASE(every_length_offset_and_shape_is_checked) {
  const std::string start = "not a sound safetensors file: ";
  BOOST_TEST(Error("") == start + "it is shorter than 8 bytes");
  BOOST_TEST(Error(std::string(8, '\xff')) ==
             start + "its header would have 18446744073709551615 bytes");
  BOOST_TEST(Error(WithHeader("not JSON")) == start + "its header is not a JSON object");
  BOOST_TEST(Error(WithHeader("[1]")) == start + "its header is not a JSON object");
  BOOST_TEST(Error(WithHeader(R"({"x":3})")) == start + "the entry 'x' is not an object");
  BOOST_TEST(Error(WithHeader(R"({"x":{}})")) ==
             start + "the entry 'x' does not describe a tensor");
  BOOST_TEST(Error(WithHeader(R"({"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})",
                              "1234")) == start + "the entry 'x' does not describe a tensor");
  BOOST_TEST(Error(WithHeader(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", "1234")) ==
             start + "the entry 'x' does not describe a tensor");
  BOOST_TEST(Error(WithHeader(R"({"x":{"dtype":"I8","shape":[4],"data_offsets":[0,4]}})",
                              "1234")) == start + "the tensor 'x' is of type I8");
  BOOST_TEST(Error(WithHeader(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})",
                              "1234")) == start + "the tensor 'x' should lie at bytes 4 to 0 of 4");
  BOOST_TEST(Error(WithHeader(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                              "1234")) == start + "the tensor 'x' is larger than the file");
  BOOST_TEST(Error(WithHeader(R"({"x":{"dtype":"F32","shape":[4294967296,4294967296,4294967296],)"
                              R"("data_offsets":[0,4]}})",
                              "1234")) == start + "the tensor 'x' is larger than the file");
  BOOST_TEST(
      Error(WithHeader(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "12345")) ==
      start + "its tensors have 4 bytes but 5 follow the header");
  const std::string tensor = R"({"dtype":"F32","shape":[1],"data_offsets":[)";
  const std::string twice = "{\"x\":" + tensor + "0,4]},\"y\":" + tensor + "0,4]}}";
  BOOST_TEST(Error(WithHeader(twice, "12345678")) == start + "its tensors overlap or leave holes");
  BOOST_TEST(Error(WithHeader(twice, "1234")) == start + "its tensors overlap");
  BOOST_TEST(Error(WithHeader(R"({"__metadata__":{"a":1}})")) ==
             start + "the metadata 'a' is not a string");
}

BOOST_AUTO_TEST_CASE(damaged_bytes_neither_crash_nor_hang) {
  const std::string sound = Example().Serialize();
  for (std::size_t length = 0; length < sound.size(); ++length) {
    BOOST_TEST(!Safetensors::Parse(sound.substr(0, length)).ok());
  }
  for (std::size_t i = 0; i < sound.size() * 8; ++i) {
    std::string bytes = sound;
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << i % 8));
    (void)Safetensors::Parse(bytes);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
