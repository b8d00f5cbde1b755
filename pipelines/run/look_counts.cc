#include "pipelines/run/look_counts.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "algorithms/guarantees/successes_left.h"
#include "pipelines/run/number_words.h"

namespace spuna {
namespace {

using algorithms::Interval;
using algorithms::SuccessesLeft;

constexpr double kLevel = 0.95;
// Of each of two, so that both hold at 95 %.
constexpr double kLevelOfTwo = 0.975;
constexpr double kNarrowEnough = 0.2;
constexpr std::int64_t kEnoughAgreeing = 25;

// The rows of a side that have no sure verdict, and what part of them is shifted.
class Side {
 public:
  Side(const LookCounts& counts, std::int64_t rows)
      : counts_(counts),
        rest_(std::max<std::int64_t>(rows - counts.shifted() - counts.clean(), 0)) {}

  double rest() const { return static_cast<double>(rest_); }
  // Whether what it needs is there.
  bool IsKnown() const { return rest_ == 0 || counts_.looks > 0; }

  // The number of shifted rows among them.
  Interval Shifted(double level) const {
    if (rest_ == 0) return {0, 0, 0};
    const double share = std::clamp(counts_.weight_shifted / counts_.weight, 0.0, 1.0);
    const double trials = counts_.weight * counts_.weight / counts_.weight_squared;
    return SuccessesLeft(share * trials, trials, rest_, level);
  }

 private:
  const LookCounts& counts_;
  std::int64_t rest_;
};

// The smallest and largest value over the corners of what both sides may be.
template <typename Value>
Interval OverCorners(const Interval& dropped, const Interval& kept, Value&& value) {
  const auto [low, high] =
      std::minmax({value(dropped.low, kept.low), value(dropped.low, kept.high),
                   value(dropped.high, kept.low), value(dropped.high, kept.high)});
  return {value(dropped.estimate, kept.estimate), low, high};
}

nlohmann::json ToJson(const LookCounts& counts) {
  return {{"looks", counts.looks},
          {"looks_shifted", counts.looks_shifted},
          {"weight", counts.weight},
          {"weight_squared", counts.weight_squared},
          {"weight_shifted", counts.weight_shifted},
          {"known_shifted", counts.known_shifted},
          {"known_clean", counts.known_clean}};
}

// A number of an object, 0 where it is not there.
template <typename Number>
Number NumberOf(const nlohmann::json& from, const char* key) {
  const auto found = from.is_object() ? from.find(key) : from.end();
  return found != from.end() && found->is_number() ? found->get<Number>() : Number{};
}

LookCounts LookCountsFrom(const nlohmann::json& from) {
  LookCounts counts;
  counts.looks = NumberOf<std::int64_t>(from, "looks");
  counts.looks_shifted = NumberOf<std::int64_t>(from, "looks_shifted");
  counts.weight = NumberOf<double>(from, "weight");
  counts.weight_squared = NumberOf<double>(from, "weight_squared");
  counts.weight_shifted = NumberOf<double>(from, "weight_shifted");
  counts.known_shifted = NumberOf<std::int64_t>(from, "known_shifted");
  counts.known_clean = NumberOf<std::int64_t>(from, "known_clean");
  return counts;
}

// 0.83 as "83"; near 0 and 1 with a digit more, since 99.6 is not 100.
std::string InPercent(double share) {
  const double percent = 100 * share;
  if (percent >= 10 && percent <= 99) return Format("%.0f", percent);
  if (percent > 99 && percent < 100) return Format("%.1f", std::min(percent, 99.9));
  return Format("%.2g", percent) == "1e+02" ? "100" : Format("%.2g", percent);
}

std::string RangeInPercent(const Interval& interval) {
  return InPercent(interval.low) + " to " + InPercent(interval.high) + " %";
}

std::string Sentence(const std::string& what, const Interval& interval, std::int64_t looks) {
  std::string sentence = what + ": " + InPercent(interval.estimate) + " %";
  // Where every row that counts has a verdict there is nothing to estimate.
  if (interval.low == interval.high) return sentence;
  return sentence + " (95 % interval " + RangeInPercent(interval) + "), from " + Count(looks) +
         (looks == 1 ? " random look" : " random looks");
}

}  // namespace

void LookCounts::AddLook(double probability, bool is_shifted) {
  const double added = 1 / probability;
  ++looks;
  weight += added;
  weight_squared += added * added;
  if (!is_shifted) return;
  ++looks_shifted;
  weight_shifted += added;
}

void LookCounts::AddKnown(bool is_shifted) { ++(is_shifted ? known_shifted : known_clean); }

LookCounts& LookCounts::operator+=(const LookCounts& other) {
  looks += other.looks;
  looks_shifted += other.looks_shifted;
  weight += other.weight;
  weight_squared += other.weight_squared;
  weight_shifted += other.weight_shifted;
  known_shifted += other.known_shifted;
  known_clean += other.known_clean;
  return *this;
}

ReviewCounts& ReviewCounts::operator+=(const ReviewCounts& other) {
  dropped += other.dropped;
  kept += other.kept;
  unsure += other.unsure;
  return *this;
}

nlohmann::json ToJson(const ReviewCounts& counts) {
  nlohmann::json to = nlohmann::json::object();
  if (counts.dropped != LookCounts()) to["dropped"] = ToJson(counts.dropped);
  if (counts.kept != LookCounts()) to["kept"] = ToJson(counts.kept);
  if (counts.unsure != 0) to["unsure"] = counts.unsure;
  return to;
}

ReviewCounts ReviewCountsFrom(const nlohmann::json& from) {
  auto side = [&](const char* key) {
    const auto found = from.is_object() ? from.find(key) : from.end();
    return found != from.end() ? LookCountsFrom(*found) : LookCounts();
  };
  return {side("dropped"), side("kept"), NumberOf<std::int64_t>(from, "unsure")};
}

LookEstimates EstimateFromLooks(const ReviewCounts& counts, std::int64_t rows_dropped,
                                std::int64_t rows_kept) {
  LookEstimates estimates;
  estimates.looks_dropped = counts.dropped.looks;
  estimates.looks_kept = counts.kept.looks;
  const auto shifted = static_cast<double>(counts.dropped.shifted() + counts.kept.shifted());
  const auto clean = static_cast<double>(counts.dropped.clean() + counts.kept.clean());
  const Side dropped(counts.dropped, rows_dropped);
  const Side kept(counts.kept, rows_kept);

  const double all_dropped = shifted + dropped.rest();
  if (dropped.IsKnown() && all_dropped > 0) {
    const Interval among = dropped.Shifted(kLevel);
    estimates.precision =
        Interval{(shifted + among.estimate) / all_dropped, (shifted + among.low) / all_dropped,
                 (shifted + among.high) / all_dropped};
  }
  const auto rows = static_cast<double>(rows_dropped + rows_kept);
  if (!dropped.IsKnown() || !kept.IsKnown() || rows == 0) return estimates;
  const Interval of_dropped = dropped.Shifted(kLevelOfTwo);
  const Interval of_kept = kept.Shifted(kLevelOfTwo);
  estimates.clean_loss = OverCorners(of_dropped, of_kept, [&](double d, double k) {
    const double lost = dropped.rest() - d;
    // Without a clean row none is lost.
    return lost > 0 ? lost / (clean + lost + kept.rest() - k) : 0.0;
  });
  estimates.share = OverCorners(of_dropped, of_kept,
                                [&](double d, double k) { return (shifted + d + k) / rows; });
  return estimates;
}

nlohmann::json ToJson(const LookEstimates& estimates) {
  nlohmann::json to = {{"looks_dropped", estimates.looks_dropped},
                       {"looks_kept", estimates.looks_kept}};
  auto add = [&](const char* key, const std::optional<Interval>& interval) {
    if (!interval) return;
    to[key] = {{"estimate", interval->estimate}, {"low", interval->low}, {"high", interval->high}};
  };
  add("precision", estimates.precision);
  add("clean_loss", estimates.clean_loss);
  add("share", estimates.share);
  return to;
}

std::vector<std::string> LookSentences(const LookEstimates& estimates) {
  std::vector<std::string> sentences;
  const std::int64_t looks = estimates.looks_dropped + estimates.looks_kept;
  if (estimates.precision) {
    sentences.push_back(
        Sentence("precision of the drops", *estimates.precision, estimates.looks_dropped));
  }
  if (estimates.clean_loss) {
    sentences.push_back(Sentence("clean rows lost", *estimates.clean_loss, looks));
  }
  if (estimates.share) {
    sentences.push_back(Sentence("share of shifted rows", *estimates.share, looks));
  }
  return sentences;
}

std::optional<std::string> StopAdvice(const LookEstimates& estimates, std::int64_t last_agreeing) {
  if (estimates.precision &&
      estimates.precision->high - estimates.precision->low <= kNarrowEnough) {
    return "you can stop looking: the precision of the drops is between " +
           InPercent(estimates.precision->low) + " and " + InPercent(estimates.precision->high) +
           " %, which is narrow enough";
  }
  if (last_agreeing >= kEnoughAgreeing) {
    return "you can stop looking: your last " + Count(last_agreeing) +
           " verdicts agreed with the model: more looks will change little";
  }
  return std::nullopt;
}

}  // namespace spuna
