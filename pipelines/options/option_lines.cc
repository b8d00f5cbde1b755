#include <string>
#include <utility>

#include "pipelines/options/option_lines_internal.h"

namespace spuna {
namespace {

// Why calls from other languages do not offer an option.
constexpr const char* kAnArgument = "it is an argument of the call";
constexpr const char* kWritesFile = "it names a file to write, and a call returns what it makes";
constexpr const char* kOnRuns = "it is for runs of the command over files";
constexpr const char* kOnTerminal = "it is about what the command prints";

constexpr const char* kPaths =
    "Parquet files, directories, 'patterns', s3:// and other URIs, @lists of paths";

}  // namespace

std::vector<Option> InGroup(const std::string& group, std::vector<Option> lines) {
  for (Option& line : lines) line.group = group;
  return lines;
}

std::vector<Option> InputLines() {
  return InGroup(
      "Inputs",
      {
          {.name = "trusted",
           .help = std::string("Rows known to be clean: ") + kPaths,
           .value_name = "PATH",
           .is_required = true,
           .not_in_calls = kAnArgument,
           .field = InFit(&FitJob::trusted)},
          {.name = "pool",
           .help = "Rows to clean: the same",
           .value_name = "PATH",
           .is_required = true,
           .not_in_calls = kAnArgument,
           .field = InFit(&FitJob::pool)},
          {.name = "model",
           .help = "Model file to read",
           .value_name = "PATH",
           .is_required = true,
           .not_in_calls = kAnArgument,
           .field = In(&ScoreJob::model).Or(In(&MonitorJob::model)).Or(In(&InspectJob::model))},
          {.name = "input",
           .help = std::string("Rows to score: ") + kPaths +
                   ", or - for an Arrow IPC stream on standard input",
           .value_name = "PATH",
           .is_required = true,
           .not_in_calls = kAnArgument,
           .field = In(&ScoreJob::input)},
          {.name = "input",
           .help = std::string("The batch: ") + kPaths,
           .value_name = "PATH",
           .is_required = true,
           .not_in_calls = kAnArgument,
           .field = In(&MonitorJob::input)},
          {.name = "input",
           .help = "Scored rows: Parquet files or directories",
           .value_name = "PATH",
           .is_required = true,
           .not_in_calls = kAnArgument,
           .field = In(&EvaluateJob::input)},
          {.name = "truth",
           .help = "Column of truth: boolean or 0/1, true is shifted",
           .value_name = "COLUMN",
           .is_required = true,
           .not_in_calls = kAnArgument,
           .field = In(&EvaluateJob::truth)},
          {.name = "score",
           .help = "Column of scores",
           .value_name = "COLUMN",
           .not_in_calls = kAnArgument,
           .field = In(&EvaluateJob::score)},
          {.name = "embedding",
           .help = "Column of embeddings",
           .notes = "The pool is tried for the trusted rows' column first, a scored input for the "
                    "model's. All files of an input use the column of its first",
           .value_name = "COLUMN",
           .rule = "`embedding`, else the only fitting column",
           .effect = Effect::kModel,
           .field = InMethod(&FitOptions::embedding)},
          {.name = "embedding",
           .help = "Column of embeddings",
           .value_name = "COLUMN",
           .rule = "that of the model, else the only fitting column",
           .effect = Effect::kOutput,
           .field = InScore(&ScoreOptions::embedding).Or(InMonitor(&MonitorOptions::embedding))},
      });
}

std::vector<Option> FileNameLines() {
  const std::string all_files =
      "Read files of any name in directories and patterns, not only .parquet, .parq and .pq";
  return InGroup(
      "Inputs",
      {
          {.name = "all-files",
           .help = all_files,
           .notes = "Names that start with `.` or `_` stay left out. A file that is named itself "
                    "may have any name",
           .field = InAnyFit(&FitJob::all_files)
                        .Or(In(&ScoreJob::all_files))
                        .Or(In(&MonitorJob::all_files))},
          {.name = "all-files",
           .help = all_files,
           .not_in_calls = kOnRuns,
           .field = In(&EvaluateJob::all_files)},
      });
}

std::vector<Option> LayoutLines() {
  return InGroup(
      "Outputs",
      {
          {.name = "base",
           .help = "Directory or URI that the layout of --out starts from",
           .notes = "A file goes to its path below it, whatever the inputs are. One that lies "
                    "elsewhere is an error",
           .value_name = "PATH",
           .rule = "the deepest directory that holds all inputs",
           .not_in_calls = kWritesFile,
           .field = In(&ScoreJob::base).Or(InCleansFit(&FitJob::base))},
      });
}

std::vector<Option> OutputLines() {
  const std::string out_notes = "With `/` at the end it is a directory, also for a file";
  return InGroup(
      "Outputs",
      {
          {.name = "out",
           .help =
               "Where to write: a file for a file, else a directory, or - for an Arrow IPC stream "
               "on standard output",
           .notes = out_notes,
           .value_name = "PATH",
           .is_required = true,
           .not_in_calls = kWritesFile,
           .field = In(&ScoreJob::output)},
          {.name = "out",
           .help = "Where to write: a file for a file, else a directory",
           .notes = out_notes,
           .value_name = "PATH",
           .is_required = true,
           .not_in_calls = kWritesFile,
           .field = In(&CleanJob::output)},
          {.name = "drop",
           .help = "Leave out the rows that are dropped, and those without a valid embedding",
           .notes = "Rows that nothing is decided about (`--far null`) stay",
           .effect = Effect::kOutput,
           .field = InScore(&ScoreOptions::drop).Or(In(&CleanJob::drop))},
          {.name = "dropped",
           .help = "Where to write the rows that `--drop` leaves out, in the layout of --out",
           .notes = "With `--invalid drop` those without a valid embedding are in neither",
           .value_name = "PATH",
           .effect = Effect::kOutput,
           .not_in_calls = kWritesFile,
           .field = In(&ScoreJob::dropped).Or(In(&CleanJob::dropped))},
          {.name = "model",
           .help = "Model file to write (.safetensors)",
           .value_name = "PATH",
           .effect = Effect::kExtra,
           .configuration_key = "writes-model",
           .is_required = true,
           .not_in_calls = kWritesFile,
           .field = In(&FitJob::model)},
          {.name = "model",
           .help = "Model file to write (.safetensors)",
           .value_name = "PATH",
           .effect = Effect::kExtra,
           .configuration_key = "writes-model",
           .not_in_calls = kWritesFile,
           .field = InCleansFit(&FitJob::model)},
          {.name = "labels",
           .help = "Parquet file to write: each pool row's pseudo-label, round and neighbor score",
           .value_name = "PATH",
           .effect = Effect::kExtra,
           .not_in_calls = kWritesFile,
           .field = InFit(&FitJob::labels)},
          {.name = "keep-banks",
           .help = "Keep the labeled rows in the model, for `score --by neighbors`",
           .effect = Effect::kOutput,
           .field = InFit(&FitJob::keep_banks)},
          {.name = "state",
           .help = "JSON file that remembers the batches before; it is made by the first",
           .notes = "Without it every batch stands alone",
           .value_name = "PATH",
           .field = In(&MonitorJob::state)},
          {.name = "metrics",
           .help = "File of OpenMetrics text to write, or to replace",
           .value_name = "PATH",
           .field = In(&MonitorJob::metrics)},
          {.name = "report",
           .help = "HTML page with the history to write, or to replace",
           .value_name = "PATH",
           .field = In(&MonitorJob::report)},
      });
}

namespace {

// What a job finds out about its rows. The files are for runs that write; the columns are of use
// to a call as well, unless there is a reason against it.
template <typename Job>
std::vector<Option> FindingsColumns(const std::string& not_in_calls) {
  return {
      {.name = "group-by",
       .help = "Columns to count kept and dropped rows by; with commas on the command line",
       .notes = "Hive keys count as columns. In the summary, the JSON and the report",
       .value_name = "COLUMNS",
       .effect = Effect::kExtra,
       .splits_at_commas = true,
       .not_in_calls = not_in_calls,
       .field = InFindings<Job>(&FindingsOptions::group_by)},
      {.name = "id",
       .help = "Column that names the rows",
       .value_name = "COLUMN",
       .rule = "`id`, else file and row number",
       .effect = Effect::kExtra,
       .not_in_calls = not_in_calls,
       .field = InFindings<Job>(&FindingsOptions::id)},
      {.name = "truth",
       .help = "Column of truth, for the report's reliability curve",
       .value_name = "COLUMN",
       .effect = Effect::kExtra,
       .not_in_calls = not_in_calls,
       .field = InFindings<Job>(&FindingsOptions::truth)},
      {.name = "report-image",
       .help = "Column of pictures, bytes or paths, for the report",
       .value_name = "COLUMN",
       .effect = Effect::kExtra,
       .not_in_calls = not_in_calls,
       .field = InFindings<Job>(&FindingsOptions::image)},
  };
}

}  // namespace

std::vector<Option> FindingsLines() {
  auto of_both = [](auto member) {
    return InFindings<ScoreJob>(member).Or(InFindings<CleanJob>(member));
  };
  std::vector<Option> lines = {
      {.name = "report",
       .help = "HTML page to write",
       .notes = "Of `score` without what only a fit knows: kinds of shift, distance, the plane of "
                "rows and the trusted rows' scores",
       .value_name = "PATH",
       .effect = Effect::kExtra,
       .not_in_calls = kWritesFile,
       .field = of_both(&FindingsOptions::report)},
      {.name = "reasons",
       .help = "Parquet file to write: why each row is dropped",
       .notes = "Of `score` without round, nearest rows and kind, which only a fit knows",
       .value_name = "PATH",
       .effect = Effect::kExtra,
       .not_in_calls = kWritesFile,
       .field = of_both(&FindingsOptions::reasons)},
  };
  for (const auto& columns :
       {FindingsColumns<CleanJob>(/*not_in_calls=*/""), FindingsColumns<ScoreJob>(kOnRuns)}) {
    lines.insert(lines.end(), columns.begin(), columns.end());
  }
  return InGroup("Findings", std::move(lines));
}

std::vector<Option> ColumnLines() {
  const std::string prefix = "What our columns' names start with";
  const std::string invalid = "null, drop or error: rows with a null or non-finite embedding";
  const std::string invalid_notes =
      "`null` leaves our columns null and, with `--drop`, the row out; `drop` leaves it out, "
      "`error` stops";
  return InGroup("Columns",
                 {
                     {.name = "prefix",
                      .help = prefix,
                      .value_name = "TEXT",
                      .effect = Effect::kOutput,
                      .field = InScore(&ScoreOptions::prefix).Or(InCleansFit(&FitJob::prefix))},
                     {.name = "prefix",
                      .help = prefix,
                      .value_name = "TEXT",
                      .effect = Effect::kOutput,
                      .not_in_calls = "it names the columns of the labels file",
                      .field = In(&FitJob::prefix)},
                     {.name = "invalid",
                      .help = invalid,
                      .notes = invalid_notes,
                      .effect = Effect::kOutput,
                      .field = InMethod(&FitOptions::invalid)
                                   .Or(InScore(&ScoreOptions::invalid))
                                   .Or(InMonitor(&MonitorOptions::invalid))},
                 });
}

std::vector<Option> RunningLines() {
  const Field on_files = InFit(&FitJob::on_bad_file).Or(In(&ScoreJob::on_bad_file));
  const Field reads_files = on_files.Or(InReviewsFit(&FitJob::on_bad_file));
  const Field dry_run = InRunning(&RunningOptions::dry_run);
  return InGroup(
      "Running",
      {
          {.name = "dry-run",
           .help = "Write nothing; report what would be written where, and the memory and time it "
                   "takes",
           .notes =
               "Measured by a short trial: two small fits, and about 128 MB of one file (at least "
               "a row group) scored to a temporary file beside `--out`",
           .not_in_calls = kOnTerminal,
           // Of the commands that write rows or a model.
           .field =
               [on_files, dry_run](CommandOptions& options) {
                 return on_files(options) == nullptr ? nullptr : dry_run(options);
               }},
          {.name = "on-bad-file",
           .help = "error or skip: what to do about a file that can't be read",
           .notes = "A file of the pool or the input. Summary and manifest list what was skipped, "
                    "and the command ends with exit code 4. A file that can't be read for a "
                    "reason that may pass, such as a store that does not answer, is tried again "
                    "and never skipped: exit code 6",
           .field = reads_files},
          {.name = "max-bad-files",
           .help = "More skipped files than this are an error; needs `on-bad-file` skip",
           .notes = "The outputs are then not finished. 0 allows none",
           .rule = "no limit",
           .range = Between(0, kMaxCount),
           .field = InAnyFit(&FitJob::max_bad_files).Or(In(&ScoreJob::max_bad_files))},
          {.name = "checkpoint-seconds",
           .help = "How often a fit saves its progress, to resume from there after a kill",
           .not_in_calls = kOnRuns,
           .field = InFit(&FitJob::checkpoint_seconds)},
          {.name = "force",
           .help = "Start even if memory seems too small",
           .field = InAnyFit(&FitJob::force)},
          {.name = "threads",
           .help = "Threads",
           .rule = "the CPUs that the process may use, at most 64",
           .range = Between(1, kMaxThreads),
           .field = InRunning(&RunningOptions::threads)},
          {.name = "json",
           .help = "Print one JSON object",
           .not_in_calls = kOnTerminal,
           .field = {[](CommandOptions& options) { return MakeField(options.running.json); }}},
          {.name = "quiet",
           .help = "Print nothing but errors",
           .not_in_calls = kOnTerminal,
           .field = InRunning(&RunningOptions::quiet)},
          {.name = "config",
           .help = "TOML file with the same options",
           .notes =
               "`alpha = 20`, `trusted = [\"a.parquet\", \"b.parquet\"]`. The command line wins; "
               "names that belong to another command are passed over",
           .value_name = "PATH",
           .not_in_calls = kOnTerminal,
           .field = InRunning(&RunningOptions::config)},
      });
}

}  // namespace spuna
