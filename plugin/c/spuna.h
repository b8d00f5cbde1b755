/* The C interface of spuna: Arrow streams in, Arrow streams out.
 *
 * Rows come and go as struct ArrowArrayStream (the Arrow C stream interface); no type of Arrow C++
 * and no exception crosses this line. Every function that can fail returns a spuna_code, and fills
 * `error`, if it is not NULL, with a message that says what was expected, what was found, and
 * where.
 *
 * Options are a JSON object whose keys are the options of the command `spuna`, with '_' for '-':
 * {"alpha": 20, "invalid": "error", "threads": 2}. NULL or "" takes all defaults. An unknown key is
 * an error that suggests the nearest and lists the known ones. Pools of more than `fit_rows` rows
 * are sampled.
 *
 * A stream of struct arrays is a stream of record batches, as every tool makes them. A stream of
 * other arrays is taken for one column, `embedding`.
 *
 * Streams that are passed in are consumed: the function takes them over (their `release` becomes
 * NULL) whether it succeeds or not. Streams that are handed out belong to the caller, who releases
 * them; they may outlive the model they were made with.
 *
 * Thread safety: every function may be called from any thread, several at a time. A spuna_model is
 * immutable, so any number of threads may use one; only freeing it must happen once, after the last
 * call that names it has returned. A stream may be moved between threads, but not used by two at a
 * time. Callbacks come from the thread that made the call, `should_stop` from others too.
 */
#ifndef SPUNA_H
#define SPUNA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPUNA_EXPORT __attribute__((visibility("default")))

/* Grows with every change that breaks callers; compare it with spuna_abi_version(). */
#define SPUNA_ABI_VERSION 1

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif /* ARROW_C_DATA_INTERFACE */

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif /* ARROW_C_STREAM_INTERFACE */

typedef enum spuna_code {
  SPUNA_OK = 0,
  SPUNA_INVALID = 1,       /* an argument, an option or the data can't be used */
  SPUNA_IO = 2,            /* a file can't be read or written */
  SPUNA_OUT_OF_MEMORY = 3, /* there is not enough memory */
  SPUNA_CANCELLED = 4,     /* should_stop said so */
  SPUNA_FAILED = 5         /* anything else */
} spuna_code;

/* Room for a message. Always ends with a zero byte; what is longer is cut. */
typedef struct spuna_error {
  char message[4096];
} spuna_error;

/* A fitted model. */
typedef struct spuna_model spuna_model;

/* A pool that was cleaned. */
typedef struct spuna_cleaned spuna_cleaned;

/* Rows that a person shall look at. */
typedef struct spuna_review_list spuna_review_list;

/* Whom a long call asks and tells. All members may be NULL. */
typedef struct spuna_callbacks {
  /* Asked often, from any thread; nonzero ends the call with SPUNA_CANCELLED. */
  int (*should_stop)(void* context);
  /* The running stage ("read", "seed", "expand", ...) and how much of it is done, from 0 to 1, or
   * below 0 where nobody knows. */
  void (*on_progress)(void* context, const char* stage, double done);
  void* context;
} spuna_callbacks;

/* "0.1.0" */
SPUNA_EXPORT const char* spuna_version(void);
/* SPUNA_ABI_VERSION of the library, which may differ from that of this header. */
SPUNA_EXPORT int32_t spuna_abi_version(void);

/* Fits a model on trusted rows and a pool. `callbacks` may be NULL.
 * Options: those of `spuna fit`, and keep_banks. */
SPUNA_EXPORT spuna_code spuna_fit(struct ArrowArrayStream* trusted, struct ArrowArrayStream* pool,
                                  const char* options, const spuna_callbacks* callbacks,
                                  spuna_model** out_model, spuna_error* error);

/* The same fit on Parquet files and directories, reading nothing but the embeddings: what the
 * command `spuna fit` does. `out_skipped`, if not NULL, gets the files of the pool that were
 * skipped as a JSON list of objects with path, reason and kind
 * ("corrupt" or "not allowed"), to be freed by spuna_string_free. */
SPUNA_EXPORT spuna_code spuna_fit_files(const char* const* trusted, size_t num_trusted,
                                        const char* const* pool, size_t num_pool,
                                        const char* options, const spuna_callbacks* callbacks,
                                        spuna_model** out_model, char** out_skipped,
                                        spuna_error* error);

/* The rows of `input` with spuna_score and spuna_keep appended, scored batch by batch as they are
 * asked for. Options: those of `spuna score`, and drop. */
SPUNA_EXPORT spuna_code spuna_score_stream(const spuna_model* model, struct ArrowArrayStream* input,
                                           const char* options, struct ArrowArrayStream* out,
                                           spuna_error* error);

/* The rows of Parquet files and directories the same way; the options have on_bad_file. The rows of
 * a file that turns out to be damaged when it is read can't be taken back: that is an error.
 * `out_skipped` as of spuna_fit_files. */
SPUNA_EXPORT spuna_code spuna_score_files(const spuna_model* model, const char* const* paths,
                                          size_t num_paths, const char* options,
                                          struct ArrowArrayStream* out, char** out_skipped,
                                          spuna_error* error);

/* spuna_clean, of which only the rows and the model are wanted. The pool is held in memory.
 * `out_model`, if not NULL, gets the model too. Options: those of `spuna clean`. */
SPUNA_EXPORT spuna_code spuna_clean_stream(struct ArrowArrayStream* trusted,
                                           struct ArrowArrayStream* pool, const char* options,
                                           const spuna_callbacks* callbacks,
                                           struct ArrowArrayStream* out, spuna_model** out_model,
                                           spuna_error* error);

/* Opens rows again that were read before: writes a new stream of the same rows and returns 0, or
 * returns another number. `open` may be called from any thread that uses what it was given to;
 * `release`, which may be NULL, is called once, when nothing will be opened any more. */
typedef struct spuna_reopen {
  int (*open)(void* context, struct ArrowArrayStream* out);
  void (*release)(void* context);
  void* context;
} spuna_reopen;

/* Fits on both streams, then scores and counts the pool. The pool is read again by `reopen`, or
 * held in memory where that is NULL. Options: those of `spuna clean` but for its outputs. */
SPUNA_EXPORT spuna_code spuna_clean(struct ArrowArrayStream* trusted, struct ArrowArrayStream* pool,
                                    const spuna_reopen* reopen, const char* options,
                                    const spuna_callbacks* callbacks, spuna_cleaned** out_cleaned,
                                    spuna_error* error);
/* The same on Parquet files and directories: what the command `spuna clean` does, but that it
 * writes nothing. */
SPUNA_EXPORT spuna_code spuna_clean_files(const char* const* trusted, size_t num_trusted,
                                          const char* const* pool, size_t num_pool,
                                          const char* options, const spuna_callbacks* callbacks,
                                          spuna_cleaned** out_cleaned, spuna_error* error);
/* NULL is allowed. */
SPUNA_EXPORT void spuna_cleaned_free(spuna_cleaned* cleaned);

/* The model, which may outlive what was cleaned. */
SPUNA_EXPORT spuna_code spuna_cleaned_model(const spuna_cleaned* cleaned, spuna_model** out_model,
                                            spuna_error* error);
/* The pool's rows with spuna_score and spuna_keep, scored as they are asked for. Files keep the
 * order in which they were given; columns that some of them lack are null there, and the keys of
 * hive partitions are columns of strings. May be called again and again. */
SPUNA_EXPORT spuna_code spuna_cleaned_rows(const spuna_cleaned* cleaned,
                                           struct ArrowArrayStream* out, spuna_error* error);
/* What `spuna clean` prints, as text and as the JSON object of its option json, with shift_distance
 * and kinds as where it writes reasons; both are freed by spuna_string_free. */
SPUNA_EXPORT spuna_code spuna_cleaned_summary(const spuna_cleaned* cleaned, char** out_text,
                                              spuna_error* error);
SPUNA_EXPORT spuna_code spuna_cleaned_describe(const spuna_cleaned* cleaned, char** out_json,
                                               spuna_error* error);
/* The numbers of the rows that are kept, or where `kept` is 0 of those that are dropped, from 0, in
 * the order of spuna_cleaned_rows without the option drop; freed by spuna_string_free. */
SPUNA_EXPORT spuna_code spuna_cleaned_numbers(const spuna_cleaned* cleaned, int32_t kept,
                                              int64_t** out_numbers, size_t* out_count,
                                              spuna_error* error);
/* The same as a JSON list of the rows' ids, as texts or null; "null" where the option id was not
 * given. */
SPUNA_EXPORT spuna_code spuna_cleaned_ids(const spuna_cleaned* cleaned, int32_t kept,
                                          char** out_json, spuna_error* error);
/* Why rows are dropped, as docs/decisions.md lists it: as rows, and as the Parquet file that
 * `spuna clean` writes. */
SPUNA_EXPORT spuna_code spuna_cleaned_reasons(const spuna_cleaned* cleaned,
                                              const spuna_callbacks* callbacks,
                                              struct ArrowArrayStream* out, spuna_error* error);
SPUNA_EXPORT spuna_code spuna_cleaned_write_reasons(const spuna_cleaned* cleaned, const char* path,
                                                    int32_t overwrite,
                                                    const spuna_callbacks* callbacks,
                                                    spuna_error* error);
/* Writes the HTML page that `spuna clean` writes. */
SPUNA_EXPORT spuna_code spuna_cleaned_write_report(const spuna_cleaned* cleaned, const char* path,
                                                   int32_t overwrite,
                                                   const spuna_callbacks* callbacks,
                                                   spuna_error* error);

/* What a clean of files would take: `spuna plan`. `out`, where it would write, may be NULL, and
 * `overwrite` says whether it may exist. The result is what the command prints, as JSON and as
 * text, both freed by spuna_string_free. */
SPUNA_EXPORT spuna_code spuna_plan_files(const char* const* trusted, size_t num_trusted,
                                         const char* const* pool, size_t num_pool, const char* out,
                                         int32_t overwrite, const char* options,
                                         const spuna_callbacks* callbacks, char** out_json,
                                         char** out_text, spuna_error* error);

/* Watches one batch of new rows for shift: `spuna monitor`. Options: those of the command; `state`,
 * `metrics` and `report` name files that it writes. The result as of spuna_plan_files. */
SPUNA_EXPORT spuna_code spuna_monitor(const spuna_model* model, struct ArrowArrayStream* input,
                                      const char* options, const spuna_callbacks* callbacks,
                                      char** out_json, char** out_text, spuna_error* error);
SPUNA_EXPORT spuna_code spuna_monitor_files(const spuna_model* model, const char* const* paths,
                                            size_t num_paths, const char* options,
                                            const spuna_callbacks* callbacks, char** out_json,
                                            char** out_text, spuna_error* error);

/* Chooses rows of a pool that a person shall look at: `spuna review`, but that it writes nothing.
 * It fits on both streams, or chooses by `model` where that is not NULL; then `trusted` may be
 * NULL. Options: those of the command; "reviewed" lists the files of what was said before. The rows
 * are held in files of the temporary directory (TMPDIR) during the call.
 *
 * What the person said is passed on by "reviewed", which spuna_fit and spuna_clean take as well:
 * files with the columns verdict (shifted, clean or unsure) and id, or file and row. */
SPUNA_EXPORT spuna_code spuna_review(struct ArrowArrayStream* trusted,
                                     struct ArrowArrayStream* pool, const spuna_model* model,
                                     const char* options, const spuna_callbacks* callbacks,
                                     spuna_review_list** out_list, spuna_error* error);
/* The same on Parquet files and directories. With a model `num_trusted` may be 0. */
SPUNA_EXPORT spuna_code spuna_review_files(const char* const* trusted, size_t num_trusted,
                                           const char* const* pool, size_t num_pool,
                                           const spuna_model* model, const char* options,
                                           const spuna_callbacks* callbacks,
                                           spuna_review_list** out_list, spuna_error* error);
/* NULL is allowed. */
SPUNA_EXPORT void spuna_review_list_free(spuna_review_list* list);
/* The rows, as the command's option list writes them: id, file, row, score, keep, why, probability,
 * input and verdict, which is null where a person has to fill it in. May be called again. */
SPUNA_EXPORT spuna_code spuna_review_list_rows(const spuna_review_list* list,
                                               struct ArrowArrayStream* out, spuna_error* error);
/* The HTML page on which a person says what the rows are, what the command prints, and its JSON
 * object; all are freed by spuna_string_free. */
SPUNA_EXPORT spuna_code spuna_review_list_page(const spuna_review_list* list, char** out_html,
                                               spuna_error* error);
SPUNA_EXPORT spuna_code spuna_review_list_summary(const spuna_review_list* list, char** out_text,
                                                  spuna_error* error);
SPUNA_EXPORT spuna_code spuna_review_list_describe(const spuna_review_list* list, char** out_json,
                                                   spuna_error* error);

/* Compares a column of scores with a column of truth (boolean or 0/1, true is shifted). The result
 * is a JSON object with auroc, aupr, fpr95, rows and rows_skipped, to be freed by
 * spuna_string_free. */
SPUNA_EXPORT spuna_code spuna_evaluate_stream(struct ArrowArrayStream* input, const char* truth,
                                              const char* score, const spuna_callbacks* callbacks,
                                              char** out_json, spuna_error* error);
/* The same on Parquet files and directories; a column may be a key of hive partitions. */
SPUNA_EXPORT spuna_code spuna_evaluate_files(const char* const* paths, size_t num_paths,
                                             const char* truth, const char* score,
                                             const spuna_callbacks* callbacks, char** out_json,
                                             spuna_error* error);

/* Whether spuna_clean_stream would take these options, and this pool's columns: for finding out
 * before a long fit. `pool`, which may be NULL, is consumed unread. */
SPUNA_EXPORT spuna_code spuna_check_clean(struct ArrowArrayStream* pool, const char* options,
                                          spuna_error* error);
/* Whether spuna_score_stream would take these options. */
SPUNA_EXPORT spuna_code spuna_check_score(const char* options, spuna_error* error);
/* The options of a clean, checked and split into those of its two halves, for whoever fits and
 * scores by two calls: spuna_fit or spuna_fit_files, then spuna_score_stream. Both texts are freed
 * with spuna_string_free. */
SPUNA_EXPORT spuna_code spuna_split_clean_options(const char* options, char** out_fit,
                                                  char** out_score, spuna_error* error);

/* Model files are safetensors. Saving writes a temporary sibling and renames it; an existing file
 * is an error unless `overwrite` is nonzero. */
SPUNA_EXPORT spuna_code spuna_model_load(const char* path, spuna_model** out_model,
                                         spuna_error* error);
SPUNA_EXPORT spuna_code spuna_model_save(const spuna_model* model, const char* path,
                                         int32_t overwrite, spuna_error* error);
/* NULL is allowed. */
SPUNA_EXPORT void spuna_model_free(spuna_model* model);

/* The bytes of a model file, in memory. `out_bytes` is to be freed by spuna_string_free. */
SPUNA_EXPORT spuna_code spuna_model_serialize(const spuna_model* model, char** out_bytes,
                                              size_t* out_size, spuna_error* error);
SPUNA_EXPORT spuna_code spuna_model_parse(const void* bytes, size_t size, spuna_model** out_model,
                                          spuna_error* error);

/* What the user of a model should know before trusting it, as a JSON list of texts, to be freed by
 * spuna_string_free: no shift was found, there are few trusted rows, ... */
SPUNA_EXPORT spuna_code spuna_model_warnings(const spuna_model* model, char** out_json,
                                             spuna_error* error);
/* What a model says of itself, as a JSON object, to be freed by spuna_string_free. */
SPUNA_EXPORT spuna_code spuna_model_describe(const spuna_model* model, char** out_json,
                                             spuna_error* error);

/* The rows of Parquet files and directories as one stream, read as they are asked for. Options:
 * {"argument": "pool"} is what messages call the paths; {"only_embedding": true, "embedding":
 * "name"} reads that column alone; {"all_files": true} reads files of any name in directories.
 * Files may differ in other columns: those that some lack are null there. */
SPUNA_EXPORT spuna_code spuna_read_parquet(const char* const* paths, size_t num_paths,
                                           const char* options, struct ArrowArrayStream* out,
                                           spuna_error* error);

/* Whether a file may be written at `path` without touching what `inputs` name: it must not be one
 * of their files nor lie within their directories, and no pattern of theirs may match it.
 * `argument` and `inputs_argument` are what messages call them. */
SPUNA_EXPORT spuna_code spuna_check_output(const char* path, const char* argument,
                                           const char* const* inputs, size_t num_inputs,
                                           const char* inputs_argument, spuna_error* error);

/* One Arrow array as a stream of one batch: a struct array is a batch of its columns, an array of
 * embeddings a batch with one column `embedding`. Both structs are consumed. */
SPUNA_EXPORT spuna_code spuna_array_stream(struct ArrowSchema* schema, struct ArrowArray* array,
                                           struct ArrowArrayStream* out, spuna_error* error);

/* A matrix of float32, row by row, as a stream with one column `embedding` (fixed-size list). The
 * values are not copied: `release(owner)` is called, from any thread, when the stream and all that
 * came from it are gone, or when this call fails. `release` may be NULL. */
SPUNA_EXPORT spuna_code spuna_matrix_stream(const float* values, int64_t num_rows,
                                            int64_t dimension, void (*release)(void* owner),
                                            void* owner, struct ArrowArrayStream* out,
                                            spuna_error* error);

/* Frees what a function of this interface handed out as char* or int64_t*. NULL is allowed. */
SPUNA_EXPORT void spuna_string_free(void* text);

#ifdef __cplusplus
}
#endif

#include "plugin/c/spuna_partition.h"

#endif /* SPUNA_H */
