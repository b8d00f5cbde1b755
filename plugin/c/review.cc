// The functions of spuna.h about rows for a person to look at.
#include <arrow/record_batch.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "pipelines/jobs/jobs.h"
#include "pipelines/jobs/summary.h"
#include "pipelines/options/json_text.h"
#include "pipelines/review/review_page.h"
#include "plugin/boundary/guard.h"
#include "plugin/c/arguments_internal.h"
#include "plugin/c/handles_internal.h"
#include "plugin/c/spuna.h"
#include "plugin/c/stream_rows_internal.h"

namespace spuna::c {
namespace {

// What to do with the verdicts, on the page and in the summary, in the words of Python.
constexpr const char* kNext = "spuna.clean(trusted, pool, reviewed=[\"review.csv\"])";

const Model* ModelOf(const spuna_model* model) {
  return model == nullptr ? nullptr : model->model.get();
}

spuna_review_list* Wrap(ReviewReport report) {
  report.list.next = kNext;
  return new spuna_review_list{std::move(report)};
}

}  // namespace
}  // namespace spuna::c

using spuna::c::Guard;
using spuna::c::OwnedStream;
using spuna::c::RequireArgument;

extern "C" {

spuna_code spuna_review(ArrowArrayStream* trusted, ArrowArrayStream* pool, const spuna_model* model,
                        const char* options, const spuna_callbacks* callbacks,
                        spuna_review_list** out_list, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    OwnedStream trusted_stream(trusted);
    OwnedStream pool_stream(pool);
    ARROW_RETURN_NOT_OK(RequireArgument(out_list, "out_list"));
    if (model == nullptr) ARROW_RETURN_NOT_OK(RequireArgument(trusted, "trusted"));
    ARROW_ASSIGN_OR_RAISE(const auto parsed, spuna::c::ParseOptions<spuna::ReviewJob>(options));
    std::shared_ptr<arrow::RecordBatchReader> trusted_rows;
    if (trusted != nullptr) {
      ARROW_ASSIGN_OR_RAISE(trusted_rows, trusted_stream.Take("trusted"));
    }
    ARROW_ASSIGN_OR_RAISE(const auto pool_rows, pool_stream.Take("pool"));
    ARROW_ASSIGN_OR_RAISE(
        spuna::ReviewReport report,
        spuna::ReviewStreams(trusted_rows.get(), *pool_rows, parsed.job, spuna::c::ModelOf(model),
                             spuna::c::MakeRuntime(parsed.num_threads, callbacks)));
    *out_list = spuna::c::Wrap(std::move(report));
    return arrow::Status::OK();
  });
}

spuna_code spuna_review_files(const char* const* trusted, size_t num_trusted,
                              const char* const* pool, size_t num_pool, const spuna_model* model,
                              const char* options, const spuna_callbacks* callbacks,
                              spuna_review_list** out_list, spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(out_list, "out_list"));
    ARROW_ASSIGN_OR_RAISE(auto parsed, spuna::c::ParseOptions<spuna::ReviewJob>(options));
    spuna::FitJob& fit = parsed.job.fit;
    if (num_trusted > 0 || model == nullptr) {
      ARROW_ASSIGN_OR_RAISE(fit.trusted, spuna::c::ListPaths(trusted, num_trusted, "trusted"));
    }
    ARROW_ASSIGN_OR_RAISE(fit.pool, spuna::c::ListPaths(pool, num_pool, "pool"));
    ARROW_ASSIGN_OR_RAISE(
        spuna::ReviewReport report,
        spuna::Run(parsed.job, spuna::c::MakeRuntime(parsed.num_threads, callbacks),
                   spuna::c::ModelOf(model)));
    *out_list = spuna::c::Wrap(std::move(report));
    return arrow::Status::OK();
  });
}

void spuna_review_list_free(spuna_review_list* list) { delete list; }

spuna_code spuna_review_list_rows(const spuna_review_list* list, ArrowArrayStream* out,
                                  spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(list, "list"));
    ARROW_RETURN_NOT_OK(RequireArgument(out, "out"));
    ARROW_ASSIGN_OR_RAISE(auto table, spuna::TableOf(list->report.list));
    ARROW_ASSIGN_OR_RAISE(
        auto rows, arrow::RecordBatchReader::Make({std::move(table)}, spuna::ReviewSchema()));
    return spuna::c::GiveStream(std::move(rows), out);
  });
}

spuna_code spuna_review_list_page(const spuna_review_list* list, char** out_html,
                                  spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(list, "list"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_html, "out_html"));
    *out_html = spuna::c::CopyText(spuna::RenderReviewPage(spuna::PageOf(list->report.list)));
    return arrow::Status::OK();
  });
}

spuna_code spuna_review_list_summary(const spuna_review_list* list, char** out_text,
                                     spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(list, "list"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_text, "out_text"));
    *out_text = spuna::c::CopyText(spuna::InCallWords(spuna::Summarize(list->report)));
    return arrow::Status::OK();
  });
}

spuna_code spuna_review_list_describe(const spuna_review_list* list, char** out_json,
                                      spuna_error* error) {
  return Guard(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(RequireArgument(list, "list"));
    ARROW_RETURN_NOT_OK(RequireArgument(out_json, "out_json"));
    *out_json = spuna::c::CopyText(spuna::DumpJson(spuna::ToJson(list->report)));
    return arrow::Status::OK();
  });
}

}  // extern "C"
