#include "pipelines/model/screen_tensors.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace spuna {
namespace {

using algorithms::RowLimits;
using algorithms::RowScreen;
using algorithms::TrustedDistance;

bool AllFinite(const std::vector<float>& values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

template <typename T>
void AddColumn(const std::string& name, const std::vector<T>& values, Safetensors& file) {
  file.Add(name, {static_cast<std::int64_t>(values.size())}, std::span(values));
}

void AddDistance(const std::string& prefix, const TrustedDistance& distance, Safetensors& file) {
  const auto dimension = static_cast<std::int64_t>(distance.dimension());
  const auto num_directions = static_cast<std::int64_t>(distance.num_directions());
  const auto num_references = static_cast<std::int64_t>(distance.num_references());
  AddColumn(prefix + "center", distance.center, file);
  AddColumn(prefix + "spread", distance.spread, file);
  file.Add(prefix + "directions", {num_directions, dimension}, std::span(distance.directions));
  AddColumn(prefix + "deviations", distance.deviations, file);
  AddColumn(prefix + "rest_scale", std::vector<float>{distance.rest_scale}, file);
  file.Add(prefix + "references",
           {static_cast<std::int64_t>(distance.num_coordinates()), num_references},
           std::span(distance.references));
  AddColumn(prefix + "nearest", distance.nearest, file);
}

// Throws std::invalid_argument where the parts don't fit each other.
arrow::Result<TrustedDistance> ReadDistance(const std::string& prefix, const Safetensors& file) {
  TrustedDistance distance;
  ARROW_ASSIGN_OR_RAISE(distance.center, file.Doubles(prefix + "center"));
  ARROW_ASSIGN_OR_RAISE(distance.spread, file.Doubles(prefix + "spread"));
  ARROW_ASSIGN_OR_RAISE(distance.directions, file.Floats(prefix + "directions"));
  ARROW_ASSIGN_OR_RAISE(distance.deviations, file.Floats(prefix + "deviations"));
  ARROW_ASSIGN_OR_RAISE(distance.references, file.Floats(prefix + "references"));
  ARROW_ASSIGN_OR_RAISE(distance.nearest, file.Floats(prefix + "nearest"));
  ARROW_ASSIGN_OR_RAISE(const std::vector<float> scale, file.Floats(prefix + "rest_scale"));
  if (scale.size() != 1) return arrow::Status::Invalid("expected one scale of the distance");
  distance.rest_scale = scale.front();
  distance.Validate();
  return distance;
}

}  // namespace

void AddLimits(const std::string& prefix, const RowLimits& limits, Safetensors& file) {
  if (limits.empty()) return;
  if (!limits.units.empty()) AddColumn(prefix + "limits.units", limits.units, file);
  AddColumn(prefix + "limits.center", limits.center, file);
  AddColumn(prefix + "limits.spread", limits.spread, file);
  AddColumn(prefix + "limits.largest_norm", std::vector<double>{limits.largest_norm}, file);
}

arrow::Result<RowLimits> ReadLimits(const std::string& prefix, std::size_t dimension,
                                    const Safetensors& file) {
  RowLimits limits;
  if (!file.Has(prefix + "limits.center")) return limits;
  ARROW_ASSIGN_OR_RAISE(limits.center, file.Floats(prefix + "limits.center"));
  ARROW_ASSIGN_OR_RAISE(limits.spread, file.Floats(prefix + "limits.spread"));
  ARROW_ASSIGN_OR_RAISE(const std::vector<double> norm,
                        file.Doubles(prefix + "limits.largest_norm"));
  if (file.Has(prefix + "limits.units")) {
    ARROW_ASSIGN_OR_RAISE(limits.units, file.Floats(prefix + "limits.units"));
    if (limits.units.size() != dimension || !AllFinite(limits.units)) {
      return arrow::Status::Invalid("its units of columns don't fit the rest");
    }
  }
  const bool spreads =
      std::ranges::all_of(limits.spread, [](float spread) { return spread > 0; }) &&
      AllFinite(limits.spread);
  if (limits.center.size() != dimension || limits.spread.size() != dimension || norm.size() != 1 ||
      !(norm.front() > 0) || !spreads || !AllFinite(limits.center)) {
    return arrow::Status::Invalid("its limits of rows don't fit the rest");
  }
  limits.largest_norm = norm.front();
  return limits;
}

void AddScreen(const std::string& prefix, const std::optional<RowScreen>& screen,
               Safetensors& file) {
  if (!screen) return;
  AddColumn(prefix + "screen.level", std::vector<double>{screen->level}, file);
  AddColumn(
      prefix + "screen.constant_rows",
      std::vector<double>{screen->zeros_are_odd ? 1.0 : 0.0, screen->constants_are_odd ? 1.0 : 0.0},
      file);
  if (screen->repeated.num_rows() > 0) {
    file.Add(prefix + "screen.repeated_rows",
             {static_cast<std::int64_t>(screen->repeated.num_rows()),
              static_cast<std::int64_t>(screen->repeated.dimension)},
             std::span(screen->repeated.values));
  }
  if (screen->distance) AddDistance(prefix + "distance.", *screen->distance, file);
}

arrow::Result<std::optional<RowScreen>> ReadScreen(const std::string& prefix, std::size_t dimension,
                                                   const Safetensors& file) {
  if (!file.Has(prefix + "screen.level")) return std::nullopt;
  RowScreen screen;
  ARROW_ASSIGN_OR_RAISE(const std::vector<double> level, file.Doubles(prefix + "screen.level"));
  ARROW_ASSIGN_OR_RAISE(const std::vector<double> constant,
                        file.Doubles(prefix + "screen.constant_rows"));
  if (level.size() != 1 || !(level.front() > 0 && level.front() < 1) || constant.size() != 2) {
    return arrow::Status::Invalid("its screen of rows is not one");
  }
  screen.level = level.front();
  screen.zeros_are_odd = constant[0] != 0;
  screen.constants_are_odd = constant[1] != 0;
  screen.repeated.dimension = dimension;
  if (file.Has(prefix + "screen.repeated_rows")) {
    ARROW_ASSIGN_OR_RAISE(screen.repeated.values, file.Floats(prefix + "screen.repeated_rows"));
    if (screen.repeated.values.size() % dimension != 0 || !AllFinite(screen.repeated.values)) {
      return arrow::Status::Invalid("its repeated rows don't fit the rest");
    }
  }
  if (file.Has(prefix + "distance.center")) {
    ARROW_ASSIGN_OR_RAISE(screen.distance, ReadDistance(prefix + "distance.", file));
    if (screen.distance->dimension() != dimension) {
      return arrow::Status::Invalid("its distance is of another dimension than its classifier");
    }
  }
  return screen;
}

}  // namespace spuna
