"""Columns of a stream by their names, and the scores that are read that way."""

import gc
import weakref

import numpy as np
import pyarrow as pa
import pytest

import spuna
from spuna import _spuna

FLOATS = [0.5, None, 0.25, 2.0, None, -1.0, float("inf"), 3.5, 4.5, 5.5]
BOOLEANS = [True, False, None, True, True, False, False, None, True, False]


def as_floats(values):
    return np.array([np.nan if value is None else value for value in values], np.float32)


def read(data, *names):
    return _spuna.read_columns(data.__arrow_c_stream__(), list(names))


def check(data, rows):
    """Whether the columns of `data` are those of these rows."""
    floats, booleans = read(data, "f", "b")
    assert floats.dtype == booleans.dtype == np.float32
    np.testing.assert_array_equal(floats, as_floats([FLOATS[i] for i in rows]))
    np.testing.assert_array_equal(booleans, as_floats([BOOLEANS[i] for i in rows]))


@pytest.fixture
def table():
    return pa.table({"b": BOOLEANS, "word": ["x"] * 10, "f": pa.array(FLOATS, pa.float32())})


def test_columns_are_read_by_name_in_the_order_asked_for(table):
    check(table, range(10))
    floats, _, again = read(table, "f", "b", "f")
    np.testing.assert_array_equal(floats, again)
    assert read(table) == []


@pytest.mark.parametrize("start", [0, 1, 7, 8, 9, 10])
@pytest.mark.parametrize("length", [0, 1, 2, 9])
def test_columns_of_slices(table, start, length):
    check(table.slice(start, length), range(start, min(start + length, 10)))


@pytest.mark.parametrize("start", [0, 1, 3, 8])
@pytest.mark.parametrize("before", [0, 1, 9])
def test_batches_with_an_offset_of_their_own(table, start, before):
    padded = pa.concat_tables([table.slice(0, before), table])
    columns = [padded[name].combine_chunks().slice(before) for name in table.column_names]
    rows = pa.StructArray.from_arrays(columns, table.column_names)
    batches = pa.chunked_array([rows.slice(start, 2), rows.slice(start, 0), rows.slice(start)])
    check(batches, [start, start + 1, *range(start, 10)])


def test_a_null_batch_row_is_null_in_every_column(table):
    columns = [table[name].combine_chunks() for name in table.column_names]
    mask = pa.array([i == 3 for i in range(10)])
    rows = pa.StructArray.from_arrays(columns, table.column_names, mask=mask)
    for start in (0, 2):
        floats, booleans = read(pa.chunked_array([rows.slice(start)]), "f", "b")
        assert np.isnan([floats[3 - start], booleans[3 - start]]).all()
        assert (floats[7 - start], booleans[8 - start]) == (3.5, 1)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pa.table({"a": [1.0], "c": [True]}), "there is no column 'f'; the columns are 'a', 'c'"),
        (pa.table({}), "there is no column 'f'; the stream has no columns"),
        (pa.table([pa.array([1.0], pa.float32())] * 3, ["f", "g", "f"]),
         "column 'f': expected it once but found it 2 times"),
        (pa.table({"f": [1.0]}),
         "column 'f': expected float32 or boolean but found Arrow format 'g'"),
        (pa.table({"f": pa.array(["x"]).dictionary_encode()}), "column 'f': .* Arrow format 'i'"),
        (pa.chunked_array([[1, 2]]),
         "expected a stream of record batches but found arrays of Arrow format 'l'"),
    ],
)
def test_columns_that_cannot_be_read(data, message):
    with pytest.raises(ValueError, match=message):
        read(data, "f")


def test_a_stream_can_be_read_once(table):
    capsule = table.__arrow_c_stream__()
    pa.table(Capsule(capsule))
    with pytest.raises(ValueError, match="the stream has been read already"):
        _spuna.read_columns(capsule, ["f"])


class Capsule:
    def __init__(self, capsule):
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema=None):
        return self.capsule


@pytest.mark.parametrize("fails", [False, True])
def test_what_was_read_is_released(fails):
    values = np.arange(8, dtype=np.float32)
    gone = weakref.ref(values)
    batch = pa.record_batch({"f": pa.array(values)})
    assert batch["f"].buffers()[1].address == values.ctypes.data

    def batches():
        yield batch  # noqa: F821
        if fails:
            raise RuntimeError("the source is broken")

    before = pa.total_allocated_bytes()
    reader = pa.RecordBatchReader.from_batches(batch.schema, batches())
    if fails:
        with pytest.raises(ValueError, match="the source is broken"):
            read(reader, "f")
    else:
        np.testing.assert_array_equal(read(reader, "f")[0], values)
    del values, batch, reader, batches
    gc.collect()
    assert gone() is None
    assert pa.total_allocated_bytes() <= before


@pytest.fixture(scope="module")
def calibrated(quick):
    options, trusted, pool = quick
    return spuna.fit(trusted, pool, max_clean_loss=0.1, **options)


def with_other_columns(pool):
    """The pool among other columns of floats, with names that look like ours."""
    numbers = pa.array(np.linspace(5, 6, len(pool)), pa.float32())
    rows = pa.FixedSizeListArray.from_arrays(pa.array(pool.reshape(-1)), pool.shape[1])
    names = ["score", "embedding", "spuna_scores", "neighbor_score", "a"]
    return pa.table([numbers, rows, numbers, numbers, numbers], names)


@pytest.mark.parametrize("prefix", ["spuna_", "my_", ""])
@pytest.mark.parametrize("p_values", [False, True])
def test_scores_are_the_column_of_scores(quick, calibrated, prefix, p_values):
    pool = quick[2]
    expected = pa.table(calibrated.score(pool))["spuna_score"].to_numpy()
    np.testing.assert_array_equal(calibrated.scores(pool, prefix="my_", p_values=p_values), expected)
    data = with_other_columns(pool)
    if not prefix:
        data = data.drop_columns(["score"])
    found = calibrated.scores(data, prefix=prefix, p_values=p_values)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("p_values", [False, True])
def test_scores_of_the_rows_that_are_kept(quick, calibrated, p_values):
    pool = quick[2]
    table = pa.table(calibrated.score(pool))
    kept = table["spuna_score"].to_numpy()[table["spuna_keep"].to_numpy(zero_copy_only=False)]
    assert 0 < len(kept) < len(pool)
    found = calibrated.scores(with_other_columns(pool), drop=True, p_values=p_values)
    np.testing.assert_array_equal(found, kept)


@pytest.mark.parametrize("prefix", ["spuna_", "my_"])
def test_scores_by_neighbors_are_the_column_of_neighbor_scores(quick, prefix):
    options, trusted, pool = quick
    model = spuna.fit(trusted, pool, keep_banks=True, recipe="paper", **options)
    table = pa.table(model.score(pool, by="neighbors"))
    found = model.scores(with_other_columns(pool), by="neighbors", prefix=prefix)
    np.testing.assert_array_equal(found, table["spuna_neighbor_score"].to_numpy())
