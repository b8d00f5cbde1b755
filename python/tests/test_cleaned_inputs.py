"""What spuna.clean does with pools that fail, change, or come as paths and tables together."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import spuna


def test_what_the_pool_raises_when_it_is_read_again_is_raised(quick):
    options, trusted, pool = quick
    table = pa.table({"embedding": list(pool)})

    class Moody:
        num_rows = len(pool)
        left = 2

        def __arrow_c_stream__(self, requested_schema=None):
            if self.left == 0:
                raise LookupError("not again")
            self.left -= 1
            return table.__arrow_c_stream__()

    cleaned = spuna.clean(trusted, Moody(), **options)
    with pytest.raises(LookupError, match="not again"):
        pa.table(cleaned)
    with pytest.raises(LookupError, match="not again"):
        cleaned.reasons()


def test_a_pool_that_changes_between_two_readings_is_refused(quick):
    options, trusted, pool = quick
    table = pa.table({"embedding": list(pool)})

    class Growing:
        num_rows = len(pool)
        rows = 390

        def __arrow_c_stream__(self, requested_schema=None):
            self.rows += 5
            return table.slice(0, self.rows).__arrow_c_stream__()

    with pytest.raises(ValueError, match="expected 395 rows as when it was fitted on but found 400; pass rows that"):
        spuna.clean(trusted, Growing(), **options)


def test_banks_are_kept_in_the_model_of_a_result(quick, sample):
    options, trusted, pool = quick
    cleaned = spuna.clean(trusted, pool, recipe="paper", keep_banks=True, **options)
    assert cleaned.model.scores(pool[:3], by="neighbors").shape == (3,)
    files = spuna.clean(
        sample / "trusted.parquet", sample / "pool.parquet", recipe="paper", keep_banks=True, epochs=1
    )
    assert files.model.report()["banks"]["clean"] > 500


def test_paths_and_tables_together(quick, tmp_path):
    options, trusted, pool = quick
    table = pa.table({"id": range(len(pool)), "embedding": list(pool)})
    (tmp_path / "lake").mkdir()
    pq.write_table(table, tmp_path / "lake/a.parquet")
    pq.write_table(pa.table({"embedding": list(trusted)}), tmp_path / "trusted.parquet")
    expected = spuna.clean(trusted, table, **options)
    for mixed in ((tmp_path / "trusted.parquet", table), (trusted, tmp_path / "lake")):
        assert spuna.clean(*mixed, **options).dropped.tolist() == expected.dropped.tolist()
    # A file without embeddings is not taken for rows without.
    pq.write_table(table.select(["id"]), tmp_path / "lake/b.parquet")
    with pytest.raises(ValueError, match="b.parquet: there is no column 'embedding'"):
        spuna.clean(trusted, tmp_path / "lake", **options)
    with pytest.raises(OSError, match="`pool`: .*nowhere.parquet"):
        spuna.clean(trusted, tmp_path / "nowhere.parquet", **options)
    cleaned = spuna.clean(trusted, tmp_path / "lake/a.parquet", **options)
    for write in (cleaned.report, cleaned.reasons):
        with pytest.raises(OSError, match="a.parquet: this is what `pool` names too; choose another name"):
            write(tmp_path / "lake/a.parquet", overwrite=True)
    with pytest.raises(OSError, match="`report`: .*trusted.parquet: this is what `trusted` names too"):
        spuna.clean(tmp_path / "trusted.parquet", pool, **options).report(tmp_path / "trusted.parquet", overwrite=True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("lake", "this lies within what `pool` names; choose a place outside it"),
        (["lake"], "this lies within what `pool` names"),
        ("link", "this lies within what `pool` names"),
        ("lake/*/*.parquet", "the pattern of `pool` could match what is written here; choose a place outside it"),
        ("@list.txt", "this is what `pool` names too; choose another name"),
        ("file://{}/lake", "this lies within what `pool` names"),
    ],
)
@pytest.mark.parametrize("trusted_is_a_path", [False, True])
def test_no_file_of_the_pool_is_replaced(quick, tmp_path, monkeypatch, given, message, trusted_is_a_path):
    options, trusted, pool = quick
    tmp_path = tmp_path / "a[1]*"  # is no pattern
    tmp_path.mkdir()
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "lake/day=1/a.parquet"
    file.parent.mkdir(parents=True)
    pq.write_table(pa.table({"embedding": list(pool)}), file)
    pq.write_table(pa.table({"embedding": list(trusted)}), "trusted.parquet")
    (tmp_path / "link").symlink_to("lake")
    (tmp_path / "list.txt").write_text("lake/day=1/a.parquet\n")
    before = file.read_bytes()
    given = given.format(tmp_path) if isinstance(given, str) else given
    cleaned = spuna.clean("trusted.parquet" if trusted_is_a_path else trusted, given, **options)
    for name, write in (("reasons", cleaned.reasons), ("report", cleaned.report)):
        with pytest.raises(OSError, match=f"`{name}`: lake/day=1/a.parquet: {message}"):
            write("lake/day=1/a.parquet", overwrite=True)
    cleaned.report("lake.html")
    if not str(given).startswith("@"):
        # Relative paths mean the same after a change of the working directory.
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir("elsewhere")
        with pytest.raises(OSError, match=f"`report`: .*a.parquet: {message}"):
            cleaned.report(file, overwrite=True)
    assert file.read_bytes() == before


def test_ids_of_every_kind(quick):
    options, trusted, pool = quick
    ids = [None, *range(1, len(pool))]
    cleaned = spuna.clean(trusted, pa.table({"key": ids, "embedding": list(pool)}), id="key", **options)
    assert cleaned.kept[:2] == [None, "2"]
    # A column of bytes called id names no rows, unless it is asked for.
    table = pa.table({"id": [i.to_bytes(16, "big") for i in range(len(pool))], "embedding": list(pool)})
    assert pa.table(spuna.clean(trusted, table, **options).reasons())["id"][0].as_py() == "1"
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"g": ["a", "b"] * (len(pool) // 2), "embedding": list(pool)})
    frame = frame.with_columns(polars.col("g").cast(polars.Categorical))
    cleaned = spuna.clean(trusted, frame, group_by=["g"], **options)
    assert [group["value"] for group in cleaned.groups["g"]] == ["b", "a"]
    assert spuna.clean(trusted, frame.lazy(), **options).dropped.tolist() == cleaned.dropped.tolist()


@pytest.mark.parametrize("call", ["clean", "reasons", "report", "monitor"])
def test_what_a_listener_raises_ends_every_call(quick, sample, model, tmp_path, call):
    options, trusted, pool = quick
    cleaned = spuna.clean(trusted, pool, **options)

    def stop(stage, done):
        raise KeyboardInterrupt

    calls = {
        "clean": lambda: spuna.clean(trusted, pool, progress=stop, **options),
        "reasons": lambda: cleaned.reasons(tmp_path / "left", progress=stop),
        "report": lambda: cleaned.report(tmp_path / "left", progress=stop),
        "monitor": lambda: spuna.monitor(model, sample / "test.parquet", state=tmp_path / "left", progress=stop),
    }
    with pytest.raises(KeyboardInterrupt):
        calls[call]()
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_in_a_reader_is_ctrl_c(quick):
    options, trusted, pool = quick
    schema = pa.schema({"embedding": pa.list_(pa.float32())})

    def rows(error):
        yield pa.record_batch({"embedding": list(pool[:10])}, schema=schema)
        raise error

    for call in (spuna.clean, spuna.fit):
        with pytest.raises(KeyboardInterrupt):
            call(trusted, pa.RecordBatchReader.from_batches(schema, rows(KeyboardInterrupt())), **options)
        with pytest.raises(ValueError, match="^my own"):
            call(trusted, pa.RecordBatchReader.from_batches(schema, rows(ValueError("my own"))), **options)


def test_a_result_and_its_model_outlive_each_other(quick):
    options, trusted, pool = quick
    cleaned = spuna.clean(trusted, pool, **options)
    model, rows = cleaned.model, cleaned.__arrow_c_stream__()
    reader = pa.RecordBatchReader._import_from_c_capsule(rows)
    expected = cleaned.to_dict()["rows_kept"]
    del cleaned, rows
    assert sum(pa.table(model.score(pool))["spuna_keep"].to_pylist()) == expected
    assert sum(reader.read_all()["spuna_keep"].to_pylist()) == expected
