#include "pipelines/options/option.h"

#include <algorithm>
#include <cmath>

#include "algorithms/compute/format_number.h"

namespace spuna {

using nlohmann::json;

arrow::Status Range::Check(const std::string& option, const json& value) const {
  if (!value.is_number()) return arrow::Status::OK();
  const auto number = value.get<double>();
  const bool is_between =
      number >= static_cast<double>(least) && number <= static_cast<double>(most);
  const std::string between = "between " + std::to_string(least) + " and " + std::to_string(most);
  bool fits = true;
  std::string expected;
  switch (kind) {
    case Kind::kAny:
      break;
    case Kind::kBetween:
      fits = is_between;
      expected = between;
      break;
    case Kind::kZeroOrBetween:
      fits = number == 0 || is_between;
      expected = between;
      break;
    case Kind::kShare:
      fits = number > 0 && number < 1;
      expected = "between 0 and 1";
      break;
    case Kind::kWithinOne:
      fits = number >= 0 && number <= 1;
      expected = "from 0 to 1";
      break;
    case Kind::kLevel:
      fits = number > 0 && number < 1;
      expected = "more than 0 and less than 1";
      break;
    case Kind::kFinite:
      fits = std::isfinite(number);
      expected = "a finite number";
      break;
    case Kind::kPositive:
      fits = std::isfinite(number) && number > 0;
      expected = "a positive number";
      break;
  }
  if (fits) return arrow::Status::OK();
  return arrow::Status::Invalid(
      "`", option, "` must be ", expected, ", but is ",
      value.is_number_float() ? algorithms::FormatNumber(number) : value.dump());
}

bool Option::IsOf(Command command) const {
  return std::ranges::find(commands, command) != commands.end();
}

std::unique_ptr<OptionField> Option::FieldIn(const CommandOptions& options) const {
  return field(const_cast<CommandOptions&>(options));
}

std::string Option::CallName() const {
  std::string written = name;
  std::ranges::replace(written, '-', '_');
  return written;
}

std::string Option::DefaultIn(Command command) const {
  const json value = FieldIn(CommandOptions::Of(command))->ToJson();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return algorithms::FormatNumber(value.get<double>());
  return value.is_number() ? value.dump() : "";
}

}  // namespace spuna
