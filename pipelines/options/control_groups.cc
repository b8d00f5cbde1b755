#include "pipelines/options/control_groups.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace spuna {
namespace {

namespace fs = std::filesystem;

// A hierarchy of groups that is mounted, and where in it this process is.
struct Hierarchy {
  bool is_version_2 = false;
  // The group that is mounted, as "/" or "/docker/1f3a"; where it is mounted; its controllers.
  std::string mounted_group;
  std::string mount_point;
  std::vector<std::string> controllers;
};

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// Spaces and the like are written as three octal digits: "\040".
std::string Unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int code = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '\\' && i + 3 < text.size() &&
        std::from_chars(digits, digits + 3, code, 8).ptr == digits + 3) {
      plain += static_cast<char>(code);
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// Lines such as "36 25 0:31 /group /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw".
std::vector<Hierarchy> ReadHierarchies(const fs::path& root) {
  std::vector<Hierarchy> hierarchies;
  std::ifstream file(root / "proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = Split(line, ' ');
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 6 || words.end() - dash < 4 || dash - words.begin() < 6) continue;
    const std::string& type = dash[1];
    if (type != "cgroup" && type != "cgroup2") continue;
    hierarchies.push_back(
        {type == "cgroup2", Unescaped(words[3]), Unescaped(words[4]), Split(dash[3], ',')});
  }
  return hierarchies;
}

// The group of this process by lines such as "4:cpu,cpuacct:/group" and, of version 2, "0::/group".
// An empty controller asks for the latter.
std::optional<std::string> ReadGroup(const fs::path& root, const std::string& controller) {
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const auto names = Split(std::string_view(line).substr(first + 1, second - first - 1), ',');
    if (std::find(names.begin(), names.end(), controller) != names.end()) {
      return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

// The directories of the group and of all above it, as far as they are mounted here.
std::vector<fs::path> GroupDirectories(const fs::path& root, const Hierarchy& hierarchy,
                                       const std::string& group) {
  const fs::path top = root / fs::path(hierarchy.mount_point).relative_path();
  std::vector<fs::path> directories = {top};
  // In a container the group may be named as the host sees it: what is mounted then is the group.
  const fs::path inside = fs::path(group).lexically_relative(hierarchy.mounted_group);
  fs::path directory = top;
  for (const fs::path& part : inside) {
    if (part == "..") return {top};
    if (part == ".") continue;
    directory /= part;
    directories.push_back(directory);
  }
  return directories;
}

std::optional<double> ToNumber(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || rest != end || !(number >= 0)) return std::nullopt;
  return number;
}

std::vector<std::string> WordsIn(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> words;
  for (std::string word; words.size() < 2 && file >> word;) words.push_back(word);
  return words;
}

// The only number in a file; none for "max", "-1" or what is no number.
std::optional<double> NumberIn(const fs::path& path) {
  const std::vector<std::string> words = WordsIn(path);
  return words.size() == 1 ? ToNumber(words[0]) : std::nullopt;
}

// The number beside a name in lines such as "inactive_file 4096".
std::optional<double> NumberOf(const std::string& name, const fs::path& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = Split(line, ' ');
    if (words.size() == 2 && words[0] == name) return ToNumber(words[1]);
  }
  return std::nullopt;
}

void LimitCpus(const std::optional<double>& quota, const std::optional<double>& period,
               ControlGroups& groups) {
  if (quota && period && *quota > 0 && *period > 0) {
    groups.cpus = std::min(groups.cpus, *quota / *period);
  }
}

void LimitMemory(const std::optional<double>& limit, const std::optional<double>& used,
                 const std::optional<double>& droppable, ControlGroups& groups) {
  if (!limit || !used) return;
  const double held = std::max(*used - droppable.value_or(0), 0.0);
  groups.free_memory = std::min(groups.free_memory, std::max(*limit - held, 0.0));
}

void ReadVersion2(const fs::path& directory, ControlGroups& groups) {
  const std::vector<std::string> cpu = WordsIn(directory / "cpu.max");
  if (cpu.size() == 2) LimitCpus(ToNumber(cpu[0]), ToNumber(cpu[1]), groups);
  const auto used = NumberIn(directory / "memory.current");
  const auto droppable = NumberOf("inactive_file", directory / "memory.stat");
  // Above memory.high a process is not ended but slowed down until it hardly moves.
  for (const char* limit : {"memory.max", "memory.high"}) {
    LimitMemory(NumberIn(directory / limit), used, droppable, groups);
  }
}

void ReadVersion1(const fs::path& directory, const std::string& controller, ControlGroups& groups) {
  if (controller == "cpu") {
    LimitCpus(NumberIn(directory / "cpu.cfs_quota_us"), NumberIn(directory / "cpu.cfs_period_us"),
              groups);
    return;
  }
  // No limit is written as the largest number of whole pages.
  constexpr double kUnlimited = 4e18;
  const auto limit = NumberIn(directory / "memory.limit_in_bytes");
  if (!limit || *limit > kUnlimited) return;
  LimitMemory(limit, NumberIn(directory / "memory.usage_in_bytes"),
              NumberOf("total_inactive_file", directory / "memory.stat"), groups);
}

}  // namespace

ControlGroups ReadControlGroups(const fs::path& root) {
  ControlGroups groups;
  for (const Hierarchy& hierarchy : ReadHierarchies(root)) {
    if (hierarchy.is_version_2) {
      const auto group = ReadGroup(root, "");
      for (const fs::path& directory : GroupDirectories(root, hierarchy, group.value_or("/"))) {
        ReadVersion2(directory, groups);
      }
      continue;
    }
    for (const std::string controller : {"cpu", "memory"}) {
      const auto& names = hierarchy.controllers;
      if (std::find(names.begin(), names.end(), controller) == names.end()) continue;
      const auto group = ReadGroup(root, controller);
      for (const fs::path& directory : GroupDirectories(root, hierarchy, group.value_or("/"))) {
        ReadVersion1(directory, controller, groups);
      }
    }
  }
  return groups;
}

}  // namespace spuna
