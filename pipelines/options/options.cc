#include "pipelines/options/options.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <thread>

#include "pipelines/options/control_groups.h"

namespace spuna {
namespace {

// The CPUs that this process may use, as taskset or a cpuset leave them.
int UsableCpus() {
  // The set must be as large as the kernel's own, which may be larger than cpu_set_t.
  for (int size = CPU_SETSIZE; size <= (1 << 20); size *= 2) {
    auto free_set = [](cpu_set_t* set) { CPU_FREE(set); };
    const std::unique_ptr<cpu_set_t, decltype(free_set)> set(CPU_ALLOC(size), free_set);
    if (set == nullptr) break;
    if (sched_getaffinity(0, CPU_ALLOC_SIZE(size), set.get()) == 0) {
      return CPU_COUNT_S(CPU_ALLOC_SIZE(size), set.get());
    }
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

int DefaultThreads() { return DefaultThreads(UsableCpus(), ReadControlGroups().cpus); }

int DefaultThreads(int num_cpus, double cpu_quota) {
  const double usable = std::min(static_cast<double>(num_cpus), std::ceil(cpu_quota));
  return static_cast<int>(std::clamp(usable, 1.0, static_cast<double>(kMaxThreads)));
}

FitChoices FitOptions::Choose(std::int64_t num_trusted_rows, std::int64_t num_pool_rows,
                              std::int64_t dimension) const {
  using namespace algorithms;
  FitChoices chosen;
  // floor(|U| * 1500 / 14000 + 0.5), at least 1, in whole numbers.
  chosen.beta = beta.value_or(std::max<std::int64_t>(1, (num_pool_rows * 3 + 14) / 28));
  if (recipe == Recipe::kPaper) {
    chosen.alpha = 30;
    chosen.k = 100;
    chosen.hidden = 512;
    chosen.epochs = 20;
  } else {
    chosen.switches = {recipe == Recipe::kFast ? Metric::kContrast : Metric::kWhitened,
                       Seeds::kCrossFitted, true, Sides::kShare, Targets::kRefined};
    const double num_rows =
        static_cast<double>(std::max<std::int64_t>(1, num_trusted_rows + num_pool_rows));
    chosen.alpha = std::clamp<std::int64_t>(num_pool_rows / 40, 1, 30);
    chosen.k = std::clamp<std::int64_t>(num_pool_rows / 20, 5, 100);
    chosen.hidden = std::clamp<std::int64_t>(2 * dimension, 64, 512);
    chosen.epochs = std::clamp<std::int64_t>(std::llround(10 * std::sqrt(5000 / num_rows)), 1, 20);
    // With fewer steps a network of few columns is still about what it was at random.
    constexpr double kLeastSteps = 150;
    const double steps_per_epoch = std::max(
        1.0, std::floor(num_rows / static_cast<double>(std::max<std::int64_t>(1, batch_size))));
    chosen.epochs = std::max(chosen.epochs,
                             static_cast<std::int64_t>(std::ceil(kLeastSteps / steps_per_epoch)));
  }
  chosen.alpha = alpha.value_or(chosen.alpha);
  chosen.k = k.value_or(chosen.k);
  chosen.hidden = hidden.value_or(chosen.hidden);
  chosen.epochs = epochs.value_or(chosen.epochs);
  chosen.switches.metric = metric.value_or(chosen.switches.metric);
  chosen.switches.seeds = seeds.value_or(chosen.switches.seeds);
  chosen.switches.discriminant = discriminant.value_or(chosen.switches.discriminant);
  chosen.switches.sides = sides.value_or(chosen.switches.sides);
  chosen.switches.targets = targets.value_or(chosen.switches.targets);
  return chosen;
}

std::string ChoiceRule(Recipe recipe) {
  if (recipe == Recipe::kPaper) {
    return "alpha 30, k 100, hidden 512 and epochs 20 as published; beta 1500 for 14,000 pool "
           "rows, in proportion for others";
  }
  return "alpha = pool rows / 40, 1 to 30; beta 1500 for 14,000 pool rows, in proportion for "
         "others; k = pool rows / 20, 5 to 100; hidden = 2 x dimension, 64 to 512; epochs = 10 x "
         "sqrt(5000 / rows), 1 to 20, and at least 150 steps";
}

std::optional<FarRows> FitOptions::ChosenFar() const {
  if (recipe == Recipe::kPaper && !decision.far_level) return decision.far;
  return decision.far.value_or(FarRows::kDrop);
}

algorithms::RecipeOptions FitOptions::ForRecipe(const FitChoices& choices) const {
  algorithms::RecipeOptions options;
  options.switches = choices.switches;
  options.expansion.alpha = static_cast<std::size_t>(choices.alpha);
  options.expansion.beta = static_cast<std::size_t>(choices.beta);
  options.expansion.num_neighbors = static_cast<std::size_t>(choices.k);
  options.expansion.epsilon = epsilon;
  options.expansion.on_stop = on_stop;
  options.expansion.search = neighbors;
  options.distillation.hidden = static_cast<std::size_t>(choices.hidden);
  options.distillation.epochs = static_cast<std::size_t>(choices.epochs);
  options.distillation.learning_rate = learning_rate;
  options.distillation.batch_size = static_cast<std::size_t>(batch_size);
  options.distillation.seed = seed;
  options.network.hidden = options.distillation.hidden;
  options.network.epochs = options.distillation.epochs;
  options.network.learning_rate = learning_rate;
  options.network.batch_size = options.distillation.batch_size;
  options.network.seed = seed;
  return options;
}

}  // namespace spuna
