#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "algorithms/recipe/checkpoint.h"
#include "pipelines/matrix/fit_input.h"
#include "pipelines/model/safetensors.h"
#include "pipelines/run/run_state.h"

namespace spuna {

/// The checkpoint of a fit in the state of its run. Writing it down costs more than a short round,
/// so that is done only when some time has passed since the last. What can't be written or read is
/// no error: the fit then does its work again.
class FitCheckpoint : public algorithms::Checkpoint {
 public:
  /// The state must outlive it.
  FitCheckpoint(RunState& state, double seconds_between)
      : state_(state), seconds_between_(seconds_between) {}

  /// Says which rows the fit is on: what was left by a fit on others, or by another release, is not
  /// found.
  void TieTo(const FitInput& trusted, const FitInput& pool);

  std::optional<algorithms::Discriminant> FindDiscriminant() override;
  void Keep(const algorithms::Discriminant& discriminant) override;
  std::optional<algorithms::Expansion> FindExpansion() override;
  void Keep(const algorithms::Expansion& expansion) override;

 private:
  using Clock = std::chrono::steady_clock;

  bool IsDue();
  void Save(const char* name, Safetensors file);
  std::optional<Safetensors> Find(const char* name) const;

  RunState& state_;
  double seconds_between_;
  Clock::time_point kept_at_ = Clock::now();
  std::string rows_;
};

}  // namespace spuna
