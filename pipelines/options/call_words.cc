#include "pipelines/options/call_words.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "pipelines/options/option_list.h"

namespace spuna {
namespace {

bool IsOfName(char character) {
  return character == '-' || std::isalnum(static_cast<unsigned char>(character)) != 0;
}

// The option of any command that has a name; null where there is none.
const Option* FindByName(const std::string& name) {
  const auto found = std::ranges::find(OptionList(), name, &Option::name);
  return found == OptionList().end() ? nullptr : &*found;
}

bool IsFlag(const Option& option) {
  return option.FieldIn(CommandOptions::Of(option.commands.front()))->kind() == ValueKind::kFlag;
}

// "--name" at a position behind a backquote, with its value where it has one. The position moves
// behind it.
std::string WithoutDashes(const std::string& text, std::size_t& at) {
  std::size_t end = at + 2;
  while (end < text.size() && IsOfName(text[end])) ++end;
  const Option* const option = FindByName(text.substr(at + 2, end - at - 2));
  if (option == nullptr) {
    const std::string unknown = text.substr(at, end - at);
    at = end;
    return unknown;
  }
  std::string words = option->CallName();
  at = end;
  if (IsFlag(*option)) {
    words += "=true";
  } else if (end < text.size() && text[end] == ' ') {
    words += '=';
    ++at;
  }
  return words;
}

}  // namespace

std::string InCallWords(std::string text) {
  std::string words;
  for (std::size_t at = 0; at < text.size();) {
    // Elsewhere it may be the user's own text.
    const bool is_quoted = at > 0 && text[at - 1] == '`' && text.compare(at, 2, "--") == 0;
    if (is_quoted) {
      words += WithoutDashes(text, at);
    } else {
      words += text[at++];
    }
  }
  for (const Option& option : OptionList()) {
    if (option.name == option.CallName()) continue;
    const std::string quoted = '`' + option.name + '`';
    for (std::size_t at = words.find(quoted); at != std::string::npos;
         at = words.find(quoted, at)) {
      words.replace(at, quoted.size(), '`' + option.CallName() + '`');
    }
  }
  return words;
}

}  // namespace spuna
