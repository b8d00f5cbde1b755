#include "plugin/c/spuna.h"

#include <arrow/array.h>
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "pipelines/fit/stream_fit.h"
#include "pipelines/jobs/jobs.h"
#include "pipelines/model/model.h"
#include "pipelines/options/json_text.h"
#include "pipelines/run/fit_warnings.h"
#include "pipelines/run/job_paths.h"
#include "pipelines/run/job_report.h"
#include "pipelines/score/evaluate.h"
#include "pipelines/score/streams.h"
#include "pipelines/source/source_stream.h"
#include "plugin/boundary/guard.h"
#include "plugin/c/arguments_internal.h"
#include "plugin/c/handles_internal.h"
#include "plugin/c/matrix_stream_internal.h"
#include "plugin/c/stream_rows_internal.h"

namespace spuna::c {
namespace {

spuna_model* Wrap(Model model) {
  return new spuna_model{std::make_shared<const Model>(std::move(model))};
}

// Text that is not yet the caller's.
using HeldText = std::unique_ptr<char, decltype(&std::free)>;

HeldText SkippedText(const SkippedFiles& skipped) {
  return {CopyText(DumpJson(SkippedToJson(skipped))), &std::free};
}

// What of files to read.
struct ReadOptions {
  SourceStreamOptions stream;
  // What messages call the paths.
  std::string argument = "paths";
  // Whether files of any name are read.
  bool all_files = false;
};

arrow::Result<ReadOptions> ParseReadOptions(const char* text) {
  ReadOptions parsed;
  SourceStreamOptions& options = parsed.stream;
  const auto json = nlohmann::json::parse(Text(text).empty() ? "{}" : text, nullptr, false);
  if (!json.is_object()) return arrow::Status::Invalid("options: expected a JSON object");
  for (const auto& [key, value] : json.items()) {
    if (key == "only_embedding" && value.is_boolean()) {
      options.only_embedding = value.get<bool>();
    } else if (key == "all_files" && value.is_boolean()) {
      parsed.all_files = value.get<bool>();
    } else if (key == "embedding" && value.is_string()) {
      options.embedding = value.get<std::string>();
    } else if (key == "argument" && value.is_string()) {
      parsed.argument = value.get<std::string>();
    } else {
      return arrow::Status::Invalid(
          "options: expected `only_embedding` and `all_files` (true or false), `argument` and ",
          "`embedding` (texts) but found `", key, "`: ", DumpJson(value));
    }
  }
  return parsed;
}

}  // namespace
}  // namespace spuna::c

using spuna::c::Guard;
using spuna::c::OwnedStream;
using spuna::c::RequireArgument;

extern "C" {

const char* spuna_version(void) {
  static const std::string version = spuna::SpunaVersion();
  return version.c_str();
}

int32_t spuna_abi_version(void) { return SPUNA_ABI_VERSION; }

spuna_code spuna_fit(ArrowArrayStream* trusted, ArrowArrayStream* pool, const char* options,
                     const spuna_callbacks* callbacks, spuna_model** out_model,
                     spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    OwnedStream trusted_stream(trusted);
    OwnedStream pool_stream(pool);
    ARROW_RETURN_NOT_OK(RequireArgument(out_model, "out_model"));
    ARROW_ASSIGN_OR_RAISE(const auto parsed, spuna::c::ParseOptions<spuna::FitJob>(options));
    ARROW_ASSIGN_OR_RAISE(const auto trusted_rows, trusted_stream.Take("trusted"));
    ARROW_ASSIGN_OR_RAISE(const auto pool_rows, pool_stream.Take("pool"));
    const spuna::Runtime runtime = spuna::c::MakeRuntime(parsed.num_threads, callbacks);
    spuna::StageClock clock(runtime);
    spuna::StreamFitRequest request;
    request.options = parsed.job.options;
    request.extras.keep_banks = parsed.job.keep_banks;
    ARROW_ASSIGN_OR_RAISE(request.reviewed, spuna::ReadReviewedRows(parsed.job.reviewed,
                                                                    parsed.job.options.embedding));
    ARROW_ASSIGN_OR_RAISE(spuna::FitResult fit,
                          spuna::FitStreams(*trusted_rows, *pool_rows, request, clock));
    *out_model = spuna::c::Wrap(std::move(fit.model));
    return arrow::Status::OK();
  });
}

spuna_code spuna_score_stream(const spuna_model* model, ArrowArrayStream* input,
                              const char* options, ArrowArrayStream* out, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    OwnedStream stream(input);
    ARROW_RETURN_NOT_OK(RequireArgument(model, "model"));
    ARROW_RETURN_NOT_OK(RequireArgument(out, "out"));
    ARROW_ASSIGN_OR_RAISE(const auto parsed, spuna::c::ParseOptions<spuna::ScoreJob>(options));
    ARROW_ASSIGN_OR_RAISE(auto rows, stream.Take("input"));
    ARROW_ASSIGN_OR_RAISE(auto scored,
                          spuna::ScoreStream(std::move(rows), model->model, parsed.job.options,
                                             spuna::c::MakeRuntime(parsed.num_threads, nullptr)));
    return spuna::c::GiveStream(std::move(scored), out);
  });
}

spuna_code spuna_score_files(const spuna_model* model, const char* const* paths, size_t num_paths,
                             const char* options, ArrowArrayStream* out, char** out_skipped,
                             spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(model, "model"));
    ARROW_RETURN_NOT_OK(RequireArgument(out, "out"));
    ARROW_ASSIGN_OR_RAISE(const auto parsed, spuna::c::ParseOptions<spuna::ScoreJob>(options));
    ARROW_ASSIGN_OR_RAISE(const auto list, spuna::c::ListPaths(paths, num_paths, "paths"));
    ARROW_ASSIGN_OR_RAISE(auto scored,
                          spuna::ScoreFiles(list, parsed.job, model->model, parsed.num_threads));
    auto skipped = spuna::c::SkippedText(scored.skipped);
    ARROW_RETURN_NOT_OK(spuna::c::GiveStream(std::move(scored.rows), out));
    if (out_skipped != nullptr) *out_skipped = skipped.release();
    return arrow::Status::OK();
  });
}

spuna_code spuna_fit_files(const char* const* trusted, size_t num_trusted, const char* const* pool,
                           size_t num_pool, const char* options, const spuna_callbacks* callbacks,
                           spuna_model** out_model, char** out_skipped, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(out_model, "out_model"));
    ARROW_ASSIGN_OR_RAISE(auto parsed, spuna::c::ParseOptions<spuna::FitJob>(options));
    ARROW_ASSIGN_OR_RAISE(parsed.job.trusted, spuna::c::ListPaths(trusted, num_trusted, "trusted"));
    ARROW_ASSIGN_OR_RAISE(parsed.job.pool, spuna::c::ListPaths(pool, num_pool, "pool"));
    const spuna::Runtime runtime = spuna::c::MakeRuntime(parsed.num_threads, callbacks);
    ARROW_ASSIGN_OR_RAISE(spuna::FittedModel fitted, spuna::FitModel(parsed.job, runtime));
    auto skipped = spuna::c::SkippedText(fitted.skipped);
    *out_model = spuna::c::Wrap(std::move(fitted.model));
    if (out_skipped != nullptr) *out_skipped = skipped.release();
    return arrow::Status::OK();
  });
}

spuna_code spuna_check_clean(ArrowArrayStream* pool, const char* options, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    OwnedStream pool_stream(pool);
    ARROW_ASSIGN_OR_RAISE(const auto parsed, spuna::c::ParseOptions<spuna::CleanJob>(options));
    if (pool == nullptr) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const auto rows, pool_stream.Take("pool"));
    return spuna::CheckScoredColumns(*rows->schema(), parsed.job.Scoring());
  });
}

spuna_code spuna_check_score(const char* options, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    return spuna::c::ParseOptions<spuna::ScoreJob>(options).status();
  });
}

spuna_code spuna_split_clean_options(const char* options, char** out_fit, char** out_score,
                                     spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(out_fit, "out_fit"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_score, "out_score"));
    ARROW_ASSIGN_OR_RAISE(const spuna::CleanHalves halves,
                          spuna::SplitCleanOptions(spuna::c::Text(options)));
    spuna::c::HeldText fit(spuna::c::CopyText(halves.fit), &std::free);
    *out_score = spuna::c::CopyText(halves.score);
    *out_fit = fit.release();
    return arrow::Status::OK();
  });
}

spuna_code spuna_evaluate_files(const char* const* paths, size_t num_paths, const char* truth,
                                const char* score, const spuna_callbacks* callbacks,
                                char** out_json, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(truth, "truth"));
    ARROW_RETURN_NOT_OK(RequireArgument(score, "score"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_json, "out_json"));
    ARROW_ASSIGN_OR_RAISE(const auto list, spuna::c::ListPaths(paths, num_paths, "paths"));
    ARROW_ASSIGN_OR_RAISE(const auto files,
                          spuna::Source::List({list, "paths"}, spuna::OnBadFile::kError));
    ARROW_ASSIGN_OR_RAISE(
        const spuna::Evaluation evaluation,
        spuna::Evaluate(files, truth, score, spuna::c::MakeRuntime(1, callbacks)));
    *out_json = spuna::c::CopyText(spuna::DumpJson(spuna::ToJson(evaluation)));
    return arrow::Status::OK();
  });
}

spuna_code spuna_evaluate_stream(ArrowArrayStream* input, const char* truth, const char* score,
                                 const spuna_callbacks* callbacks, char** out_json,
                                 spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    OwnedStream stream(input);
    ARROW_RETURN_NOT_OK(RequireArgument(truth, "truth"));
    ARROW_RETURN_NOT_OK(RequireArgument(score, "score"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_json, "out_json"));
    ARROW_ASSIGN_OR_RAISE(const auto rows, stream.Take("input"));
    ARROW_ASSIGN_OR_RAISE(
        const spuna::Evaluation evaluation,
        spuna::Evaluate(*rows, truth, score, spuna::c::MakeRuntime(1, callbacks)));
    *out_json = spuna::c::CopyText(spuna::DumpJson(spuna::ToJson(evaluation)));
    return arrow::Status::OK();
  });
}

spuna_code spuna_model_load(const char* path, spuna_model** out_model, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(path, "path"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_model, "out_model"));
    ARROW_ASSIGN_OR_RAISE(spuna::Model model, spuna::LoadModel(path));
    *out_model = spuna::c::Wrap(std::move(model));
    return arrow::Status::OK();
  });
}

spuna_code spuna_model_save(const spuna_model* model, const char* path, int32_t overwrite,
                            spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(model, "model"));
    ARROW_RETURN_NOT_OK(RequireArgument(path, "path"));
    return spuna::SaveModel(*model->model, path, overwrite != 0);
  });
}

void spuna_model_free(spuna_model* model) { delete model; }

spuna_code spuna_model_serialize(const spuna_model* model, char** out_bytes, size_t* out_size,
                                 spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(model, "model"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_bytes, "out_bytes"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_size, "out_size"));
    const std::string bytes = spuna::SerializeModel(*model->model);
    *out_bytes = spuna::c::CopyText(bytes);
    *out_size = bytes.size();
    return arrow::Status::OK();
  });
}

spuna_code spuna_model_parse(const void* bytes, size_t size, spuna_model** out_model,
                             spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(bytes, "bytes"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_model, "out_model"));
    const std::string text(static_cast<const char*>(bytes), size);
    ARROW_ASSIGN_OR_RAISE(spuna::Model model, spuna::ParseModel(text, "in these bytes"));
    *out_model = spuna::c::Wrap(std::move(model));
    return arrow::Status::OK();
  });
}

spuna_code spuna_model_describe(const spuna_model* model, char** out_json, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(model, "model"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_json, "out_json"));
    *out_json = spuna::c::CopyText(spuna::DumpJson(model->model->Describe()));
    return arrow::Status::OK();
  });
}

spuna_code spuna_model_warnings(const spuna_model* model, char** out_json, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(model, "model"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_json, "out_json"));
    const spuna::Model& fitted = *model->model;
    nlohmann::json texts = nlohmann::json::array();
    for (const spuna::FitWarning& warning :
         spuna::WarningsOf(fitted.summary, fitted.options, fitted.dimension())) {
      texts.push_back(warning.about + ": " + spuna::InCallWords(warning.text));
    }
    if (fitted.LacksDistance()) {
      const spuna::FitWarning warning = spuna::WarningOfNoDistance();
      texts.push_back(warning.about + ": " + warning.text);
    }
    *out_json = spuna::c::CopyText(spuna::DumpJson(texts));
    return arrow::Status::OK();
  });
}

spuna_code spuna_read_parquet(const char* const* paths, size_t num_paths, const char* options,
                              ArrowArrayStream* out, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(out, "out"));
    ARROW_ASSIGN_OR_RAISE(const auto parsed, spuna::c::ParseReadOptions(options));
    ARROW_ASSIGN_OR_RAISE(const auto list, spuna::c::ListPaths(paths, num_paths, "paths"));
    ARROW_ASSIGN_OR_RAISE(auto rows, spuna::OpenSourceStream(
                                         {list, parsed.argument, parsed.all_files}, parsed.stream));
    return spuna::c::GiveStream(std::move(rows), out);
  });
}

spuna_code spuna_check_output(const char* path, const char* argument, const char* const* inputs,
                              size_t num_inputs, const char* inputs_argument, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(path, "path"));
    ARROW_RETURN_NOT_OK(RequireArgument(argument, "argument"));
    ARROW_RETURN_NOT_OK(RequireArgument(inputs_argument, "inputs_argument"));
    ARROW_ASSIGN_OR_RAISE(const auto list, spuna::c::ListPaths(inputs, num_inputs, "inputs"));
    spuna::JobPaths paths;
    ARROW_RETURN_NOT_OK(paths.AddInputs(list, inputs_argument));
    ARROW_ASSIGN_OR_RAISE(const std::string output, spuna::PathOf(path, argument));
    return paths.AddOutput(output, argument);
  });
}

spuna_code spuna_array_stream(ArrowSchema* schema, ArrowArray* array, ArrowArrayStream* out,
                              spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    // Importing takes both over; what is not imported is released here.
    struct Owned {
      ArrowSchema* schema;
      ArrowArray* array;
      ~Owned() {
        if (schema != nullptr && schema->release != nullptr) schema->release(schema);
        if (array != nullptr && array->release != nullptr) array->release(array);
      }
    } const owned{schema, array};
    ARROW_RETURN_NOT_OK(RequireArgument(schema, "schema"));
    ARROW_RETURN_NOT_OK(RequireArgument(array, "array"));
    ARROW_RETURN_NOT_OK(RequireArgument(out, "out"));
    ARROW_ASSIGN_OR_RAISE(const auto field, arrow::ImportField(schema));
    ARROW_ASSIGN_OR_RAISE(const auto imported, arrow::ImportArray(array, field->type()));
    const bool has_columns = field->type()->id() == arrow::Type::STRUCT;
    const auto columns = has_columns ? arrow::schema(field->type()->fields(), field->metadata())
                                     : arrow::schema({field->WithName(spuna::c::kColumn)});
    ARROW_ASSIGN_OR_RAISE(const auto batch, spuna::c::RowsOfArray(imported, columns));
    ARROW_ASSIGN_OR_RAISE(auto rows, arrow::RecordBatchReader::Make({batch}, batch->schema()));
    return spuna::c::GiveStream(std::move(rows), out);
  });
}

spuna_code spuna_matrix_stream(const float* values, int64_t num_rows, int64_t dimension,
                               void (*release)(void* owner), void* owner, ArrowArrayStream* out,
                               spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    const std::shared_ptr<void> held(owner, [release](void* given) {
      if (release != nullptr) release(given);
    });
    ARROW_RETURN_NOT_OK(RequireArgument(out, "out"));
    ARROW_ASSIGN_OR_RAISE(auto rows, spuna::c::MakeMatrixStream(values, num_rows, dimension, held));
    return spuna::c::GiveStream(std::move(rows), out);
  });
}

void spuna_string_free(void* text) { std::free(text); }

}  // extern "C"
