// A part of the lines of option_lines_internal.h, which has their declarations.
#include <string>

#include "pipelines/options/option_lines_internal.h"

namespace spuna {
namespace {

constexpr const char* kOnRuns = "it is for runs of the command over files";

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
           .field = InFit(&FitJob::overwrite).Or(InScore(&ScoreOptions::overwrite))},
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

}  // namespace spuna
