/* Fits on two Parquet files and counts the rows of the second that are worth keeping.
 *
 *   clean_in_c TRUSTED.parquet POOL.parquet MODEL.safetensors
 */
#include <stdio.h>
#include <string.h>

#include "plugin/c/spuna.h"

static int fail(const spuna_error* error) {
  fprintf(stderr, "clean_in_c: %s\n", error->message);
  return 1;
}

/* The position of a column, or -1. */
static int64_t find_column(const struct ArrowSchema* schema, const char* name) {
  for (int64_t i = 0; i < schema->n_children; ++i) {
    if (strcmp(schema->children[i]->name, name) == 0) return i;
  }
  return -1;
}

/* How many rows of a boolean column are true. */
static int64_t count_true(const struct ArrowArray* column) {
  const uint8_t* valid = column->buffers[0];
  const uint8_t* bits = column->buffers[1];
  int64_t count = 0;
  for (int64_t i = column->offset; i < column->offset + column->length; ++i) {
    const int is_valid = valid == NULL || ((valid[i / 8] >> (i % 8)) & 1);
    count += is_valid && ((bits[i / 8] >> (i % 8)) & 1);
  }
  return count;
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: clean_in_c TRUSTED.parquet POOL.parquet MODEL.safetensors\n");
    return 2;
  }
  spuna_error error;
  struct ArrowArrayStream trusted;
  struct ArrowArrayStream pool;
  struct ArrowArrayStream cleaned;
  const char* trusted_paths[] = {argv[1]};
  const char* pool_paths[] = {argv[2]};
  if (spuna_read_parquet(trusted_paths, 1, NULL, &trusted, &error) != SPUNA_OK) return fail(&error);
  if (spuna_read_parquet(pool_paths, 1, NULL, &pool, &error) != SPUNA_OK) {
    trusted.release(&trusted);
    return fail(&error);
  }

  /* Takes both streams over, whatever happens. */
  spuna_model* model = NULL;
  if (spuna_clean_stream(&trusted, &pool, "{\"seed\": 0, \"threads\": 2}", NULL, &cleaned, &model,
                         &error) != SPUNA_OK) {
    return fail(&error);
  }
  const spuna_code saved = spuna_model_save(model, argv[3], /*overwrite=*/1, &error);
  spuna_model_free(model);
  if (saved != SPUNA_OK) {
    cleaned.release(&cleaned);
    return fail(&error);
  }

  struct ArrowSchema schema;
  if (cleaned.get_schema(&cleaned, &schema) != 0) {
    fprintf(stderr, "clean_in_c: %s\n", cleaned.get_last_error(&cleaned));
    cleaned.release(&cleaned);
    return 1;
  }
  const int64_t keep = find_column(&schema, "spuna_keep");
  schema.release(&schema);
  int64_t rows = 0;
  int64_t kept = 0;
  for (;;) {
    struct ArrowArray batch;
    if (cleaned.get_next(&cleaned, &batch) != 0) {
      fprintf(stderr, "clean_in_c: %s\n", cleaned.get_last_error(&cleaned));
      cleaned.release(&cleaned);
      return 1;
    }
    if (batch.release == NULL) break;
    rows += batch.length;
    kept += count_true(batch.children[keep]);
    batch.release(&batch);
  }
  cleaned.release(&cleaned);
  printf("keep %lld of %lld rows\n", (long long)kept, (long long)rows);
  return 0;
}
