#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <map>
#include <sstream>

#include "cli/config_file.h"
#include "cli/exit_codes.h"
#include "cli/option_kinds.h"
#include "pipelines/run/runtime.h"

namespace spuna::cli {
namespace {

// Declares the options of all commands over one Arguments.
class ArgumentParser {
 public:
  ArgumentParser() : app_("Finds the shifted rows of a Parquet lake, given rows you trust.") {
    arguments_.threads = DefaultThreads();
    app_.name("spuna");
    app_.require_subcommand(1);
    app_.get_formatter()->column_width(34);
    std::string versions;
    for (const auto& [name, version] : Versions()) {
      if (name != "spuna") versions += (versions.empty() ? "" : ", ") + name + " " + version;
    }
    app_.set_version_flag("--version", "spuna " + SpunaVersion() + " (" + versions + ")");
    AddFit();
    AddScore();
    AddClean();
    AddEvaluate();
    AddMonitor();
    AddInspect();
    app_.footer(
        "`spuna plan …` with the options of fit, score or clean is its --dry-run: it says what "
        "would\n"
        "be done. Run `spuna COMMAND --help` for the options of a command.");
  }

  Arguments Parse(const std::vector<std::string>& words) {
    try {
      // CLI11 takes them from the back.
      app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));
      CLI::App& command = *app_.get_subcommands().front();
      ApplyConfig(command);
      CheckRequired(command);
      arguments_.command = commands_.at(&command);
    } catch (const CLI::ParseError& error) {
      throw ToUsageError(error, words.empty() ? "" : words.front());
    }
    if (arguments_.threads < 1 || arguments_.threads > kMaxThreads) {
      throw UsageError("`threads` must be between 1 and " + std::to_string(kMaxThreads) +
                           ", but is " + std::to_string(arguments_.threads),
                       kWrongUsage);
    }
    return arguments_;
  }

 private:
  CLI::App& AddCommand(Command command, const std::string& name, const std::string& description) {
    CLI::App* added = app_.add_subcommand(name, description);
    commands_[added] = command;
    return *added;
  }

  // Required options may come from the configuration file, so they are checked after it.
  void Require(CLI::App& command, CLI::Option* option) { required_[&command].push_back(option); }

  void AddFit() {
    CLI::App& fit = AddCommand(Command::kFit, "fit", "Fit a model on trusted rows and a pool");
    AddFitInputs(fit);
    Require(fit, AddText(fit, "--model", arguments_.model, "PATH",
                         "Model file to write (.safetensors)", "Outputs"));
    AddFitOutputs(fit);
    AddDecision(fit);
    AddMethod(fit);
    AddColumns(fit);
    AddForce(fit);
    AddRunning(fit);
  }

  void AddScore() {
    CLI::App& score = AddCommand(Command::kScore, "score", "Score rows with a fitted model");
    Require(score,
            AddText(score, "--model", arguments_.model, "PATH", "Model file to read", "Inputs"));
    Require(score, AddText(score, "--input", arguments_.input, "PATH",
                           "Rows to score: Parquet files, directories, 'patterns', s3:// and other "
                           "URIs, @lists of "
                           "paths, or - for an Arrow IPC "
                           "stream on standard input",
                           "Inputs"));
    Require(score, AddText(score, "--out", arguments_.out, "PATH",
                           "Where to write: a file for a file, else a directory, or - for an Arrow "
                           "IPC stream on standard output",
                           "Outputs"));
    AddDrop(score);
    AddScoreDecision(score);
    AddOverwrite(score);
    AddChoice(score, "--by", arguments_.by,
              "classifier, or neighbors: the score without classifier; needs a model with banks",
              "Method");
    AddSearch(score);
    AddEmbedding(score);
    AddColumns(score);
    AddDryRun(score);
    AddOnBadFile(score);
    AddRunning(score);
  }

  void AddClean() {
    CLI::App& clean = AddCommand(Command::kClean, "clean", "Fit on a pool, then score the pool");
    AddFitInputs(clean);
    AddOut(clean);
    AddDrop(clean);
    AddText(clean, "--model", arguments_.model, "PATH", "Model file to write (.safetensors)",
            "Outputs");
    AddFitOutputs(clean);
    AddDecision(clean);
    AddPValues(clean);
    AddFindings(clean);
    AddMethod(clean);
    AddColumns(clean);
    AddForce(clean);
    AddRunning(clean);
  }

  void AddEvaluate() {
    CLI::App& evaluate =
        AddCommand(Command::kEvaluate, "evaluate", "Compare scores with a column of truth");
    Require(evaluate, AddText(evaluate, "--input", arguments_.input, "PATH",
                              "Scored rows: Parquet files or directories", "Inputs"));
    Require(evaluate, AddText(evaluate, "--truth", arguments_.truth, "COLUMN",
                              "Column of truth: boolean or 0/1, true is shifted", "Inputs"));
    AddText(evaluate, "--score", arguments_.score_column, "COLUMN", "Column of scores", "Inputs")
        ->default_val("spuna_score");
    AddRunning(evaluate);
  }

  void AddMonitor() {
    CLI::App& monitor = AddCommand(Command::kMonitor, "monitor",
                                   "Watch batches of new rows for shift; the exit code is 3 where "
                                   "it is found");
    Require(monitor,
            AddText(monitor, "--model", arguments_.model, "PATH", "Model file to read", "Inputs"));
    Require(monitor, AddText(monitor, "--input", arguments_.input, "PATH",
                             "The batch: Parquet files, directories, 'patterns', s3:// and other "
                             "URIs, @lists of paths",
                             "Inputs"));
    AddEmbedding(monitor);
    AddText(monitor, "--state", arguments_.state, "PATH",
            "JSON file that remembers the batches before; it is made by the first", "Outputs");
    AddText(monitor, "--metrics", arguments_.metrics, "PATH",
            "File of OpenMetrics text to write, or to replace", "Outputs");
    AddText(monitor, "--report", arguments_.report, "PATH",
            "HTML page with the history to write, or to replace", "Outputs");
    AddNumber(monitor, "--level", arguments_.level,
              "The probability of ever finding a shift where there is none", "Decision");
    AddInvalid(monitor);
    AddRunning(monitor);
  }

  void AddInspect() {
    CLI::App& inspect =
        AddCommand(Command::kInspect, "inspect", "Show what a model says of itself");
    Require(inspect, AddText(inspect, "model", arguments_.model, "PATH", "Model file", "Inputs"));
    inspect.add_flag("--json", arguments_.json, "Print one JSON object")->group("Running");
  }

  void AddFitInputs(CLI::App& command) {
    Require(command,
            AddText(command, "--trusted", arguments_.trusted, "PATH",
                    "Rows known to be clean: Parquet files, directories, 'patterns', s3:// and "
                    "other URIs, @lists of paths",
                    "Inputs"));
    Require(command, AddText(command, "--pool", arguments_.pool, "PATH", "Rows to clean: the same",
                             "Inputs"));
    AddEmbedding(command);
  }

  void AddEmbedding(CLI::App& command) {
    AddText(command, "--embedding", arguments_.fit.embedding, "COLUMN",
            "Column of embeddings [embedding, else the only fitting column]", "Inputs");
  }

  void AddFitOutputs(CLI::App& command) {
    AddText(command, "--labels", arguments_.labels, "PATH",
            "Parquet file to write: each pool row's pseudo-label, round and neighbor score",
            "Outputs");
    command
        .add_flag("--keep-banks", arguments_.keep_banks,
                  "Keep the labeled rows in the model, for `score --by neighbors`")
        ->group("Outputs");
    AddOverwrite(command);
  }

  void AddOut(CLI::App& command) {
    Require(command, AddText(command, "--out", arguments_.out, "PATH",
                             "Where to write: a file for a file, else a directory", "Outputs"));
  }

  void AddOverwrite(CLI::App& command) {
    command.add_flag("--overwrite", arguments_.overwrite, "Replace outputs that exist")
        ->group("Outputs");
  }

  void AddThreshold(CLI::App& command) {
    DecisionOptions& decision = arguments_.fit.decision;
    AddNumber(command, "--threshold", decision.threshold,
              "Drop rows that score so much or more [0.5]", "Decision");
    AddNumber(command, "--max-clean-loss", decision.max_clean_loss,
              "Drop at most this share of the clean rows, in expectation", "Decision");
  }

  void AddPValues(CLI::App& command) {
    command
        .add_flag("--p-values", arguments_.p_values,
                  "Write a column of p-values: how rare a clean row with such a score is")
        ->group("Decision");
  }

  void AddScoreDecision(CLI::App& command) {
    AddThreshold(command);
    AddPValues(command);
  }

  void AddFindings(CLI::App& command) {
    const std::string group = "Findings";
    AddText(command, "--report", arguments_.report, "PATH", "HTML page to write", group);
    AddText(command, "--reasons", arguments_.reasons, "PATH",
            "Parquet file to write: why each row is dropped", group);
    AddText(command, "--group-by", arguments_.group_by, "COLUMNS",
            "Columns, with commas, to count kept and dropped rows by", group);
    AddText(command, "--id", arguments_.id, "COLUMN",
            "Column that names the rows [id, else file and row number]", group);
    AddText(command, "--truth", arguments_.truth, "COLUMN",
            "Column of truth, for the report's reliability curve", group);
    AddText(command, "--report-image", arguments_.report_image, "COLUMN",
            "Column of pictures, bytes or paths, for the report", group);
  }

  void AddDecision(CLI::App& command) {
    DecisionOptions& decision = arguments_.fit.decision;
    AddThreshold(command);
    AddNumber(command, "--max-false-drops", decision.max_false_drops,
              "Let at most this share of the dropped rows be clean, in expectation", "Decision");
    AddNumber(command, "--keep-share", decision.keep_share, "Keep this share of the pool",
              "Decision");
    AddChoice(command, "--calibration", decision.calibration,
              "none; split: keep trusted rows back to tell what a threshold costs; cross: all of "
              "them in turn, six fits, guarantees about twice the level only [split where needed]",
              "Decision");
    AddNumber(command, "--calibration-rows", decision.calibration_rows,
              "Trusted rows that a split keeps back [a quarter, or what the level needs]",
              "Decision");
    AddText(command, "--stratify", arguments_.fit.stratify, "COLUMN",
            "Column of classes: compare rows within a class, since another mix of classes is no "
            "shift",
            "Decision");
  }

  void AddMethod(CLI::App& command) {
    FitOptions& fit = arguments_.fit;
    const std::string group = "Method";
    AddChoice(command, "--recipe", fit.recipe,
              "robust; fast: robust in few dimensions, for pools of 100,000 rows and more; paper: "
              "S-PUNA as published. It decides what is not set below",
              group);
    AddChoice(command, "--metric", fit.metric,
              "euclidean, whitened, cosine or contrast: the coordinates neighbors are found in",
              group);
    AddChoice(command, "--seeds", fit.seeds,
              "distance (to the nearest trusted row) or cross-fitted (\"trusted or pool?\")",
              group);
    AddChoice(command, "--discriminant", fit.discriminant,
              "on or off: the cross-fitted score as one more coordinate", group);
    AddChoice(command, "--sides", fit.sides,
              "even or share: whether half of the pool or the estimated share becomes shifted",
              group);
    AddChoice(command, "--targets", fit.targets, "labels or soft: what the classifier learns",
              group);
    AddNumber(command, "--alpha", fit.alpha, "Seeds a side", group);
    AddNumber(command, "--beta", fit.beta,
              "Rows a side and round [1500 for 14,000 pool rows, in proportion]", group);
    AddNumber(command, "--k", fit.k, "Neighbors", group);
    AddNumber(command, "--epsilon", fit.epsilon, "Stop when the entropy grows by less than this",
              group);
    AddChoice(command, "--on-stop", fit.on_stop,
              "keep or rollback: the rows of the round in which the entropy fell", group);
    AddNumber(command, "--hidden", fit.hidden, "Hidden units of the classifier", group);
    AddNumber(command, "--epochs", fit.epochs, "Passes over the labeled rows", group);
    AddNumber(command, "--learning-rate", fit.learning_rate, "Step size of Adam", group);
    AddNumber(command, "--batch-size", fit.batch_size, "Rows a step", group);
    AddNumber(command, "--seed", fit.seed, "Decides the initial weights and the order of the rows",
              group);
    AddNumber(command, "--fit-rows", fit.fit_rows,
              "Pool rows to fit on: a larger pool is sampled; 0 takes all", group);
    AddChoice(command, "--fit-sample", fit.fit_sample,
              "uniform, or by-partition: each hive partition in proportion, at least one row",
              group);
    AddSearch(command);
  }

  void AddSearch(CLI::App& command) {
    AddChoice(command, "--neighbors", arguments_.fit.neighbors,
              "auto, kd-tree or product: how neighbors are found; the result is the same",
              "Method");
  }

  void AddColumns(CLI::App& command) {
    AddText(command, "--prefix", arguments_.prefix, "TEXT", "What our columns' names start with",
            "Columns")
        ->default_val("spuna_");
    AddInvalid(command);
  }

  void AddInvalid(CLI::App& command) {
    AddChoice(command, "--invalid", arguments_.fit.invalid,
              "null, drop or error: rows with a null or non-finite embedding", "Columns");
  }

  void AddDrop(CLI::App& command) {
    command.add_flag("--drop", arguments_.drop, "Leave out the rows that are not kept")
        ->group("Outputs");
    AddText(command, "--dropped", arguments_.dropped, "PATH",
            "Where to write the rows that `--drop` leaves out, in the layout of --out", "Outputs");
  }

  void AddOnBadFile(CLI::App& command) {
    AddChoice(command, "--on-bad-file", arguments_.on_bad_file,
              "error or skip: what to do about a file that can't be read; with skip the exit code "
              "is 4",
              "Running");
  }

  void AddDryRun(CLI::App& command) {
    command
        .add_flag(
            "--dry-run", arguments_.dry_run,
            "Write nothing; say what would be written where, and the memory and time it takes")
        ->group("Running");
  }

  void AddForce(CLI::App& command) {
    AddDryRun(command);
    AddOnBadFile(command);
    AddNumber(command, "--checkpoint-seconds", arguments_.checkpoint_seconds,
              "How often a fit writes down where it is, to go on from there after a kill",
              "Running");
    command.add_flag("--force", arguments_.force, "Start even if memory seems too small")
        ->group("Running");
  }

  void AddRunning(CLI::App& command) {
    AddNumber(command, "--threads", arguments_.threads, "Threads", "Running");
    command.add_flag("--json", arguments_.json, "Print one JSON object")->group("Running");
    command.add_flag("--quiet", arguments_.quiet, "Print nothing but errors")->group("Running");
    AddText(command, "--config", config_, "PATH", "TOML file with the same options", "Running");
  }

  // Values of the file stand in for options that the command line leaves out. One file may serve
  // several commands: names that belong to another command are passed over.
  void ApplyConfig(CLI::App& command) {
    if (config_.empty()) return;
    for (const auto& [name, value] : ReadConfigFile(config_)) {
      const std::string flag = "--" + name;
      CLI::Option* option =
          name == "config" || name == "help" ? nullptr : command.get_option_no_throw(flag);
      if (option == nullptr) {
        bool known = false;
        for (const auto& [other, unused] : commands_) {
          known |=
              name != "config" && name != "help" && other->get_option_no_throw(flag) != nullptr;
        }
        if (known) continue;
        throw UsageError(value.where + ": there is no option '" + name + "'", kWrongUsage);
      }
      if (option->count() > 0 || value.texts.empty()) continue;
      try {
        for (const std::string& text : value.texts) option->add_result(text);
        option->run_callback();
      } catch (const CLI::ParseError& error) {
        throw UsageError(value.where + ": " + error.what(), kWrongUsage);
      }
    }
  }

  void CheckRequired(CLI::App& command) {
    for (const CLI::Option* option : required_[&command]) {
      if (option->count() > 0) continue;
      throw UsageError(
          "`" + option->get_name() + "` is required; see `spuna " + command.get_name() + " --help`",
          kWrongUsage);
    }
  }

  UsageError ToUsageError(const CLI::ParseError& error, const std::string& first_word) {
    std::ostringstream out;
    std::ostringstream err;
    if (app_.exit(error, out, err) == 0) return {out.str(), kDone};
    if (app_.get_subcommands().empty()) {
      std::string names;
      for (const CLI::App* command : app_.get_subcommands(nullptr)) {
        names += (names.empty() ? "" : ", ") + command->get_name();
      }
      const bool is_word = !first_word.empty() && !first_word.starts_with('-');
      return {(is_word ? "there is no command '" + first_word + "'"
                       : std::string("a command is required")) +
                  "; the commands are " + names,
              kWrongUsage};
    }
    return {error.what(), kWrongUsage};
  }

  Arguments arguments_;
  std::string config_;
  CLI::App app_;
  std::map<const CLI::App*, Command> commands_;
  std::map<const CLI::App*, std::vector<CLI::Option*>> required_;
};

// `plan` is the dry run of the command that follows, or of the one that the options belong to.
std::vector<std::string> Unplan(std::vector<std::string> words) {
  if (words.empty() || words.front() != "plan") return words;
  words.erase(words.begin());
  auto has = [&](const std::string& option) {
    return std::ranges::any_of(words, [&](const std::string& word) {
      return word == option || word.starts_with(option + "=");
    });
  };
  if (words.empty() || words.front().starts_with('-')) {
    words.insert(words.begin(), has("--input") ? "score" : has("--out") ? "clean" : "fit");
  }
  words.insert(words.begin() + 1, "--dry-run");
  return words;
}

}  // namespace

Arguments ParseArguments(int argc, const char* const* argv) {
  return ArgumentParser().Parse(Unplan({argv + 1, argv + std::max(argc, 1)}));
}

}  // namespace spuna::cli
