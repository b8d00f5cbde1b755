"""What a process of a cluster does with the rows it is given."""

from __future__ import annotations

import functools
import itertools
from typing import Any, Iterable, Iterator

from ._api import Model


@functools.lru_cache(maxsize=4)
def load_model(data: bytes) -> Model:
    """The model with these bytes, read once in a process."""
    return Model.from_bytes(data)


def score_batches(data: bytes, batches: Iterable[Any], options: dict[str, Any]) -> Iterator[Any]:
    """Scores record batches of pyarrow as one stream: each is read when the scores of the last are out."""
    import pyarrow as pa

    batches = iter(batches)
    first = next(batches, None)
    if first is None:  # nothing tells the columns, and nobody asks
        return
    reader = pa.RecordBatchReader.from_batches(first.schema, itertools.chain([first], batches))
    yield from pa.RecordBatchReader.from_stream(load_model(data).score(reader, **options))
