import os
import subprocess

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from conftest import embeddings

import spuna


def test_every_kind_of_data(by_command, model, pool, sample):
    matrix = embeddings(pool)
    expected = by_command["spuna_score"].to_numpy()
    column = pool["embedding"]
    for data in (
        matrix,
        matrix.astype(np.float64),
        np.asfortranarray(matrix),
        matrix[::1],
        column,
        column.combine_chunks(),
        pool.combine_chunks().to_batches()[0],
        pool.select(["embedding"]),
        [sample / "pool.parquet"],
        os.fspath(sample / "pool.parquet"),
    ):
        assert np.abs(model.scores(data) - expected).max() <= 2e-6
    assert np.abs(model.scores(matrix[::2]) - expected[::2]).max() <= 2e-6
    joined = model.scores([sample / "pool.parquet", sample / "test.parquet"])
    assert len(joined) == pool.num_rows + 1000


def through_python(table, sample, model):
    return pa.table(model.score(table))


def through_a_reader(table, sample, model):
    return pa.RecordBatchReader.from_stream(model.score(table.to_reader(max_chunksize=7))).read_all()


def through_a_pipe(table, sample, model):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    command = [os.environ["SPUNA_PROGRAM"], "score", "--model", sample / "model.safetensors",
               "--input", "-", "--out", "-", "--quiet"]
    result = subprocess.run(command, input=sink.getvalue().to_pybytes(), stdout=subprocess.PIPE, check=True)
    return pa.ipc.open_stream(result.stdout).read_all()


def through_the_nodes_function(table, sample, model):
    spuna.acero.register_model("every kind", model)
    embedding = table["embedding"]
    for name in ("spuna_score", "spuna_keep"):
        values = pc.call_function(name, [embedding, pa.scalar("every kind")])
        table = table.append_column(name, values)
    return table


DOORS = [through_python, through_a_reader, through_a_pipe, through_the_nodes_function]


@pytest.mark.parametrize("door", DOORS)
def test_columns_of_every_kind_survive(door, sample, model, pool):
    rows = 50
    matrix = embeddings(pool)[: rows + 3]
    dimension = matrix.shape[1]
    plain = pa.table(model.score(matrix[3:]))
    flat = pa.array(matrix.reshape(-1))
    fixed = pa.FixedSizeListArray.from_arrays(flat, dimension)
    tensor = pa.fixed_shape_tensor(pa.float32(), [dimension])
    kinds = {
        "fixed_size_list": fixed,
        "list": pa.array(list(matrix), pa.list_(pa.float32())),
        "large_list": pa.array(list(matrix), pa.large_list(pa.float32())),
        "float64": pa.array(list(matrix.astype(np.float64)), pa.list_(pa.float64(), dimension)),
        "float16": pa.array(list(matrix.astype(np.float16)), pa.list_(pa.float16(), dimension)),
        "tensor": pa.ExtensionArray.from_storage(tensor, fixed),
    }
    words = pa.array(["a", None, "b"] * 17 + ["c", "d"]).dictionary_encode()
    ids = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"0123456789abcdef"] * 53, pa.binary(16)))
    for name, column in kinds.items():
        field = pa.field("embedding", column.type, metadata={"made": "by hand"})
        schema = pa.schema([field, pa.field("word", words.type), pa.field("uuid", ids.type)],
                           metadata={"table": "yes"})
        table = pa.table([column, words, ids], schema=schema).slice(3)
        scored = door(table, sample, model)
        assert scored.select(["embedding", "word", "uuid"]).equals(table), name
        assert scored.schema.metadata == {b"table": b"yes"}
        # Arrow adds the name of an extension type to the field's metadata on some ways.
        assert scored.schema.field("embedding").metadata[b"made"] == b"by hand"
        scores = scored["spuna_score"].to_numpy()
        tolerance = 0.1 if name == "float16" else 2e-6
        assert np.abs(scores - plain["spuna_score"].to_numpy()).max() <= tolerance, name
        # A null among them stays null, and changes no other row.
        mask = np.zeros(len(table), bool)
        mask[11] = True
        nulled = pa.array(
            [None if i == 11 else row for i, row in enumerate(table["embedding"].to_pylist())],
            column.type.storage_type if name == "tensor" else column.type,
        )
        if name == "tensor":
            nulled = pa.ExtensionArray.from_storage(tensor, nulled)
        with_null = door(table.set_column(0, field, nulled), sample, model)
        assert with_null["spuna_keep"].is_null().to_numpy().tolist() == mask.tolist()
        assert np.array_equal(with_null["spuna_score"].to_numpy()[~mask], scores[~mask])


def test_nulls(model, pool):
    column = pool["embedding"].to_pylist()[:10]
    column[4] = None
    column[7] = [float("nan")] * len(column[0])
    table = pa.table({"id": range(10), "embedding": pa.array(column, pool["embedding"].type)})
    assert pa.table(model.score(table))["spuna_keep"].is_null().to_pylist() == [
        i in (4, 7) for i in range(10)
    ]
    assert np.isnan(model.scores(table)).nonzero()[0].tolist() == [4, 7]
    assert pa.table(model.score(table, invalid="drop"))["id"].to_pylist() == [0, 1, 2, 3, 5, 6, 8, 9]
    with pytest.raises(pa.ArrowInvalid, match="at row 4; `invalid` says that this is an error"):
        pa.table(model.score(table, invalid="error"))


def test_masked_rows_are_no_rows(model, pool):
    matrix = np.ma.masked_array(embeddings(pool)[:5], mask=False)
    matrix[2, 7] = np.ma.masked
    assert np.isnan(model.scores(matrix)).tolist() == [False, False, True, False, False]


def test_drop_with_columns_that_arrow_cant_filter(model, pool, by_command):
    views = pool.append_column("view", pool["id"].cast(pa.string_view()))
    kept = pa.table(model.score(views, drop=True))
    assert kept["view"].type == pa.string_view()
    assert kept["view"].to_pylist() == kept["id"].to_pylist()
    assert kept.num_rows == sum(by_command["spuna_keep"].to_pylist())


def test_views_stay_small_when_rows_are_dropped(model, pool):
    views = pool.append_column("view", pool["id"].cast(pa.string_view())).combine_chunks()
    kept = pa.table(model.score(views, drop=True))
    assert sum(len(chunk.buffers()) for chunk in kept["view"].chunks) < 10


def test_hive_partitions_become_columns(model, pool, tmp_path):
    for day in ("1", "2"):
        (tmp_path / f"day={day}").mkdir()
        pq.write_table(pool.slice(0, 20), tmp_path / f"day={day}" / "a.parquet")
    scored = pa.table(model.score(tmp_path))
    assert scored["day"].to_pylist() == ["1"] * 20 + ["2"] * 20
