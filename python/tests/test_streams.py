import gc
import sys

import numpy as np
import pyarrow as pa
import pytest
from conftest import embeddings

import spuna


def test_rows_can_be_read_as_often_as_their_input(sample, pool, model):
    for source in (pool, sample / "pool.parquet", embeddings(pool)):
        rows = model.score(source)
        assert pa.table(rows).equals(pa.table(rows))
    rows = model.score(pool.to_reader())
    pa.table(rows)
    with pytest.raises(ValueError, match="can be read only once; pass a table or a path"):
        pa.table(rows)
    # A clean holds what can be read only once.
    cleaned = spuna.clean(sample / "trusted.parquet", pool.to_reader(), epochs=1)
    assert pa.table(cleaned).equals(pa.table(cleaned))


class Once:
    """Hands out one reader, and does not show it."""

    def __init__(self, reader):
        self.reader = reader

    def __arrow_c_stream__(self, requested_schema=None):
        return self.reader.__arrow_c_stream__()


def test_what_does_not_show_that_it_can_be_read_again_is_held(sample, pool, model):
    for source in (Once(pool.to_reader()), model.score(pool.to_reader(), prefix="a_")):
        cleaned = spuna.clean(sample / "trusted.parquet", source, epochs=1)
        assert pa.table(cleaned).num_rows == pool.num_rows


def test_results_are_lazy(pool, model):
    taken = []

    def batches():
        for batch in pool.to_batches(max_chunksize=100):
            taken.append(batch.num_rows)
            yield batch

    reader = pa.RecordBatchReader.from_batches(pool.schema, batches())
    scored = pa.RecordBatchReader.from_stream(model.score(reader))
    assert taken == []
    assert scored.read_next_batch().num_rows == 100
    assert len(taken) == 1


def test_an_error_of_the_input_comes_through(model, pool):
    def batches():
        yield pool.to_batches()[0]
        raise RuntimeError("the source is broken")

    reader = pa.RecordBatchReader.from_batches(pool.schema, batches())
    with pytest.raises(Exception, match="the source is broken"):
        pa.table(model.score(reader))


def test_arrays_are_held_and_given_back(model):
    matrix = np.zeros((10, model.dimension), np.float32)
    before = sys.getrefcount(matrix)
    capsule = model.score(matrix).__arrow_c_stream__()
    assert sys.getrefcount(matrix) > before
    table = pa.table(_Holder(capsule))
    del capsule
    assert sys.getrefcount(matrix) > before
    del table
    gc.collect()
    assert sys.getrefcount(matrix) == before
    # A capsule that nobody reads gives it back too.
    del_me = model.score(matrix).__arrow_c_stream__()
    del del_me
    gc.collect()
    assert sys.getrefcount(matrix) == before


class _Holder:
    def __init__(self, capsule):
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema=None):
        return self.capsule
