// The lines of option_lines_internal.h that are about outputs and reviews.
#include <string>

#include "pipelines/options/option_lines_internal.h"

namespace spuna {
namespace {

constexpr const char* kOnRuns = "it is for runs of the command over files";
constexpr const char* kAnArgument = "it is an argument of the call";
constexpr const char* kWritesFile = "it names a file to write, and a call returns what it makes";

std::vector<Option> ReviewInputs() {
  const std::string reviewed =
      "File of verdicts of a person: columns `verdict` (shifted, clean or unsure) and `id`, or "
      "`file` and `row`; CSV, Parquet or JSON lines; may be repeated";
  const std::string reviewed_notes =
      "`file` is relative to the pool, `row` counts from 0. A verdict decides its own row; "
      "[review.md](review.md) says what a fit learns from it";
  return InGroup(
      "Inputs",
      {
          {.name = "trusted",
           .help =
               "Rows known to be clean, to fit on or, with `--model`, to show beside the others",
           .value_name = "PATH",
           .not_in_calls = kAnArgument,
           .field = InReviewsFit(&FitJob::trusted)},
          {.name = "pool",
           .help = "Rows to choose from: Parquet files, directories, 'patterns', URIs, @lists",
           .value_name = "PATH",
           .is_required = true,
           .not_in_calls = kAnArgument,
           .field = InReviewsFit(&FitJob::pool)},
          {.name = "model",
           .help = "Model file to choose by, instead of a fit on trusted rows and pool",
           .value_name = "PATH",
           .not_in_calls = kAnArgument,
           .field = In(&ReviewJob::model)},
          {.name = "reviewed",
           .help = reviewed,
           .notes = reviewed_notes,
           .value_name = "PATH",
           .field = InAnyFit(&FitJob::reviewed)},
      });
}

}  // namespace

std::vector<Option> UpdateLines() {
  return InGroup(
      "Outputs",
      {
          {.name = "refit",
           .help = "Fit again although the output has a model, and replace the output",
           .notes = "Needed after a change of options or of trusted rows. The output that is there "
                    "stays until the new one is whole. It implies `--overwrite`",
           .not_in_calls = kOnRuns,
           .field = In(&CleanJob::refit)},
          {.name = "prune",
           .help = "Remove the outputs of files that are not in the input any more",
           .not_in_calls = kOnRuns,
           .field = In(&CleanJob::prune).Or(In(&ScoreJob::prune))},
          {.name = "verify",
           .help = "Compare the contents of files, not only sizes, times and footers, to find out "
                   "what has changed",
           .notes = "Files whose contents were not recorded yet, by a run with `--verify`, are "
                    "scored again",
           .not_in_calls = kOnRuns,
           .field = In(&CleanJob::verify).Or(In(&ScoreJob::verify))},
          {.name = "overwrite",
           .help = "Replace outputs that exist",
           .notes = "A file, or a whole directory, and that only if spuna made it; the old one "
                    "stays until the new one is whole",
           .not_in_calls = kOnRuns,
           .field = InAnyFit(&FitJob::overwrite).Or(InScore(&ScoreOptions::overwrite))},
      });
}

std::vector<Option> OutputColumnLines() {
  return InGroup(
      "Outputs",
      {
          {.name = "columns",
           .help = "Columns to write, of the input's and ours, in this order; with commas on the "
                   "command line",
           .notes =
               "For a narrow output to join with. A column that a file lacks is an error. Hive "
               "keys are columns of streams alone: those of a file are in its path",
           .value_name = "COLUMNS",
           .rule = "all",
           .effect = Effect::kOutput,
           .splits_at_commas = true,
           .field = InScore(&ScoreOptions::columns).Or(In(&CleanJob::columns))},
          {.name = "replace",
           .help = "Replace columns of the input that are called as ours, such as those of an "
                   "earlier run",
           .notes = "Only those that this run writes: `spuna_p_value` stays without `--p-values`. "
                    "Without it they are an error",
           .effect = Effect::kOutput,
           .field = InScore(&ScoreOptions::replace).Or(In(&CleanJob::replace))},
      });
}

std::vector<Option> ReviewLines() {
  std::vector<Option> lines = ReviewInputs();
  const std::vector<Option> others = InGroup(
      "Review",
      {
          {.name = "out",
           .help = "HTML page to write, on which a person says what the rows are",
           .value_name = "PATH",
           .not_in_calls = kWritesFile,
           .field = In(&ReviewJob::output)},
          {.name = "list",
           .help = "Parquet file to write: the rows to look at, for tools of your own",
           .notes = "Fill in its column `verdict` and give it to `--reviewed`",
           .value_name = "PATH",
           .not_in_calls = kWritesFile,
           .field = In(&ReviewJob::list)},
          {.name = "rows",
           .help = "Rows to look at",
           .range = Between(1, 2'000),
           .field = In(&ReviewJob::rows)},
          {.name = "random-share",
           .help = "The share of them that is drawn at random, for honest estimates",
           .notes = "Half of it among the rows that are dropped, half among those that are kept. "
                    "They are not learned from",
           .range = {Range::Kind::kWithinOne},
           .field = In(&ReviewJob::random_share)},
          {.name = "id",
           .help = "Column that names the rows",
           .value_name = "COLUMN",
           .rule = "`id`, else file and row number",
           .field = In(&ReviewJob::id)},
          {.name = "image",
           .help = "Column of pictures, bytes or paths, to show",
           .value_name = "COLUMN",
           .field = In(&ReviewJob::image)},
          {.name = "text",
           .help = "Column of texts to show",
           .value_name = "COLUMN",
           .field = In(&ReviewJob::text)},
      });
  lines.insert(lines.end(), others.begin(), others.end());
  return lines;
}

}  // namespace spuna
