/* One expansion over many processes: a part of spuna.h, which includes it.
// Its source is partition.cc. */
#ifndef SPUNA_PARTITION_H
#define SPUNA_PARTITION_H

#include "plugin/c/spuna.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A part of a pool whose labels are expanded by many processes. */
typedef struct spuna_partition spuna_partition;

/* The spectral entropy of a growing set of rows. */
typedef struct spuna_entropy spuna_entropy;

/* One expansion over many processes, by the paper's recipe. Each holds parts of the pool; one
 * leads, ranks the scores of all parts by (score, number of the row), and tells every part which
 * rows got a label. The scores are those of one process that holds all rows, bit for bit, and so
 * are the labels. python/spuna/_expansion.py is such a leader.
 *
 * A part may be used by one thread at a time. */

/* The rows of a stream as a part: row i has the number `first_number` + i, and rows that are null
 * or not finite are left out. Options: embedding, invalid, k. */
SPUNA_EXPORT spuna_code spuna_partition_read(struct ArrowArrayStream* rows, int64_t first_number,
                                             const char* options, spuna_partition** out_partition,
                                             spuna_error* error);
/* NULL is allowed. */
SPUNA_EXPORT void spuna_partition_free(spuna_partition* partition);

/* The rows without a label: how many, their dimension (0 where there never was a row), their
 * numbers, ascending, and their values, row by row. The arrays belong to the part and last until it
 * is changed or freed. */
SPUNA_EXPORT int64_t spuna_partition_num_rows(const spuna_partition* partition);
SPUNA_EXPORT int64_t spuna_partition_dimension(const spuna_partition* partition);
SPUNA_EXPORT const int64_t* spuna_partition_numbers(const spuna_partition* partition);
SPUNA_EXPORT const float* spuna_partition_values(const spuna_partition* partition);

typedef enum spuna_bank {
  SPUNA_BANK_CLEAN = 0,  /* trusted and pseudo-clean rows */
  SPUNA_BANK_SHIFTED = 1 /* pseudo-shifted rows */
} spuna_bank;

/* Tells a part of rows, row by row, that joined a bank. Options: neighbors, threads. */
SPUNA_EXPORT spuna_code spuna_partition_merge(spuna_partition* partition, spuna_bank bank,
                                              const float* values, int64_t num_rows,
                                              int64_t dimension, const char* options,
                                              spuna_error* error);

typedef enum spuna_ranking {
  SPUNA_RANKING_SEEDS = 0, /* the distance to the nearest row of the clean bank */
  SPUNA_RANKING_ROUND = 1  /* mean distance to the k nearest shifted rows less that to clean ones */
} spuna_ranking;

/* Writes a score for each row of the part. */
SPUNA_EXPORT spuna_code spuna_partition_scores(const spuna_partition* partition,
                                               spuna_ranking ranking, double* out_scores,
                                               spuna_error* error);

/* Removes the rows with these numbers, ascending; numbers of other parts are passed over. */
SPUNA_EXPORT spuna_code spuna_partition_remove(spuna_partition* partition, const int64_t* numbers,
                                               int64_t num_numbers, spuna_error* error);

/* The part as bytes, for a process of the same version on a machine of the same byte order.
 * `out_bytes` is to be freed by spuna_string_free. A part that never had a row has none. */
SPUNA_EXPORT spuna_code spuna_partition_serialize(const spuna_partition* partition,
                                                  char** out_bytes, size_t* out_size,
                                                  spuna_error* error);
SPUNA_EXPORT spuna_code spuna_partition_parse(const void* bytes, size_t size,
                                              spuna_partition** out_partition, spuna_error* error);

/* The spectral entropy of pseudo-shifted rows, which ends an expansion when it falls. Each call of
 * add takes the rows of a round, in the order of their numbers, and gives the entropy of all. */
SPUNA_EXPORT spuna_code spuna_entropy_make(int64_t dimension, spuna_entropy** out_entropy,
                                           spuna_error* error);
SPUNA_EXPORT spuna_code spuna_entropy_add(spuna_entropy* entropy, const float* values,
                                          int64_t num_rows, double* out_value, spuna_error* error);
/* NULL is allowed. */
SPUNA_EXPORT void spuna_entropy_free(spuna_entropy* entropy);

#ifdef __cplusplus
}
#endif

#endif /* SPUNA_PARTITION_H */
