#include "pipelines/model/model.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "arrow_io/hash.h"
#include "pipelines/model/checksum.h"
#include "pipelines/model/safetensors.h"
#include "tests/support/random_rows.h"
#include "tests/support/temp_directory.h"

namespace spuna {
namespace {

Model Example() {
  Model model;
  algorithms::Classifier& classifier = model.classifier;
  classifier.dimension = 3;
  classifier.hidden = 4;
  classifier.mean = {0.1, 0.2, 0.3};
  classifier.deviation = {1, 0, 2};
  classifier.hidden_weight = test::RandomRows(4, 3, 1).values;
  classifier.hidden_bias = {1, 2, 3, 4};
  classifier.output_weight = test::RandomRows(2, 4, 2).values;
  classifier.output_bias = {0.5F, -0.5F};
  model.options.embedding = "vector";
  model.options.hidden = 4;
  model.summary.choices.k = 7;
  model.options.beta = 17;
  model.options.epsilon = 0.01;
  model.options.on_stop = algorithms::OnStop::kRollback;
  model.options.seed = UINT64_MAX;
  model.summary.entropy = {1.25, 1.5};
  model.summary.stopped_by = "exhausted";
  model.summary.labeled_shifted = 12;
  model.versions = {{"spuna", "0.1.0"}};
  model.banks = algorithms::Banks{{test::RandomRows(5, 3, 3).values, 3},
                                  {test::RandomRows(2, 3, 4).values, 3}};
  return model;
}

BOOST_AUTO_TEST_SUITE(model)

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
  const Model model = Example();
  const std::string bytes = SerializeModel(model);
  const Model read = ParseModel(bytes, "m").ValueOrDie();
  BOOST_TEST(SerializeModel(read) == bytes);
  BOOST_TEST(read.Describe() == model.Describe());
  BOOST_TEST(read.options.seed == UINT64_MAX);
  BOOST_TEST(read.options.beta.value() == 17);
  BOOST_TEST(read.banks->clean.values == model.banks->clean.values,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_model_of_format_3_is_read_and_scores_as_it_did) {
  const Model model = LoadModel(SPUNA_SOURCE_DIR "/tests/data/format3.safetensors").ValueOrDie();
  BOOST_TEST((model.summary.choices.switches.targets == algorithms::Targets::kSoft));
  BOOST_TEST((VerdictOf(model.summary) == Verdict::kShift));
  BOOST_TEST(model.calibration.own.size() == 15U);
  const std::vector<float> rows = {0, 0, 0, 3, 3, 3};
  const std::vector<float> scores = model.classifier.Score({rows.data(), 2, 3}, {});
  BOOST_TEST(scores[0] < 0.5F);
  BOOST_TEST(scores[1] > 0.5F);
  BOOST_TEST(model.LacksDistance());
  BOOST_TEST((model.decision.far == FarRows::kKeep));
}

BOOST_AUTO_TEST_CASE(a_model_of_format_5_is_read_and_scores_as_it_did) {
  const Model model = LoadModel(SPUNA_SOURCE_DIR "/tests/data/format5.safetensors").ValueOrDie();
  BOOST_TEST((VerdictOf(model.summary) == Verdict::kShift));
  BOOST_TEST((model.decision.far == FarRows::kDrop));
  BOOST_TEST(!model.LacksDistance());
  const std::vector<float> rows = {0, 0, 0, 3, 3, 3, 90, 90, 90};
  const std::vector<float> scores = model.classifier.Score({rows.data(), 2, 3}, {});
  BOOST_TEST(scores[0] < 0.5F);
  BOOST_TEST(scores[1] > 0.5F);
  const auto cutoff = model.screen->distance->CutoffAt(model.screen->level);
  const auto distances = model.screen->Check({rows.data(), 3, 3}, {}).distances;
  BOOST_TEST(distances[0] < cutoff);
  BOOST_TEST(distances[2] > cutoff);
}

BOOST_AUTO_TEST_CASE(a_file_of_format_5_has_no_checksum_and_needs_none) {
  std::string bytes = test::ReadFile(SPUNA_SOURCE_DIR "/tests/data/format5.safetensors");
  Safetensors file = Safetensors::Parse(bytes).ValueOrDie();
  BOOST_TEST(!file.metadata.contains("checksum"));
  // A damaged number is not noticed there: as before.
  bytes[bytes.size() - 3] = static_cast<char>(bytes[bytes.size() - 3] ^ 1);
  BOOST_TEST(ParseModel(bytes, "m").ok());
  // It does not become a file of format 6 by saying so.
  file.metadata["format_version"] = "6";
  BOOST_TEST(ParseModel(file.Serialize(), "m").status().message() ==
             "the model m can't be used: it is damaged: it has no checksum; fit again or take a "
             "backup");
}

BOOST_AUTO_TEST_CASE(every_damaged_byte_is_noticed) {
  const std::string sound = SerializeModel(Example());
  for (std::size_t i = 0; i < sound.size() * 8; i += 3) {
    std::string bytes = sound;
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << i % 8));
    BOOST_TEST(!ParseModel(bytes, "m").ok(), "bit " << i % 8 << " of byte " << i / 8);
  }
  for (std::size_t i = 0; i < sound.size(); ++i) {
    for (const char other : {'\0', ' ', '0', '4', '5', '\xff'}) {
      std::string bytes = sound;
      bytes[i] = other;
      BOOST_TEST((bytes == sound || !ParseModel(bytes, "m").ok()), "byte " << i);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_damaged_number_is_an_error_with_both_checksums) {
  std::string bytes = SerializeModel(Example());
  const std::string expected = Safetensors::Parse(bytes).ValueOrDie().metadata.at("checksum");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  const std::string message = ParseModel(bytes, "m.safetensors").status().message();
  BOOST_TEST(message.starts_with(
      "the model m.safetensors can't be used: it is damaged: its checksum is "));
  BOOST_TEST(message.ends_with(" but should be " + expected + "; fit again or take a backup"));
}

BOOST_AUTO_TEST_CASE(the_hash_is_that_of_the_file) {
  const Model model = Example();
  BOOST_TEST(model.Describe()["hash"] == arrow_io::HashDigits(SerializeModel(model)));
  Model other = model;
  other.classifier.hidden_bias[0] += 1;
  BOOST_TEST(ModelHash(other) != ModelHash(model));
}

BOOST_AUTO_TEST_CASE(limits_and_screen_are_read_as_they_were_written) {
  Model model = Example();
  const auto dimension = static_cast<std::size_t>(model.dimension());
  test::Matrix trusted = test::RandomRows(60, dimension, 1);
  for (std::size_t i = 0; i < 60; ++i) trusted.row(i)[0] *= 1e5F;
  model.limits = algorithms::FitRowLimits(trusted.view());
  BOOST_TEST(!model.limits.units.empty());
  model.screen = algorithms::FitRowScreen(trusted.view(), trusted.view(), {}, 0.01, 0, {});
  model.screen->repeated = {std::vector<float>(dimension, 7), dimension};
  const Model read = ParseModel(SerializeModel(model), "m").ValueOrDie();
  BOOST_TEST(SerializeModel(read) == SerializeModel(model));
  const test::Matrix rows = test::RandomRows(50, dimension, 2, 0, 3);
  BOOST_TEST(read.screen->Check(rows.view(), {}).distances ==
                 model.screen->Check(rows.view(), {}).distances,
             boost::test_tools::per_element());
  // Parts that don't fit are refused.
  Model broken = model;
  broken.screen->distance->references.pop_back();
  BOOST_TEST(!ParseModel(SerializeModel(broken), "m").ok());
  broken = model;
  broken.limits.spread[0] = 0;
  BOOST_TEST(!ParseModel(SerializeModel(broken), "m").ok());
}

BOOST_AUTO_TEST_CASE(says_nothing_of_threads_searches_or_paths) {
  Model model = Example();
  const std::string before = SerializeModel(model);
  model.options.neighbors = algorithms::SearchKind::kKdTree;
  model.options.invalid = InvalidRows::kDrop;
  BOOST_TEST(SerializeModel(model) == before);
}

BOOST_AUTO_TEST_CASE(other_files_are_refused) {
  auto error = [](const std::string& bytes) {
    return ParseModel(bytes, "m.safetensors").status().message();
  };
  BOOST_TEST(
      error("").starts_with("the model m.safetensors can't be used: not a sound safetensors"));
  Safetensors other;
  BOOST_TEST(
      error(other.Serialize()) ==
      "the model m.safetensors can't be used: it is a safetensors file but not a model of spuna");
  other.metadata = {{"format", "spuna-model"}, {"format_version", "99"}};
  BOOST_TEST(
      error(other.Serialize()) ==
      "the model m.safetensors can't be used: expected model format 3 to 6 but found '99'; use the "
      "spuna that wrote it");
  other.metadata["format_version"] = "1";
  BOOST_TEST(!ParseModel(other.Serialize(), "m").ok());
}

BOOST_AUTO_TEST_CASE(parts_that_do_not_fit_are_refused) {
  Safetensors short_bias = Safetensors::Parse(SerializeModel(Example())).ValueOrDie();
  short_bias.Add("hidden.bias", {3}, std::vector<float>{1, 2, 3});
  BOOST_TEST(
      ParseModel(SerializeWithChecksum(short_bias), "m").status().message() ==
      "the model m can't be used: classifier: expected 4 values in the hidden biases but found 3");
  Model model = Example();
  model.classifier.hidden_weight[2] = NAN;
  BOOST_TEST(ParseModel(SerializeModel(model), "m").status().message() ==
             "the model m can't be used: classifier: the hidden weights holds a non-finite number");
  model = Example();
  model.banks->shifted.values[1] = NAN;
  BOOST_TEST(!ParseModel(SerializeModel(model), "m").ok());
}

BOOST_AUTO_TEST_CASE(damaged_bytes_neither_crash_nor_hang) {
  std::string sound = SerializeModel(Example());
  for (std::size_t length = 0; length < sound.size(); length += 3) {
    BOOST_TEST(!ParseModel(sound.substr(0, length), "m").ok());
  }
  // Without a checksum, so that what comes after it is reached.
  sound = test::ReadFile(SPUNA_SOURCE_DIR "/tests/data/format5.safetensors");
  for (std::size_t i = 0; i < sound.size() * 8; i += 3) {
    std::string bytes = sound;
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << i % 8));
    (void)ParseModel(bytes, "m");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
