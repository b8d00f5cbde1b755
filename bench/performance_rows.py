"""Makes the rows that performance.py measures on, and their files."""

import numpy as np


def clustered(count, dimension, seed, shift=0.0):
    """Rows with the spread of real embeddings: variances that fall off, and clusters."""
    random = np.random.default_rng(seed)
    scale = (1 + np.arange(dimension)) ** -0.25
    centers = np.random.default_rng(7).standard_normal((20, dimension)) * 0.5
    rows = random.standard_normal((count, dimension)) + centers[random.integers(0, 20, count)]
    rows[: count // 2, : dimension // 8 + 1] += shift
    return (rows * scale).astype(np.float32)


def write_rows(path, rows):
    rows.tofile(path)
    return path


def write_parquet(path, rows, compression, rows_per_group, split=False):
    import pyarrow
    import pyarrow.parquet

    values = pyarrow.array(rows.ravel())
    table = pyarrow.table(
        {
            "id": np.arange(len(rows)),
            "embedding": pyarrow.FixedSizeListArray.from_arrays(values, rows.shape[1]),
        }
    )
    encoding = {"embedding.list.element": "BYTE_STREAM_SPLIT"} if split else None
    pyarrow.parquet.write_table(
        table,
        path,
        compression=compression,
        row_group_size=rows_per_group,
        use_dictionary=["id"],
        column_encoding=encoding,
    )
    return path
