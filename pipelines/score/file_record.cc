#include "pipelines/score/file_record.h"

#include <nlohmann/json.hpp>

namespace spuna {

using nlohmann::json;

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
  }
  if (record.bytes_dropped > 0) described["bytes_dropped"] = record.bytes_dropped;
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
  record.rows_out = number("rows_out");
  record.bytes_in = number("bytes_in");
  record.bytes_out = number("bytes_out");
  record.bytes_dropped = number("bytes_dropped");
  return record;
}

}  // namespace spuna
