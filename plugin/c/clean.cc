// The functions of spuna.h about what was cleaned, plans and the monitor.
#include <arrow/record_batch.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "pipelines/jobs/jobs.h"
#include "pipelines/jobs/summary.h"
#include "pipelines/options/json_text.h"
#include "pipelines/run/job_paths.h"
#include "plugin/boundary/guard.h"
#include "plugin/c/arguments_internal.h"
#include "plugin/c/handles_internal.h"
#include "plugin/c/spuna.h"
#include "plugin/c/stream_rows_internal.h"

namespace spuna::c {
namespace {

// Rows that a caller can open again; empty where it can't.
OpenRows MakeReopen(const spuna_reopen* reopen) {
  if (reopen == nullptr) return {};
  const std::shared_ptr<const spuna_reopen> held(new spuna_reopen(*reopen),
                                                 [](const spuna_reopen* given) {
                                                   if (given->release != nullptr)
                                                     given->release(given->context);
                                                   delete given;
                                                 });
  if (held->open == nullptr) return {};
  return [held]() -> arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> {
    ArrowArrayStream stream{};
    if (held->open(held->context, &stream) != 0) {
      return arrow::Status::IOError("the pool can't be read again");
    }
    return TakeStream(&stream, "pool");
  };
}

RowDecision DecisionOf(int32_t kept) {
  return kept != 0 ? RowDecision::kKept : RowDecision::kDropped;
}

arrow::Status Watch(const spuna_model* model, const MonitorJob& job, arrow::RecordBatchReader* rows,
                    const Runtime& runtime, char** out_json, char** out_text) {
  ARROW_RETURN_NOT_OK(RequireArgument(model, "model"));
  ARROW_RETURN_NOT_OK(RequireArgument(out_json, "out_json"));
  ARROW_RETURN_NOT_OK(RequireArgument(out_text, "out_text"));
  ARROW_ASSIGN_OR_RAISE(const MonitorReport report, Run(job, *model->model, rows, runtime));
  GiveBoth(ToJson(report), Summarize(report), out_json, out_text);
  return arrow::Status::OK();
}

}  // namespace
}  // namespace spuna::c

using spuna::c::Guard;
using spuna::c::OwnedStream;
using spuna::c::RequireArgument;

extern "C" {

spuna_code spuna_clean(ArrowArrayStream* trusted, ArrowArrayStream* pool,
                       const spuna_reopen* reopen, const char* options,
                       const spuna_callbacks* callbacks, spuna_cleaned** out_cleaned,
                       spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    // Released whatever happens.
    const spuna::OpenRows open_again = spuna::c::MakeReopen(reopen);
    OwnedStream trusted_stream(trusted);
    OwnedStream pool_stream(pool);
    ARROW_RETURN_NOT_OK(RequireArgument(out_cleaned, "out_cleaned"));
    ARROW_ASSIGN_OR_RAISE(const auto parsed, spuna::c::ParseOptions<spuna::CleanJob>(options));
    ARROW_ASSIGN_OR_RAISE(const auto trusted_rows, trusted_stream.Take("trusted"));
    ARROW_ASSIGN_OR_RAISE(const auto pool_rows, pool_stream.Take("pool"));
    ARROW_ASSIGN_OR_RAISE(
        auto result, spuna::CleanStreams(*trusted_rows, *pool_rows, open_again, parsed.job,
                                         spuna::c::MakeRuntime(parsed.num_threads, callbacks)));
    *out_cleaned = new spuna_cleaned{std::move(result)};
    return arrow::Status::OK();
  });
}

spuna_code spuna_clean_files(const char* const* trusted, size_t num_trusted,
                             const char* const* pool, size_t num_pool, const char* options,
                             const spuna_callbacks* callbacks, spuna_cleaned** out_cleaned,
                             spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(out_cleaned, "out_cleaned"));
    ARROW_ASSIGN_OR_RAISE(auto parsed, spuna::c::ParseOptions<spuna::CleanJob>(options));
    spuna::FitJob& fit = parsed.job.fit;
    ARROW_ASSIGN_OR_RAISE(fit.trusted, spuna::c::ListPaths(trusted, num_trusted, "trusted"));
    ARROW_ASSIGN_OR_RAISE(fit.pool, spuna::c::ListPaths(pool, num_pool, "pool"));
    ARROW_ASSIGN_OR_RAISE(
        auto result,
        spuna::CleanFiles(parsed.job, spuna::c::MakeRuntime(parsed.num_threads, callbacks)));
    *out_cleaned = new spuna_cleaned{std::move(result)};
    return arrow::Status::OK();
  });
}

spuna_code spuna_clean_stream(ArrowArrayStream* trusted, ArrowArrayStream* pool,
                              const char* options, const spuna_callbacks* callbacks,
                              ArrowArrayStream* out, spuna_model** out_model, spuna_error* error) {
  spuna_cleaned* cleaned = nullptr;
  spuna_code code = out == nullptr
                        ? Guard(error,
                                [&] {
                                  const OwnedStream trusted_stream(trusted);
                                  const OwnedStream pool_stream(pool);
                                  return RequireArgument(out, "out");
                                })
                        : spuna_clean(trusted, pool, nullptr, options, callbacks, &cleaned, error);
  if (code != SPUNA_OK) return code;
  const std::unique_ptr<spuna_cleaned> held(cleaned);
  code = spuna_cleaned_rows(cleaned, out, error);
  if (code != SPUNA_OK || out_model == nullptr) return code;
  code = spuna_cleaned_model(cleaned, out_model, error);
  if (code != SPUNA_OK) out->release(out);
  return code;
}

void spuna_cleaned_free(spuna_cleaned* cleaned) { delete cleaned; }

spuna_code spuna_cleaned_model(const spuna_cleaned* cleaned, spuna_model** out_model,
                               spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(cleaned, "cleaned"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_model, "out_model"));
    *out_model = new spuna_model{cleaned->result->model()};
    return arrow::Status::OK();
  });
}

spuna_code spuna_cleaned_rows(const spuna_cleaned* cleaned, ArrowArrayStream* out,
                              spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(cleaned, "cleaned"));
    ARROW_RETURN_NOT_OK(RequireArgument(out, "out"));
    ARROW_ASSIGN_OR_RAISE(auto rows, cleaned->result->Rows());
    return spuna::c::GiveStream(std::move(rows), out);
  });
}

spuna_code spuna_cleaned_summary(const spuna_cleaned* cleaned, char** out_text,
                                 spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(cleaned, "cleaned"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_text, "out_text"));
    const std::string text = spuna::Summarize(cleaned->result->report(), /*written_to=*/"");
    *out_text = spuna::c::CopyText(spuna::InCallWords(text));
    return arrow::Status::OK();
  });
}

spuna_code spuna_cleaned_describe(const spuna_cleaned* cleaned, char** out_json,
                                  spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(cleaned, "cleaned"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_json, "out_json"));
    const spuna::JobReport report = cleaned->result->ReportWithFindings();
    *out_json = spuna::c::CopyText(spuna::DumpJson(spuna::ToJson(report)));
    return arrow::Status::OK();
  });
}

spuna_code spuna_cleaned_numbers(const spuna_cleaned* cleaned, int32_t kept, int64_t** out_numbers,
                                 size_t* out_count, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(cleaned, "cleaned"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_numbers, "out_numbers"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_count, "out_count"));
    const std::vector<std::int64_t> numbers =
        cleaned->result->RowNumbers(spuna::c::DecisionOf(kept));
    const std::size_t size = numbers.size() * sizeof(std::int64_t);
    auto* const copy = static_cast<int64_t*>(std::malloc(size + 1));
    if (copy == nullptr) throw std::bad_alloc();
    if (size > 0) std::memcpy(copy, numbers.data(), size);
    *out_numbers = copy;
    *out_count = numbers.size();
    return arrow::Status::OK();
  });
}

spuna_code spuna_cleaned_ids(const spuna_cleaned* cleaned, int32_t kept, char** out_json,
                             spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(cleaned, "cleaned"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_json, "out_json"));
    const auto ids = cleaned->result->RowIds(spuna::c::DecisionOf(kept));
    nlohmann::json listed;
    if (ids) listed = nlohmann::json::array();
    for (const auto& id : ids.value_or(spuna::CleanResult::Ids())) {
      listed.push_back(id ? nlohmann::json(*id) : nlohmann::json());
    }
    *out_json = spuna::c::CopyText(spuna::DumpJson(listed));
    return arrow::Status::OK();
  });
}

spuna_code spuna_cleaned_reasons(const spuna_cleaned* cleaned, const spuna_callbacks* callbacks,
                                 ArrowArrayStream* out, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(cleaned, "cleaned"));
    ARROW_RETURN_NOT_OK(RequireArgument(out, "out"));
    const spuna::CleanResult& result = *cleaned->result;
    ARROW_ASSIGN_OR_RAISE(
        auto reasons, result.MakeReasons(spuna::c::MakeRuntime(result.num_threads(), callbacks)));
    return spuna::c::GiveStream(std::move(reasons), out);
  });
}

spuna_code spuna_cleaned_write_reasons(const spuna_cleaned* cleaned, const char* path,
                                       int32_t overwrite, const spuna_callbacks* callbacks,
                                       spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(cleaned, "cleaned"));
    ARROW_RETURN_NOT_OK(RequireArgument(path, "path"));
    const spuna::CleanResult& result = *cleaned->result;
    ARROW_ASSIGN_OR_RAISE(const std::string file, spuna::PathOf(path, "reasons"));
    return result.WriteReasons(file, overwrite != 0,
                               spuna::c::MakeRuntime(result.num_threads(), callbacks));
  });
}

spuna_code spuna_cleaned_write_report(const spuna_cleaned* cleaned, const char* path,
                                      int32_t overwrite, const spuna_callbacks* callbacks,
                                      spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(cleaned, "cleaned"));
    ARROW_RETURN_NOT_OK(RequireArgument(path, "path"));
    const spuna::CleanResult& result = *cleaned->result;
    ARROW_ASSIGN_OR_RAISE(const std::string file, spuna::PathOf(path, "report"));
    return result.WriteReport(file, overwrite != 0,
                              spuna::c::MakeRuntime(result.num_threads(), callbacks));
  });
}

spuna_code spuna_plan_files(const char* const* trusted, size_t num_trusted, const char* const* pool,
                            size_t num_pool, const char* out, int32_t overwrite,
                            const char* options, const spuna_callbacks* callbacks, char** out_json,
                            char** out_text, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(out_json, "out_json"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_text, "out_text"));
    ARROW_ASSIGN_OR_RAISE(auto parsed, spuna::c::ParseOptions<spuna::CleanJob>(options));
    spuna::FitJob& fit = parsed.job.fit;
    ARROW_ASSIGN_OR_RAISE(fit.trusted, spuna::c::ListPaths(trusted, num_trusted, "trusted"));
    ARROW_ASSIGN_OR_RAISE(fit.pool, spuna::c::ListPaths(pool, num_pool, "pool"));
    ARROW_ASSIGN_OR_RAISE(parsed.job.output, spuna::PathOf(spuna::c::Text(out), "out"));
    fit.overwrite = overwrite != 0;
    ARROW_ASSIGN_OR_RAISE(
        const spuna::JobPlan plan,
        spuna::Plan(parsed.job, spuna::c::MakeRuntime(parsed.num_threads, callbacks)));
    spuna::c::GiveBoth(spuna::ToJson(plan), spuna::Summarize(plan), out_json, out_text);
    return arrow::Status::OK();
  });
}

spuna_code spuna_monitor(const spuna_model* model, ArrowArrayStream* input, const char* options,
                         const spuna_callbacks* callbacks, char** out_json, char** out_text,
                         spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    OwnedStream stream(input);
    ARROW_ASSIGN_OR_RAISE(const auto parsed, spuna::c::ParseOptions<spuna::MonitorJob>(options));
    ARROW_ASSIGN_OR_RAISE(const auto rows, stream.Take("input"));
    return spuna::c::Watch(model, parsed.job, rows.get(),
                           spuna::c::MakeRuntime(parsed.num_threads, callbacks), out_json,
                           out_text);
  });
}

spuna_code spuna_monitor_files(const spuna_model* model, const char* const* paths, size_t num_paths,
                               const char* options, const spuna_callbacks* callbacks,
                               char** out_json, char** out_text, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(auto parsed, spuna::c::ParseOptions<spuna::MonitorJob>(options));
    ARROW_ASSIGN_OR_RAISE(parsed.job.input, spuna::c::ListPaths(paths, num_paths, "input"));
    return spuna::c::Watch(model, parsed.job, nullptr,
                           spuna::c::MakeRuntime(parsed.num_threads, callbacks), out_json,
                           out_text);
  });
}

}  // extern "C"
