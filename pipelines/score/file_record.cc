#include "pipelines/score/file_record.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace spuna {

using nlohmann::json;

namespace {

constexpr std::pair<const char*, std::string FileRecord::*> kHashes[] = {
    {"footer_in", &FileRecord::footer_in},
    {"footer_out", &FileRecord::footer_out},
    {"footer_dropped", &FileRecord::footer_dropped},
    {"content_in", &FileRecord::content_in},
    {"content_out", &FileRecord::content_out},
    {"content_dropped", &FileRecord::content_dropped},
    {"reviews", &FileRecord::reviews},
};

}  // namespace

FileRecord& FileRecord::operator+=(const FileRecord& other) {
  counts += other.counts;
  rows_out += other.rows_out;
  bytes_in += other.bytes_in;
  bytes_out += other.bytes_out;
  bytes_dropped += other.bytes_dropped;
  return *this;
}

json ToJson(const FileRecord& record, ScoreBy by) {
  json described = {{"rows_in", record.counts.in},
                    {"rows_out", record.rows_out},
                    {"rows_invalid", record.counts.invalid},
                    {"bytes_in", record.bytes_in},
                    {"bytes_out", record.bytes_out}};
  if (by == ScoreBy::kClassifier) {
    described["rows_kept"] = record.counts.kept;
    described["rows_dropped"] = record.counts.dropped;
    described["rows_undecided"] = record.counts.undecided;
    described["rows_odd"] = ToJson(record.counts.odd);
    if (!record.counts.reviewed.IsZero()) {
      described["rows_reviewed"] = ToJson(record.counts.reviewed);
    }
  }
  if (record.bytes_dropped > 0) described["bytes_dropped"] = record.bytes_dropped;
  if (record.changed != 0) described["changed"] = record.changed;
  if (record.after_fit) described["after_fit"] = true;
  for (const auto& [key, hash] : kHashes) {
    if (!(record.*hash).empty()) described[key] = record.*hash;
  }
  return described;
}

FileRecord FileRecordFrom(const json& from) {
  auto number = [&](const char* key) {
    const auto found = from.find(key);
    return found != from.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
  };
  FileRecord record;
  record.counts = {number("rows_in"),      number("rows_kept"),      number("rows_dropped"),
                   number("rows_invalid"), number("rows_undecided"), {}};
  if (const auto odd = from.find("rows_odd"); odd != from.end()) {
    record.counts.odd = OddCountsFrom(*odd);
  }
  if (const auto reviewed = from.find("rows_reviewed"); reviewed != from.end()) {
    record.counts.reviewed = ReviewCountsFrom(*reviewed);
  }
  record.rows_out = number("rows_out");
  record.bytes_in = number("bytes_in");
  record.bytes_out = number("bytes_out");
  record.bytes_dropped = number("bytes_dropped");
  record.changed = number("changed");
  const auto later = from.find("after_fit");
  record.after_fit = later != from.end() && *later == true;
  for (const auto& [key, hash] : kHashes) {
    const auto found = from.find(key);
    if (found != from.end() && found->is_string()) record.*hash = found->get<std::string>();
  }
  return record;
}

}  // namespace spuna
