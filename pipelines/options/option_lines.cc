#include <string>

#include "pipelines/options/option_lines_internal.h"

namespace spuna {
namespace {

constexpr const char* kInputs = "Inputs";
constexpr const char* kOutputs = "Outputs";
constexpr const char* kFindings = "Findings";
constexpr const char* kColumns = "Columns";
constexpr const char* kRunning = "Running";

// Why calls from other languages do not offer an option.
constexpr const char* kAnArgument = "it is an argument of the call";
constexpr const char* kWritesFile = "it names a file to write, and a call returns what it makes";
constexpr const char* kOnFiles = "it is about files, and a call works on rows";
constexpr const char* kOnTerminal = "it is about what the command prints";

constexpr const char* kPaths =
    "Parquet files, directories, 'patterns', s3:// and other URIs, @lists of paths";

}  // namespace

std::vector<Option> InputLines() {
  return {
      {.name = "trusted",
       .group = kInputs,
       .help = std::string("Rows known to be clean: ") + kPaths,
       .value_name = "PATH",
       .is_required = true,
       .not_in_calls = kAnArgument,
       .field = InFit([](FitJob& job) -> auto& { return job.trusted; })},
      {.name = "pool",
       .group = kInputs,
       .help = "Rows to clean: the same",
       .value_name = "PATH",
       .is_required = true,
       .not_in_calls = kAnArgument,
       .field = InFit([](FitJob& job) -> auto& { return job.pool; })},
      {.name = "model",
       .group = kInputs,
       .help = "Model file to read",
       .value_name = "PATH",
       .is_required = true,
       .not_in_calls = kAnArgument,
       .field = In<ScoreJob>([](ScoreJob& job) -> auto& { return job.model; })
                    .Or(In<MonitorJob>([](MonitorJob& job) -> auto& { return job.model; }))
                    .Or(In<InspectJob>([](InspectJob& job) -> auto& { return job.model; }))},
      {.name = "input",
       .group = kInputs,
       .help = std::string("Rows to score: ") + kPaths +
               ", or - for an Arrow IPC stream on standard input",
       .value_name = "PATH",
       .is_required = true,
       .not_in_calls = kAnArgument,
       .field = In<ScoreJob>([](ScoreJob& job) -> auto& { return job.input; })},
      {.name = "input",
       .group = kInputs,
       .help = std::string("The batch: ") + kPaths,
       .value_name = "PATH",
       .is_required = true,
       .not_in_calls = kAnArgument,
       .field = In<MonitorJob>([](MonitorJob& job) -> auto& { return job.input; })},
      {.name = "input",
       .group = kInputs,
       .help = "Scored rows: Parquet files or directories",
       .value_name = "PATH",
       .is_required = true,
       .not_in_calls = kAnArgument,
       .field = In<EvaluateJob>([](EvaluateJob& job) -> auto& { return job.input; })},
      {.name = "truth",
       .group = kInputs,
       .help = "Column of truth: boolean or 0/1, true is shifted",
       .value_name = "COLUMN",
       .is_required = true,
       .not_in_calls = kAnArgument,
       .field = In<EvaluateJob>([](EvaluateJob& job) -> auto& { return job.truth; })},
      {.name = "score",
       .group = kInputs,
       .help = "Column of scores",
       .value_name = "COLUMN",
       .not_in_calls = kAnArgument,
       .field = In<EvaluateJob>([](EvaluateJob& job) -> auto& { return job.score; })},
      {.name = "embedding",
       .group = kInputs,
       .help = "Column of embeddings",
       .notes = "The pool is tried for the trusted rows' column first, a scored input for the "
                "model's. All files of an input use the column of its first",
       .value_name = "COLUMN",
       .rule = "`embedding`, else the only fitting column",
       .effect = Effect::kModel,
       .field = InMethod([](FitOptions& options) -> auto& { return options.embedding; })},
      {.name = "embedding",
       .group = kInputs,
       .help = "Column of embeddings",
       .value_name = "COLUMN",
       .rule = "that of the model, else the only fitting column",
       .effect = Effect::kOutput,
       .field =
           InScore([](ScoreOptions& options) -> auto& {
             return options.embedding;
           }).Or(In<MonitorJob>([](MonitorJob& job) -> auto& { return job.options.embedding; }))},
  };
}

std::vector<Option> OutputLines() {
  return {
      {.name = "out",
       .group = kOutputs,
       .help = "Where to write: a file for a file, else a directory, or - for an Arrow IPC stream "
               "on standard output",
       .value_name = "PATH",
       .is_required = true,
       .not_in_calls = kWritesFile,
       .field = In<ScoreJob>([](ScoreJob& job) -> auto& { return job.output; })},
      {.name = "out",
       .group = kOutputs,
       .help = "Where to write: a file for a file, else a directory",
       .value_name = "PATH",
       .is_required = true,
       .not_in_calls = kWritesFile,
       .field = In<CleanJob>([](CleanJob& job) -> auto& { return job.output; })},
      {.name = "drop",
       .group = kOutputs,
       .help = "Leave out the rows that are not kept",
       .effect = Effect::kOutput,
       .field = InScore([](ScoreOptions& options) -> auto& {
                  return options.drop;
                }).Or(In<CleanJob>([](CleanJob& job) -> auto& { return job.drop; }))},
      {.name = "dropped",
       .group = kOutputs,
       .help = "Where to write the rows that `--drop` leaves out, in the layout of --out",
       .value_name = "PATH",
       .effect = Effect::kOutput,
       .not_in_calls = kWritesFile,
       .field = In<ScoreJob>([](ScoreJob& job) -> auto& {
                  return job.dropped;
                }).Or(In<CleanJob>([](CleanJob& job) -> auto& { return job.dropped; }))},
      {.name = "model",
       .group = kOutputs,
       .help = "Model file to write (.safetensors)",
       .value_name = "PATH",
       .effect = Effect::kOutput,
       .configuration_key = "writes-model",
       .is_required = true,
       .not_in_calls = kWritesFile,
       .field = In<FitJob>([](FitJob& job) -> auto& { return job.model; })},
      {.name = "model",
       .group = kOutputs,
       .help = "Model file to write (.safetensors)",
       .value_name = "PATH",
       .effect = Effect::kOutput,
       .configuration_key = "writes-model",
       .not_in_calls = kWritesFile,
       .field = In<CleanJob>([](CleanJob& job) -> auto& { return job.fit.model; })},
      {.name = "labels",
       .group = kOutputs,
       .help = "Parquet file to write: each pool row's pseudo-label, round and neighbor score",
       .value_name = "PATH",
       .effect = Effect::kOutput,
       .not_in_calls = kWritesFile,
       .field = InFit([](FitJob& job) -> auto& { return job.labels; })},
      {.name = "keep-banks",
       .group = kOutputs,
       .help = "Keep the labeled rows in the model, for `score --by neighbors`",
       .effect = Effect::kOutput,
       .field = InFit([](FitJob& job) -> auto& { return job.keep_banks; })},
      {.name = "state",
       .group = kOutputs,
       .help = "JSON file that remembers the batches before; it is made by the first",
       .notes = "Without it every batch stands alone",
       .value_name = "PATH",
       .not_in_calls = kWritesFile,
       .field = In<MonitorJob>([](MonitorJob& job) -> auto& { return job.state; })},
      {.name = "metrics",
       .group = kOutputs,
       .help = "File of OpenMetrics text to write, or to replace",
       .value_name = "PATH",
       .not_in_calls = kWritesFile,
       .field = In<MonitorJob>([](MonitorJob& job) -> auto& { return job.metrics; })},
      {.name = "report",
       .group = kOutputs,
       .help = "HTML page with the history to write, or to replace",
       .value_name = "PATH",
       .not_in_calls = kWritesFile,
       .field = In<MonitorJob>([](MonitorJob& job) -> auto& { return job.report; })},
      {.name = "overwrite",
       .group = kOutputs,
       .help = "Replace outputs that exist",
       .notes = "A file, or a whole directory with all that is in it, and that only if spuna made "
                "it",
       .not_in_calls = kWritesFile,
       .field = InFit([](FitJob& job) -> auto& {
                  return job.overwrite;
                }).Or(InScore([](ScoreOptions& options) -> auto& { return options.overwrite; }))},
  };
}

std::vector<Option> FindingsLines() {
  auto in_clean = [](auto at) { return In<CleanJob>(at); };
  return {
      {.name = "report",
       .group = kFindings,
       .help = "HTML page to write",
       .value_name = "PATH",
       .effect = Effect::kOutput,
       .not_in_calls = kWritesFile,
       .field = in_clean([](CleanJob& job) -> auto& { return job.report; })},
      {.name = "reasons",
       .group = kFindings,
       .help = "Parquet file to write: why each row is dropped",
       .value_name = "PATH",
       .effect = Effect::kOutput,
       .not_in_calls = kWritesFile,
       .field = in_clean([](CleanJob& job) -> auto& { return job.reasons; })},
      {.name = "group-by",
       .group = kFindings,
       .help = "Columns, with commas, to count kept and dropped rows by",
       .notes = "Hive keys count as columns. In `--json`, the summary and the report",
       .value_name = "COLUMNS",
       .effect = Effect::kOutput,
       .splits_at_commas = true,
       .not_in_calls = kOnFiles,
       .field = in_clean([](CleanJob& job) -> auto& { return job.group_by; })},
      {.name = "id",
       .group = kFindings,
       .help = "Column that names the rows",
       .value_name = "COLUMN",
       .rule = "`id`, else file and row number",
       .effect = Effect::kOutput,
       .not_in_calls = kOnFiles,
       .field = in_clean([](CleanJob& job) -> auto& { return job.id; })},
      {.name = "truth",
       .group = kFindings,
       .help = "Column of truth, for the report's reliability curve",
       .value_name = "COLUMN",
       .effect = Effect::kOutput,
       .not_in_calls = kOnFiles,
       .field = in_clean([](CleanJob& job) -> auto& { return job.truth; })},
      {.name = "report-image",
       .group = kFindings,
       .help = "Column of pictures, bytes or paths, for the report",
       .value_name = "COLUMN",
       .effect = Effect::kOutput,
       .not_in_calls = kOnFiles,
       .field = in_clean([](CleanJob& job) -> auto& { return job.image; })},
  };
}

std::vector<Option> ColumnLines() {
  const std::string prefix = "What our columns' names start with";
  const std::string invalid = "null, drop or error: rows with a null or non-finite embedding";
  const std::string invalid_notes =
      "`null` leaves our columns null, `drop` leaves the row out, `error` stops";
  return {
      {.name = "prefix",
       .group = kColumns,
       .help = prefix,
       .value_name = "TEXT",
       .effect = Effect::kOutput,
       .field = InScore([](ScoreOptions& options) -> auto& {
                  return options.prefix;
                }).Or(In<CleanJob>([](CleanJob& job) -> auto& { return job.fit.prefix; }))},
      {.name = "prefix",
       .group = kColumns,
       .help = prefix,
       .value_name = "TEXT",
       .effect = Effect::kOutput,
       .not_in_calls = "it names the columns of the labels file",
       .field = In<FitJob>([](FitJob& job) -> auto& { return job.prefix; })},
      {.name = "invalid",
       .group = kColumns,
       .help = invalid,
       .notes = invalid_notes,
       .effect = Effect::kOutput,
       .field =
           InMethod([](FitOptions& options) -> auto& { return options.invalid; })
               .Or(InScore([](ScoreOptions& options) -> auto& { return options.invalid; }))
               .Or(In<MonitorJob>([](MonitorJob& job) -> auto& { return job.options.invalid; }))},
  };
}

std::vector<Option> RunningLines() {
  const Field on_files =
      InFit([](FitJob& job) -> auto& {
        return job.on_bad_file;
      }).Or(In<ScoreJob>([](ScoreJob& job) -> auto& { return job.on_bad_file; }));
  const Field dry_run = InRunning([](RunningOptions& running) -> auto& { return running.dry_run; });
  return {
      {.name = "dry-run",
       .group = kRunning,
       .help =
           "Write nothing; report what would be written where, and the memory and time it takes",
       .notes = "Measured by a short trial: two small fits, and about 128 MB of one file (at least "
                "a row group) scored to a temporary file beside `--out`",
       .not_in_calls = kOnTerminal,
       // Of the commands that write rows or a model.
       .field =
           [on_files, dry_run](CommandOptions& options) {
             return on_files(options) == nullptr ? nullptr : dry_run(options);
           }},
      {.name = "on-bad-file",
       .group = kRunning,
       .help = "error or skip: what to do about a file that can't be read; with skip the exit code "
               "is 4",
       .notes = "A file of the pool or the input; the summary and the manifest list what was "
                "skipped",
       .not_in_calls = kOnFiles,
       .field = on_files},
      {.name = "checkpoint-seconds",
       .group = kRunning,
       .help = "How often a fit saves its progress, to resume from there after a kill",
       .not_in_calls = kOnFiles,
       .field = InFit([](FitJob& job) -> auto& { return job.checkpoint_seconds; })},
      {.name = "force",
       .group = kRunning,
       .help = "Start even if memory seems too small",
       .not_in_calls = kOnFiles,
       .field = InFit([](FitJob& job) -> auto& { return job.force; })},
      {.name = "threads",
       .group = kRunning,
       .help = "Threads",
       .rule = "all, at most 64",
       .range = Between(1, kMaxThreads),
       .field = InRunning([](RunningOptions& running) -> auto& { return running.threads; })},
      {.name = "json",
       .group = kRunning,
       .help = "Print one JSON object",
       .not_in_calls = kOnTerminal,
       .field = {[](CommandOptions& options) { return MakeField(options.running.json); }}},
      {.name = "quiet",
       .group = kRunning,
       .help = "Print nothing but errors",
       .not_in_calls = kOnTerminal,
       .field = InRunning([](RunningOptions& running) -> auto& { return running.quiet; })},
      {.name = "config",
       .group = kRunning,
       .help = "TOML file with the same options",
       .notes = "`alpha = 20`, `trusted = [\"a.parquet\", \"b.parquet\"]`. The command line wins; "
                "names that belong to another command are passed over",
       .value_name = "PATH",
       .not_in_calls = kOnTerminal,
       .field = InRunning([](RunningOptions& running) -> auto& { return running.config; })},
  };
}

}  // namespace spuna
