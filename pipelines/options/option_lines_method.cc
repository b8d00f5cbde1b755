// The lines of option_lines_internal.h that are about the method and its decisions.
#include <string>

#include "pipelines/options/option_lines_internal.h"

namespace spuna {
namespace {

constexpr const char* kDecision = "Decision";
constexpr const char* kMethod = "Method";

// Of the options of a fit's decision.
template <typename At>
Field InDecision(At at) {
  return InMethod([at](FitOptions& options) -> auto& { return at(options.decision); });
}

}  // namespace

std::vector<Option> DecisionLines() {
  constexpr Range kShare{Range::Kind::kShare};
  constexpr Range kThreshold{Range::Kind::kWithinOne};
  const std::string threshold = "Drop rows scoring at least this";
  const std::string clean_loss = "Drop at most this share of the clean rows, in expectation";
  return {
      {.name = "threshold",
       .group = kDecision,
       .help = threshold,
       .rule = "0.5",
       .range = kThreshold,
       .effect = Effect::kModel,
       .field = InDecision([](DecisionOptions& options) -> auto& { return options.threshold; })},
      {.name = "threshold",
       .group = kDecision,
       .help = threshold,
       .rule = "the model's",
       .range = kThreshold,
       .effect = Effect::kOutput,
       .field = InScore([](ScoreOptions& options) -> auto& { return options.threshold; })},
      {.name = "max-clean-loss",
       .group = kDecision,
       .help = clean_loss,
       .range = kShare,
       .effect = Effect::kModel,
       .field =
           InDecision([](DecisionOptions& options) -> auto& { return options.max_clean_loss; })},
      {.name = "max-clean-loss",
       .group = kDecision,
       .help = clean_loss,
       .range = kShare,
       .effect = Effect::kOutput,
       .field = InScore([](ScoreOptions& options) -> auto& { return options.max_clean_loss; })},
      {.name = "max-false-drops",
       .group = kDecision,
       .help = "Let at most this share of the dropped rows be clean, in expectation",
       .range = kShare,
       .effect = Effect::kModel,
       .field =
           InDecision([](DecisionOptions& options) -> auto& { return options.max_false_drops; })},
      {.name = "keep-share",
       .group = kDecision,
       .help = "Keep this share of the pool",
       .range = kShare,
       .effect = Effect::kModel,
       .field = InDecision([](DecisionOptions& options) -> auto& { return options.keep_share; })},
      {.name = "calibration",
       .group = kDecision,
       .help =
           "none; split: hold out trusted rows to measure what a threshold costs; cross: all of "
           "them in turn, six fits, guarantees about twice the level only",
       .rule = "split where needed",
       .effect = Effect::kModel,
       .field = InDecision([](DecisionOptions& options) -> auto& { return options.calibration; })},
      {.name = "calibration-rows",
       .group = kDecision,
       .help = "Trusted rows that a split holds out",
       .notes = "At most half of them",
       .rule = "a quarter, or what the level needs",
       .range = Between(1, kMaxCount),
       .effect = Effect::kModel,
       .field =
           InDecision([](DecisionOptions& options) -> auto& { return options.calibration_rows; })},
      {.name = "stratify",
       .group = kDecision,
       .help = "Column of classes: compare rows within a class, since another mix of classes is no "
               "shift",
       .notes = "In trusted rows and pool; on files only",
       .value_name = "COLUMN",
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.stratify; })},
      {.name = "p-values",
       .group = kDecision,
       .help = "Write a column of p-values: how rare a clean row with such a score is",
       .effect = Effect::kOutput,
       .field = InScore([](ScoreOptions& options) -> auto& {
                  return options.p_values;
                }).Or(In<CleanJob>([](CleanJob& job) -> auto& { return job.p_values; }))},
      {.name = "level",
       .group = kDecision,
       .help = "The probability of ever detecting a shift where there is none",
       .notes =
           "Over all batches of a state together, however many there are and however often one "
           "looks",
       .range = {Range::Kind::kLevel},
       .field = In<MonitorJob>([](MonitorJob& job) -> auto& { return job.options.level; })},
  };
}

std::vector<Option> MethodLines() {
  return {
      {.name = "recipe",
       .group = kMethod,
       .help = "robust; fast: robust in few dimensions, for pools of 100,000 rows and more; paper: "
               "S-PUNA as published. It decides what is not set below",
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.recipe; })},
      {.name = "metric",
       .group = kMethod,
       .help = "euclidean, whitened, cosine or contrast: the coordinates neighbors are found in",
       .rule = "whitened; contrast in `fast`, euclidean in `paper`",
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.metric; })},
      {.name = "seeds",
       .group = kMethod,
       .help = "distance (to the nearest trusted row) or cross-fitted (\"trusted or pool?\")",
       .rule = "cross-fitted; distance in `paper`",
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.seeds; })},
      {.name = "discriminant",
       .group = kMethod,
       .help = "on or off: the cross-fitted score as one more coordinate",
       .rule = "on; off in `paper`",
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.discriminant; })},
      {.name = "sides",
       .group = kMethod,
       .help = "even or share: whether half of the pool or the estimated share becomes shifted",
       .rule = "share; even in `paper`",
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.sides; })},
      {.name = "targets",
       .group = kMethod,
       .help = "labels or soft: what the classifier learns",
       .rule = "soft; labels in `paper`",
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.targets; })},
      {.name = "alpha",
       .group = kMethod,
       .help = "Seeds a side",
       .rule = "pool rows / 40, 1 to 30; 30 in `paper`",
       .range = Between(1, kMaxCount),
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.alpha; })},
      {.name = "beta",
       .group = kMethod,
       .help = "Rows a side and round",
       .rule = "1500 for 14,000 pool rows, in proportion",
       .range = Between(1, kMaxCount),
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.beta; })},
      {.name = "k",
       .group = kMethod,
       .help = "Neighbors",
       .notes = "Their mean distance ranks a row",
       .rule = "pool rows / 20, 5 to 100; 100 in `paper`",
       .range = Between(1, kMaxCount),
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.k; })},
      {.name = "epsilon",
       .group = kMethod,
       .help = "Stop when the entropy grows by less than this",
       .range = {Range::Kind::kFinite},
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.epsilon; })},
      {.name = "on-stop",
       .group = kMethod,
       .help = "keep or rollback: the rows of the round in which the entropy fell",
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.on_stop; })},
  };
}

std::vector<Option> TrainingLines() {
  return {
      {.name = "hidden",
       .group = kMethod,
       .help = "Hidden units of the classifier",
       .notes = "Soft targets add two",
       .rule = "2 × dimension, 64 to 512; 512 in `paper`",
       .range = Between(1, 65'536),
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.hidden; })},
      {.name = "epochs",
       .group = kMethod,
       .help = "Passes over the labeled rows",
       .rule = "10 √(5000 / rows), 1 to 20; 20 in `paper`",
       .range = Between(1, kMaxCount),
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.epochs; })},
      {.name = "learning-rate",
       .group = kMethod,
       .help = "Step size of Adam",
       .range = {Range::Kind::kPositive},
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.learning_rate; })},
      {.name = "batch-size",
       .group = kMethod,
       .help = "Rows a step",
       .range = Between(1, kMaxCount),
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.batch_size; })},
      {.name = "seed",
       .group = kMethod,
       .help = "Decides the folds, the initial weights, the order of the rows and the sample",
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.seed; })},
      {.name = "fit-rows",
       .group = kMethod,
       .help = "Pool rows to fit on: a larger pool is sampled; 0 takes all",
       .notes = "Those rows are taken whose hash of (seed, relative path, row number) is smallest: "
                "the same ones whatever the order of the files. [scale.md](scale.md) explains the "
                "number",
       .range = {Range::Kind::kZeroOrBetween, 1, kMaxCount},
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.fit_rows; })},
      {.name = "fit-sample",
       .group = kMethod,
       .help = "uniform, or by-partition: each hive partition in proportion, at least one row",
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.fit_sample; })},
      {.name = "by",
       .group = kMethod,
       .help = "classifier, or neighbors: the score without classifier; needs a model with banks",
       .effect = Effect::kOutput,
       .field = InScore([](ScoreOptions& options) -> auto& { return options.by; })},
      {.name = "neighbors",
       .group = kMethod,
       .help = "auto, kd-tree or product: how neighbors are found; the result is the same",
       .field = InMethod([](FitOptions& options) -> auto& {
                  return options.neighbors;
                }).Or(InScore([](ScoreOptions& options) -> auto& { return options.neighbors; }))},
  };
}

}  // namespace spuna
