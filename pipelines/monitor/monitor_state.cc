#include "pipelines/monitor/monitor_state.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "pipelines/options/json_text.h"
#include "pipelines/run/exception_status.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kFormat = "spuna monitor state";
constexpr std::uint64_t kFormatVersion = 1;
// Several times what the longest history takes.
constexpr std::uintmax_t kMaxBytes = 32 << 20;
constexpr std::size_t kMaxTimeLength = 32;
// What a JSON number holds exactly everywhere.
constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 53;

// The parts of an object, each checked for what it should be. Throws std::invalid_argument.
class Reader {
 public:
  Reader(const json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) throw std::invalid_argument(where_ + " is no object");
  }

  const json& At(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) {
      throw std::invalid_argument(where_ + " has no '" + std::string(key) + "'");
    }
    return *found;
  }

  std::uint64_t Count(const char* key) const { return AsCount(At(key), key); }

  std::uint64_t AsCount(const json& value, const char* key) const {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMaxCount) {
      Fail(key, "a whole number of 0 or more");
    }
    return value.get<std::uint64_t>();
  }

  double Number(const char* key, double least, double most) const {
    return AsNumber(At(key), key, least, most);
  }

  double AsNumber(const json& value, const char* key, double least, double most) const {
    const double number = value.is_number() ? value.get<double>() : NAN;
    if (!(number >= least && number <= most)) Fail(key, "a number in its range");
    return number;
  }

  std::string Text(const char* key, std::size_t max_length) const {
    const json& value = At(key);
    if (!value.is_string() || value.get_ref<const std::string&>().size() > max_length) {
      Fail(key, "a short text");
    }
    return value.get<std::string>();
  }

  bool Flag(const char* key) const {
    const json& value = At(key);
    if (!value.is_boolean()) Fail(key, "true or false");
    return value.get<bool>();
  }

  const json& List(const char* key, std::size_t max_size) const {
    const json& value = At(key);
    if (!value.is_array() || value.size() > max_size) {
      Fail(key, "a list of at most " + std::to_string(max_size));
    }
    return value;
  }

  [[noreturn]] void Fail(const char* key, const std::string& expected) const {
    throw std::invalid_argument("'" + std::string(key) + "' of " + where_ + ": expected " +
                                expected);
  }

 private:
  const json& object_;
  std::string where_;
};

json ToJson(const algorithms::DriftTrack& track) {
  json bags = json::array();
  for (const std::vector<std::uint64_t>& bag : track.counts) {
    json bins = json::array();
    json counts = json::array();
    for (std::size_t bin = 0; bin < bag.size(); ++bin) {
      if (bag[bin] == 0) continue;
      bins.push_back(bin);
      counts.push_back(bag[bin]);
    }
    bags.push_back({{"bins", std::move(bins)}, {"counts", std::move(counts)}});
  }
  return {{"bags", std::move(bags)}, {"capitals", track.capitals}};
}

std::vector<std::uint64_t> ReadBag(const json& value) {
  const Reader reader(value, "a bag");
  std::vector<std::uint64_t> bag(algorithms::kNumScoreBins);
  const json& bins = reader.List("bins", algorithms::kNumScoreBins);
  const json& counts = reader.List("counts", algorithms::kNumScoreBins);
  if (bins.size() != counts.size()) reader.Fail("counts", "as many as there are bins");
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const std::uint64_t bin = reader.AsCount(bins[i], "bins");
    if (bin >= bag.size() || bag[bin] != 0) {
      reader.Fail("bins", "bins below " + std::to_string(bag.size()) + ", each once");
    }
    bag[bin] = reader.AsCount(counts[i], "counts");
  }
  return bag;
}

algorithms::DriftTrack ReadTrack(const json& value, std::size_t num_classifiers) {
  const Reader reader(value, "a track");
  algorithms::DriftTrack track;
  for (const json& bag : reader.List("bags", num_classifiers)) {
    track.counts.push_back(ReadBag(bag));
  }
  const json& capitals = reader.List("capitals", algorithms::kNumBets);
  if (capitals.size() != algorithms::kNumBets) {
    reader.Fail("capitals", std::to_string(algorithms::kNumBets) + " numbers");
  }
  for (std::size_t i = 0; i < capitals.size(); ++i) {
    track.capitals[i] =
        reader.AsNumber(capitals[i], "capitals", 0, algorithms::DriftWatch::kMaxCapital);
  }
  return track;
}

WatchedBatch ReadBatch(const json& value) {
  const Reader reader(value, "a batch of the history");
  WatchedBatch batch;
  batch.batch = reader.Count("batch");
  batch.time = reader.Text("time", kMaxTimeLength);
  batch.rows = reader.Count("rows");
  batch.kept = reader.Count("kept");
  batch.dropped = reader.Count("dropped");
  batch.invalid = reader.Count("invalid");
  batch.share.estimate = reader.Number("share", 0, 1);
  batch.share.low = reader.Number("low", 0, 1);
  batch.share.high = reader.Number("high", 0, 1);
  batch.evidence = reader.Number("evidence", 1, HUGE_VAL);
  batch.found = reader.Flag("found");
  return batch;
}

MonitorState ReadState(const json& value, const std::string& model_hash,
                       std::size_t num_classifiers) {
  const Reader reader(value, "the state");
  if (reader.At("format") != kFormat) reader.Fail("format", "'" + std::string(kFormat) + "'");
  if (const std::uint64_t version = reader.Count("format_version"); version != kFormatVersion) {
    throw std::invalid_argument("expected format_version " + std::to_string(kFormatVersion) +
                                " but found " + std::to_string(version) +
                                "; another version of spuna wrote it");
  }
  MonitorState state;
  state.model_hash = reader.Text("model", 64);
  if (state.model_hash != model_hash) {
    throw std::invalid_argument("it belongs to another model: expected the hash " + model_hash +
                                " but found " + state.model_hash);
  }
  state.memory.num_batches = reader.Count("batches");
  state.memory.num_rows = reader.Count("rows");
  state.memory.evidence = reader.Number("evidence", 1, HUGE_VAL);
  for (const json& track : reader.List("tracks", num_classifiers)) {
    state.memory.tracks.push_back(ReadTrack(track, num_classifiers));
  }
  state.memory.Validate(num_classifiers);
  const json& history = reader.List("history", MonitorState::kMaxHistory);
  const std::uint64_t expected =
      std::min<std::uint64_t>(state.memory.num_batches, MonitorState::kMaxHistory);
  if (history.size() != expected) {
    reader.Fail("history", std::to_string(expected) + " batches");
  }
  for (const json& batch : history) {
    state.history.push_back(ReadBatch(batch));
    if (state.history.back().batch != state.memory.num_batches - expected + state.history.size()) {
      reader.Fail("history", "batches one after the other");
    }
  }
  return state;
}

}  // namespace

json ToJson(const WatchedBatch& batch) {
  return {{"batch", batch.batch},
          {"time", batch.time},
          {"rows", batch.rows},
          {"kept", batch.kept},
          {"dropped", batch.dropped},
          {"invalid", batch.invalid},
          {"share", batch.share.estimate},
          {"low", batch.share.low},
          {"high", batch.share.high},
          {"evidence", batch.evidence},
          {"found", batch.found}};
}

std::string SerializeState(const MonitorState& state) {
  json history = json::array();
  const std::size_t size = std::min(state.history.size(), MonitorState::kMaxHistory);
  for (auto batch = state.history.end() - static_cast<std::ptrdiff_t>(size);
       batch != state.history.end(); ++batch) {
    history.push_back(ToJson(*batch));
  }
  json tracks = json::array();
  for (const auto& track : state.memory.tracks) tracks.push_back(ToJson(track));
  return DumpJson({{"format", kFormat},
                   {"format_version", kFormatVersion},
                   {"model", state.model_hash},
                   {"batches", state.memory.num_batches},
                   {"rows", state.memory.num_rows},
                   {"evidence", state.memory.evidence},
                   {"tracks", std::move(tracks)},
                   {"history", std::move(history)}}) +
         "\n";
}

arrow::Result<MonitorState> ParseState(const std::string& text, const std::string& model_hash,
                                       std::size_t num_classifiers) {
  return CatchExceptions([&]() -> arrow::Result<MonitorState> {
    const json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (value.is_discarded()) return arrow::Status::Invalid("it is not JSON");
    return ReadState(value, model_hash, num_classifiers);
  });
}

arrow::Result<MonitorState> LoadState(const fs::path& path, const std::string& model_hash,
                                      std::size_t num_classifiers) {
  MonitorState fresh;
  fresh.model_hash = model_hash;
  std::error_code error;
  if (!fs::exists(fs::symlink_status(path, error))) return fresh;
  auto fail = [&](const std::string& what) {
    return arrow::Status::Invalid("`state`: ", path.string(), ": cannot be resumed: ", what,
                                  "; use a new state file");
  };
  if (!fs::is_regular_file(path, error)) return fail("it is not a regular file");
  const std::uintmax_t num_bytes = fs::file_size(path, error);
  if (error) return fail(error.message());
  if (num_bytes > kMaxBytes) {
    return fail("expected at most " + std::to_string(kMaxBytes) + " bytes but found " +
                std::to_string(num_bytes));
  }
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file.is_open() || file.bad()) return fail("it can't be read");
  arrow::Result<MonitorState> state = ParseState(text, model_hash, num_classifiers);
  if (!state.ok()) return fail(state.status().message());
  return state;
}

}  // namespace spuna
