#include "pipelines/options/option_list.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "pipelines/options/json_options.h"
#include "pipelines/options/similar_name.h"

namespace spuna {
namespace {

using nlohmann::json;

// A value that an option can have, other than its default.
json OtherValue(const Option& option, const OptionField& field) {
  const json value = field.ToJson();
  switch (field.kind()) {
    case ValueKind::kFlag:
      return !value.get<bool>();
    case ValueKind::kNumber:
      return 0.25;
    case ValueKind::kWhole:
      return option.name == "threads" ? 7 : 11;
    case ValueKind::kWord:
      for (const std::string& word : field.Words()) {
        if (value != word) return word;
      }
      break;
    case ValueKind::kText:
      return "text";
    case ValueKind::kTexts:
      return json::array({"a", "b"});
  }
  return nullptr;
}

std::string ErrorOf(const std::string& text, Command command) {
  return ParseJsonOptions(text, command).status().message();
}

BOOST_AUTO_TEST_SUITE(option_list)

BOOST_AUTO_TEST_CASE(a_command_has_an_option_once) {
  for (const Command command : kCommands) {
    std::set<std::string> names;
    for (const Option* option : OptionsOf(command)) {
      BOOST_TEST(names.insert(option->name).second, NameOf(command) << " " << option->name);
      BOOST_TEST(FindOption(command, option->name) == option);
      BOOST_TEST(!option->help.empty());
      BOOST_TEST(!option->group.empty());
    }
  }
  BOOST_TEST(FindOption(Command::kScore, "alpha") == nullptr);
}

BOOST_AUTO_TEST_CASE(every_field_takes_a_value_and_gives_it_back) {
  for (const Command command : kCommands) {
    for (const Option* option : OptionsOf(command)) {
      BOOST_TEST_CONTEXT(NameOf(command) << " " << option->name) {
        CommandOptions options = CommandOptions::Of(command);
        const auto field = option->field(options);
        const json value = OtherValue(*option, *field);
        field->SetJson(value);
        BOOST_TEST(field->ToJson() == value);
        BOOST_TEST(field->IsSet());
        // Another field of the same options would have been missed.
        for (const Option* other : OptionsOf(command)) {
          if (other == option) continue;
          BOOST_TEST(other->FieldIn(options)->ToJson() ==
                     other->FieldIn(CommandOptions::Of(command))->ToJson());
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(what_decides_a_model_is_stored_and_read_back) {
  CommandOptions options = CommandOptions::Of(Command::kFit);
  for (const Option* option : OptionsOf(Command::kFit)) {
    if (option->effect != Effect::kModel) continue;
    const auto field = option->field(options);
    field->SetJson(OtherValue(*option, *field));
  }
  const FitOptions& fit = std::get<FitJob>(options.job).options;
  const json stored = ToJson(fit);
  BOOST_TEST(stored.size() == 29U);
  BOOST_TEST(stored.at("alpha") == 11);
  BOOST_TEST(stored.at("discriminant") == "off");
  BOOST_TEST(ToJson(FitOptionsFromJson(stored, 3)) == stored);
  // Formats before 5 knew no groups.
  json older = stored;
  older.erase("fold-by");
  BOOST_TEST(FitOptionsFromJson(older, 4).fold_by.empty());
  BOOST_CHECK_THROW(FitOptionsFromJson(older, 5), std::invalid_argument);
  const json defaults = ToJson(FitOptions());
  BOOST_TEST(defaults.at("alpha") == "auto");
  BOOST_TEST(defaults.at("epsilon") == 0.0);
  BOOST_TEST(ToJson(FitOptionsFromJson(defaults, 3)) == defaults);
}

BOOST_AUTO_TEST_CASE(a_model_that_lacks_what_its_format_has_is_refused) {
  json stored = ToJson(FitOptions());
  stored.erase("fit-rows");
  BOOST_CHECK_THROW(FitOptionsFromJson(stored, 3), std::invalid_argument);
  // One that is older than the option takes the default.
  BOOST_TEST(FitOptionsFromJson(stored, 2).fit_rows == kDefaultFitRows);
}

BOOST_AUTO_TEST_CASE(the_configuration_of_a_run_has_what_decides_its_output) {
  CleanJob clean;
  clean.fit.labels = "labels.parquet";
  clean.group_by = {"camera"};
  clean.drop = true;
  CommandOptions options;
  options.job = clean;
  const json described = DescribeResult(options);
  BOOST_TEST(described.at("labels") == true);
  BOOST_TEST(described.at("writes-model") == false);
  BOOST_TEST(described.at("group-by") == json::array({"camera"}));
  BOOST_TEST(described.at("drop") == true);
  BOOST_TEST(described.at("threshold") == "auto");
  for (const char* name : {"threads", "neighbors", "out", "trusted", "overwrite", "json"}) {
    BOOST_TEST(!described.contains(name), name);
  }
  ScoreJob score;
  options.job = score;
  BOOST_TEST(!DescribeResult(options).contains("threshold"));
  score.options.threshold = 0.25;
  options.job = score;
  BOOST_TEST(DescribeResult(options).at("threshold") == 0.25);
  BOOST_TEST(!DescribeResult(options).contains("columns"));
  score.options.columns = {"id", "spuna_score"};
  options.job = score;
  BOOST_TEST(DescribeResult(options).at("columns") == json::array({"id", "spuna_score"}));
}

BOOST_AUTO_TEST_CASE(json_takes_on_and_true_alike) {
  for (const char* text : {R"({"discriminant": "off"})", R"({"discriminant": false})"}) {
    const auto parsed = ParseJsonOptions(text, Command::kFit);
    BOOST_TEST_REQUIRE(parsed.ok(), parsed.status().message());
    BOOST_TEST((std::get<FitJob>(parsed->job).options.discriminant == false));
  }
  for (const char* text : {R"({"drop": "on"})", R"({"drop": true})"}) {
    const auto parsed = ParseJsonOptions(text, Command::kScore);
    BOOST_TEST_REQUIRE(parsed.ok(), parsed.status().message());
    BOOST_TEST(std::get<ScoreJob>(parsed->job).options.drop);
  }
  BOOST_TEST(ErrorOf(R"({"discriminant": "maybe"})", Command::kFit) ==
             "`discriminant`: expected one of 'off', 'on', true or false but found \"maybe\"");
}

BOOST_AUTO_TEST_CASE(unknown_names_are_answered_with_the_nearest_one) {
  BOOST_TEST(ErrorOf(R"({"max_clean_los": 0.1})", Command::kScore)
                 .starts_with("there is no option `max_clean_los`; did you mean `max_clean_loss`? "
                              "the options are all_files, by,"));
  BOOST_TEST(ErrorOf(R"({"color": 1})", Command::kScore)
                 .starts_with("there is no option `color`; the options are all_files, by,"));
  BOOST_TEST(SimilarName("claen", {"fit", "clean"}) == "clean");
  BOOST_TEST(SimilarName("alhpa", {"beta", "alpha"}) == "alpha");
  BOOST_TEST(SimilarName("z", {"k"}) == "");
  BOOST_TEST(SimilarName("", {"k"}) == "");
}

BOOST_AUTO_TEST_CASE(what_a_call_cannot_offer_is_refused_with_the_reason) {
  BOOST_TEST(ErrorOf(R"({"labels": "x"})", Command::kFit) ==
             "`labels` is for the command `spuna fit`: it names a file to write, and a call "
             "returns what it makes");
  BOOST_TEST(ErrorOf(R"({"checkpoint_seconds": 2})", Command::kClean) ==
             "`checkpoint_seconds` is for the command `spuna clean`: it is for runs of the command "
             "over files");
  BOOST_TEST(ErrorOf(R"({"reasons": "x"})", Command::kScore) ==
             "`reasons` is for the command `spuna score`: it names a file to write, and a call "
             "returns what it makes");
  BOOST_TEST(ErrorOf(R"({"group_by": ["x"]})", Command::kScore) ==
             "`group_by` is for the command `spuna score`: it is for runs of the command over "
             "files");
  BOOST_TEST(ErrorOf(R"({"group_by": ["x"]})", Command::kClean) == "");
}

BOOST_AUTO_TEST_CASE(names_in_messages_are_written_as_the_caller_writes_them) {
  BOOST_TEST(ErrorOf(R"({"batch_size": 0})", Command::kFit) ==
             "`batch_size` must be between 1 and 1000000000, but is 0");
  BOOST_TEST(ErrorOf(R"({"max_clean_loss": 0.1, "keep_share": 0.5})", Command::kClean) ==
             "`max_clean_loss` and `keep_share` both say which rows are dropped; choose one");
}

BOOST_AUTO_TEST_CASE(by_neighbors_names_the_option_that_needs_the_classifier) {
  ScoreOptions options;
  options.by = ScoreBy::kNeighbors;
  options.max_clean_loss = 0.1;
  BOOST_TEST(options.Validate().message() == "`max-clean-loss` needs the classifier's score");
  options.max_clean_loss.reset();
  options.threshold = 0.1;
  BOOST_TEST(options.Validate().message() == "`threshold` needs the classifier's score");
}

BOOST_AUTO_TEST_CASE(an_optional_text_that_decides_is_the_path_of_an_output) {
  // Of paths the configuration has only whether they are there.
  for (const Option& option : OptionList()) {
    const auto field = option.FieldIn(CommandOptions::Of(option.commands.front()));
    const bool is_open_text = field->kind() == ValueKind::kText && field->IsOptional();
    BOOST_TEST((!is_open_text || option.value_name == "PATH"), option.name);
  }
}

BOOST_AUTO_TEST_CASE(numbers_beyond_all_numbers_are_refused) {
  BOOST_TEST(ErrorOf(R"({"threshold": 1e999})", Command::kFit)
                 .starts_with("options: expected a JSON object: "));
}

BOOST_AUTO_TEST_CASE(p_values_need_calibration_rows) {
  BOOST_TEST(ErrorOf(R"({"p_values": true, "calibration": "none"})", Command::kClean) ==
             "`p_values` needs calibration rows; use `calibration` split or cross");
}

BOOST_AUTO_TEST_CASE(a_clean_is_split_into_its_halves) {
  const auto halves = SplitCleanOptions(
      R"({"alpha": 7, "p_values": true, "prefix": "x_", "threads": 3, "embedding": "e"})");
  BOOST_TEST_REQUIRE(halves.ok(), halves.status().message());
  BOOST_TEST(json::parse(halves->fit) ==
             (json{{"alpha", 7}, {"calibration", "split"}, {"threads", 3}, {"embedding", "e"}}));
  BOOST_TEST(json::parse(halves->score) ==
             (json{{"p_values", true}, {"prefix", "x_"}, {"threads", 3}, {"embedding", "e"}}));
  BOOST_TEST(!SplitCleanOptions(R"({"by": "neighbors"})").ok());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
