"""spuna over Ray Data: score where the rows are.

>>> scored = spuna.ray.score(ray.data.read_parquet("lake"), spuna.Model.load("model.safetensors"))  # doctest: +SKIP
>>> scored.write_parquet("lake-scored")                                                              # doctest: +SKIP

The package must be installed on the workers too: ``pip install 'spuna[ray]'``.
"""

from __future__ import annotations

from typing import Any

try:
    import ray.data
except ModuleNotFoundError as error:
    raise ImportError(f"spuna.ray needs Ray Data: {error}; pip install 'spuna[ray]'") from error

import pyarrow as pa

from . import _spuna
from ._api import Model
from ._calls import dump
from ._worker import load_model

__all__ = ["score"]


def score(
    ds: ray.data.Dataset,
    model: Model,
    *,
    threads: int = 1,
    ray_args: dict[str, Any] | None = None,
    **options: Any,
) -> ray.data.Dataset:
    """The rows of `ds` with ``spuna_score`` and ``spuna_keep`` appended, block by block, when asked for.

    Options are those of :meth:`spuna.Model.score`: embedding, by, prefix, invalid, neighbors, drop, columns,
    replace. A worker reads the model once and scores on one thread, since Ray runs a task for each core.
    `ray_args` go to ``Dataset.map_batches``, such as ``{"num_cpus": 0.5, "batch_size": 4096}``.
    """
    options = {"threads": threads, **options}
    _spuna.check_score(dump(options))
    data = model.to_bytes()

    def run(table: pa.Table) -> pa.Table:
        if table.num_columns == 0:  # an empty block has no columns either
            return table
        return pa.table(load_model(data).score(table, **options))

    return ds.map_batches(
        run, **{"batch_size": None, **(ray_args or {})}, batch_format="pyarrow", zero_copy_batch=True
    )
