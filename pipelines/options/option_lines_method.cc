// The lines of option_lines_internal.h that are about the method and its decisions.
#include <string>

#include "pipelines/options/option_lines_internal.h"

namespace spuna {
std::vector<Option> FarLines() {
  constexpr Range kShare{Range::Kind::kShare};
  const std::string far =
      "drop, keep or null: rows that lie far from all trusted rows, whatever their score is";
  const std::string far_notes =
      "And rows of one number or of zeros, and rows that repeat in the pool, where no trusted row "
      "is like that";
  return InGroup(
      "Decision",
      {
          {.name = "far",
           .help = far,
           .notes = far_notes,
           .rule = "drop; in `paper` no distance is measured",
           .effect = Effect::kModel,
           .since_format = 5,
           .field = InDecision(&DecisionOptions::far)},
          {.name = "far",
           .help = far,
           .notes = far_notes,
           .rule = "the model's",
           .effect = Effect::kOutput,
           .field = InScore(&ScoreOptions::far)},
          {.name = "far-level",
           .help = "Of the clean rows at most this share is called far, in expectation",
           .notes = "No lower than 1 / (trusted rows measured against + 1)",
           .rule = "0.001",
           .range = kShare,
           .effect = Effect::kModel,
           .since_format = 5,
           .field = InDecision(&DecisionOptions::far_level)},
          {.name = "distances",
           .help = "Write columns of the distance to the nearest trusted row and its p-value",
           .effect = Effect::kOutput,
           .field = InScore(&ScoreOptions::distances).Or(In(&CleanJob::distances))},
      });
}

namespace {

Option StratifyLine() {
  return {.name = "stratify",
          .help =
              "Column of classes: compare rows within a class, since another mix of classes is "
              "no shift",
          .notes = "In trusted rows and pool; not in a node of a plan",
          .value_name = "COLUMN",
          .effect = Effect::kModel,
          .field = InMethod(&FitOptions::stratify)};
}

Option FoldByLine() {
  return {.name = "fold-by",
          .help =
              "Column of groups whose rows belong together (video, patient, site): hold groups "
              "out whole, and count each once",
          .notes =
              "In trusted rows and pool, and no group in both; a row whose group is null is "
              "alone; not in a node of a plan",
          .value_name = "COLUMN",
          .effect = Effect::kModel,
          .since_format = 5,
          .field = InMethod(&FitOptions::fold_by)};
}

}  // namespace

std::vector<Option> DecisionLines() {
  constexpr Range kShare{Range::Kind::kShare};
  constexpr Range kThreshold{Range::Kind::kWithinOne};
  const std::string threshold = "Drop rows scoring at least this";
  const std::string clean_loss = "Drop at most this share of the clean rows, in expectation";
  return InGroup(
      "Decision",
      {
          {.name = "threshold",
           .help = threshold,
           .rule = "0.5",
           .range = kThreshold,
           .effect = Effect::kModel,
           .field = InDecision(&DecisionOptions::threshold)},
          {.name = "threshold",
           .help = threshold,
           .rule = "the model's",
           .range = kThreshold,
           .effect = Effect::kOutput,
           .field = InScore(&ScoreOptions::threshold)},
          {.name = "max-clean-loss",
           .help = clean_loss,
           .range = kShare,
           .effect = Effect::kModel,
           .field = InDecision(&DecisionOptions::max_clean_loss)},
          {.name = "max-clean-loss",
           .help = clean_loss,
           .range = kShare,
           .effect = Effect::kOutput,
           .field = InScore(&ScoreOptions::max_clean_loss)},
          {.name = "max-false-drops",
           .help = "Let at most this share of the dropped rows be clean, in expectation",
           .range = kShare,
           .effect = Effect::kModel,
           .field = InDecision(&DecisionOptions::max_false_drops)},
          {.name = "keep-share",
           .help = "Keep this share of the pool",
           .range = kShare,
           .effect = Effect::kModel,
           .field = InDecision(&DecisionOptions::keep_share)},
          {.name = "calibration",
           .help = "none; split: hold out trusted rows to measure what a threshold costs; cross: "
                   "all of "
                   "them in turn, six fits, guarantees about twice the level only",
           .rule = "split where needed",
           .effect = Effect::kModel,
           .field = InDecision(&DecisionOptions::calibration)},
          {.name = "calibration-rows",
           .help = "Trusted rows that a split holds out; with `fold-by` groups",
           .notes = "At most half of them",
           .rule = "a quarter, or what the level needs",
           .range = Between(1, kMaxCount),
           .effect = Effect::kModel,
           .field = InDecision(&DecisionOptions::calibration_rows)},
          StratifyLine(),
          FoldByLine(),
          {.name = "p-values",
           .help = "Write a column of p-values: how rare a clean row with such a score is",
           .effect = Effect::kOutput,
           .field = InScore(&ScoreOptions::p_values).Or(In(&CleanJob::p_values))},
          {.name = "level",
           .help = "The probability of ever detecting a shift where there is none",
           .notes =
               "Over all batches of a state together, however many there are and however often one "
               "looks",
           .range = {Range::Kind::kLevel},
           .field = InMonitor(&MonitorOptions::level)},
      });
}

std::vector<Option> MethodLines() {
  return InGroup(
      "Method",
      {
          {.name = "recipe",
           .help =
               "robust; fast: robust in few dimensions, for pools of 100,000 rows and more; paper: "
               "S-PUNA as published. It decides what is not set below",
           .effect = Effect::kModel,
           .field = InMethod(&FitOptions::recipe)},
          {.name = "metric",
           .help =
               "euclidean, whitened, cosine or contrast: the coordinates neighbors are found in",
           .rule = "whitened; contrast in `fast`, euclidean in `paper`",
           .effect = Effect::kModel,
           .field = InMethod(&FitOptions::metric)},
          {.name = "seeds",
           .help = "distance (to the nearest trusted row) or cross-fitted (\"trusted or pool?\")",
           .rule = "cross-fitted; distance in `paper`",
           .effect = Effect::kModel,
           .field = InMethod(&FitOptions::seeds)},
          {.name = "discriminant",
           .help = "on or off: the cross-fitted score as one more coordinate",
           .rule = "on; off in `paper`",
           .effect = Effect::kModel,
           .field = InMethod(&FitOptions::discriminant)},
          {.name = "sides",
           .help = "even or share: whether half of the pool or the estimated share becomes shifted",
           .rule = "share; even in `paper`",
           .effect = Effect::kModel,
           .field = InMethod(&FitOptions::sides)},
          {.name = "targets",
           .help = "refined (labels, round by round, where shift is rare), soft (with neighbors), "
                   "labels "
                   "(by neighbors), discriminant or pool: what the classifier learns",
           .rule = "refined; labels in `paper`",
           .effect = Effect::kModel,
           .field = InMethod(&FitOptions::targets)},
          {.name = "alpha",
           .help = "Seeds a side",
           .rule = "pool rows / 40, 1 to 30; 30 in `paper`",
           .range = Between(1, kMaxCount),
           .effect = Effect::kModel,
           .field = InMethod(&FitOptions::alpha)},
          {.name = "beta",
           .help = "Rows a side and round",
           .rule = "1500 for 14,000 pool rows, in proportion",
           .range = Between(1, kMaxCount),
           .effect = Effect::kModel,
           .field = InMethod(&FitOptions::beta)},
          {.name = "k",
           .help = "Neighbors",
           .notes = "Their mean distance ranks a row",
           .rule = "pool rows / 20, 5 to 100; 100 in `paper`",
           .range = Between(1, kMaxCount),
           .effect = Effect::kModel,
           .field = InMethod(&FitOptions::k)},
          {.name = "epsilon",
           .help = "Stop when the entropy grows by less than this",
           .range = {Range::Kind::kFinite},
           .effect = Effect::kModel,
           .field = InMethod(&FitOptions::epsilon)},
          {.name = "on-stop",
           .help = "keep or rollback: the rows of the round in which the entropy fell",
           .effect = Effect::kModel,
           .field = InMethod(&FitOptions::on_stop)},
      });
}

std::vector<Option> TrainingLines() {
  return InGroup(
      "Method",
      {
          {.name = "hidden",
           .help = "Hidden units of the classifier",
           .notes = "Soft targets add two",
           .rule = "2 × dimension, 64 to 512; 512 in `paper`",
           .range = Between(1, 65'536),
           .effect = Effect::kModel,
           .field = InMethod(&FitOptions::hidden)},
          {.name = "epochs",
           .help = "Passes over the labeled rows",
           .rule = "10 √(5000 / rows), 1 to 20, and at least 150 steps; 20 in `paper`",
           .range = Between(1, kMaxCount),
           .effect = Effect::kModel,
           .field = InMethod(&FitOptions::epochs)},
          {.name = "learning-rate",
           .help = "Step size of Adam",
           .range = {Range::Kind::kPositive},
           .effect = Effect::kModel,
           .field = InMethod(&FitOptions::learning_rate)},
          {.name = "batch-size",
           .help = "Rows a step",
           .range = Between(1, kMaxCount),
           .effect = Effect::kModel,
           .field = InMethod(&FitOptions::batch_size)},
          {.name = "seed",
           .help = "Decides the folds, the initial weights, the order of the rows and the sample",
           .effect = Effect::kModel,
           .field = InMethod(&FitOptions::seed)},
          {.name = "fit-rows",
           .help = "Pool rows to fit on: a larger pool is sampled; 0 takes all",
           .notes =
               "Those rows are taken whose hash of (seed, relative path, row number) is smallest: "
               "the same ones whatever the order of the files. [scale.md](scale.md) explains the "
               "number",
           .range = {Range::Kind::kZeroOrBetween, 1, kMaxCount},
           .effect = Effect::kModel,
           .field = InMethod(&FitOptions::fit_rows)},
          {.name = "fit-sample",
           .help = "uniform, or by-partition: each hive partition in proportion, at least one row",
           .effect = Effect::kModel,
           .field = InMethod(&FitOptions::fit_sample)},
          {.name = "by",
           .help =
               "classifier, or neighbors: the score without classifier; needs a model with banks",
           .effect = Effect::kOutput,
           .field = InScore(&ScoreOptions::by)},
          {.name = "neighbors",
           .help = "auto, kd-tree or product: how neighbors are found; the result is the same",
           .field = InMethod(&FitOptions::neighbors).Or(InScore(&ScoreOptions::neighbors))},
      });
}

}  // namespace spuna
