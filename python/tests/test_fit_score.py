import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from conftest import ROOT, check_same, run_command

import spuna


def test_version():
    cmake = (ROOT / "CMakeLists.txt").read_text()
    assert f"project(spuna VERSION {spuna.__version__} " in cmake


def test_fit_gives_the_model_of_the_command(sample):
    model = spuna.fit(sample / "trusted.parquet", str(sample / "pool.parquet"))
    assert model.to_bytes() == (sample / "model.safetensors").read_bytes()


def test_clean_is_the_command(sample, by_command, pool):
    trusted = [sample / "trusted.parquet"]
    for source in (sample / "pool.parquet", pool, pool.to_reader(max_chunksize=100)):
        check_same(spuna.clean(trusted, source), by_command)


def test_the_same_batches_give_the_same_bits(sample, by_command, model):
    scored = pa.table(model.score(sample / "pool.parquet"))
    assert scored.equals(by_command)
    assert scored.schema.metadata == by_command.schema.metadata


def test_files_are_read_as_the_command_reads_them(sample, pool, tmp_path, by_command):
    (tmp_path / "lake").mkdir()
    pq.write_table(pool.slice(0, 900), tmp_path / "lake" / "a.parquet")
    pq.write_table(pool.slice(900).select(["id", "embedding"]), tmp_path / "lake" / "b.parquet")
    model = spuna.fit(sample / "trusted.parquet", tmp_path / "lake")
    assert model.to_bytes() == (sample / "model.safetensors").read_bytes()
    for shifted in (0, 1):
        folder = tmp_path / "scored" / f"truth={shifted}"
        folder.mkdir(parents=True)
        pq.write_table(by_command.filter(pc.field("shifted") == bool(shifted)), folder / "a.parquet")
    assert spuna.evaluate(tmp_path / "scored", "truth") == spuna.evaluate(by_command, "shifted")


def test_drop_and_prefix(model, pool, by_command):
    kept = pa.table(model.score(pool, drop=True, prefix="my_"))
    assert kept["my_keep"].to_pylist() == [True] * kept.num_rows
    assert kept.num_rows == sum(by_command["spuna_keep"].to_pylist())


def test_drop_leaves_rows_without_a_valid_embedding_out(model, pool):
    lists = pool["embedding"].to_pylist()[:6]
    lists[1], lists[4] = None, [float("nan")] * model.dimension
    rows = pa.table({"id": range(6), "embedding": pa.array(lists, pa.list_(pa.float32()))})
    everything = pa.table(model.score(rows))
    assert everything["spuna_keep"].null_count == 2
    kept = [i for i, keep in zip(range(6), everything["spuna_keep"].to_pylist()) if keep]
    assert pa.table(model.score(rows, drop=True))["id"].to_pylist() == kept
    assert len(model.scores(rows, drop=True)) == len(kept)


def test_columns_that_are_there_are_replaced(model, pool, by_command):
    with pytest.raises(ValueError, match="'spuna_score' already; .* replace it with `replace=True`"):
        pa.table(model.score(by_command))
    old = by_command.set_column(
        by_command.column_names.index("spuna_score"), "spuna_score", pa.array(["old"] * len(by_command))
    )
    found = pa.table(model.score(old, replace=True))
    assert found.column_names == [*pool.column_names, "spuna_score", "spuna_keep"]
    assert found.equals(pa.table(model.score(pool)))


def test_a_few_columns(model, pool, tmp_path):
    whole = pa.table(model.score(pool))
    for names in (["id", "spuna_score", "spuna_keep"], ["spuna_keep", "id"], ["id"]):
        assert pa.table(model.score(pool, columns=names)).equals(whole.select(names))
    folder = tmp_path / "lake" / "day=1"
    folder.mkdir(parents=True)
    pq.write_table(pool, folder / "a.parquet")
    found = pa.table(model.score(tmp_path / "lake", columns=["day", "spuna_score"]))
    assert found.column_names == ["day", "spuna_score"]
    assert set(found["day"].to_pylist()) == {"1"}
    with pytest.raises(ValueError, match="there is no column 'idd'; did you mean 'id'?"):
        pa.table(model.score(pool, columns=["idd"]))
    for columns, message in (([], "found none"), (["id", "id"], "found 'id' twice"), ([""], "an empty one")):
        with pytest.raises(ValueError, match=message):
            model.score(pool, columns=columns)
    with pytest.raises(ValueError, match="`columns` is for Model.score"):
        model.scores(pool, columns=["spuna_score"])


def test_a_clean_takes_the_same_options(quick):
    options, trusted, pool = quick
    table = pa.table({"id": range(len(pool)), "embedding": list(pool), "spuna_keep": ["old"] * len(pool)})
    columns = ["spuna_score", "spuna_keep", "id"]
    cleaned = spuna.clean(trusted, table, columns=columns, replace=True, drop=True, **options)
    found = pa.table(cleaned)
    assert found.column_names == columns
    assert set(found["spuna_keep"].to_pylist()) == {True}
    assert found["id"].to_pylist() == list(cleaned.kept)
    with pytest.raises(ValueError, match="there is no column 'idd'"):
        spuna.clean(trusted, table, columns=["idd"], **options)


def test_a_clean_of_files_has_their_hive_keys_among_the_columns(quick, tmp_path):
    options, trusted, pool = quick
    pq.write_table(pa.table({"embedding": list(trusted)}), tmp_path / "trusted.parquet")
    for day, rows in enumerate((pool[:200], pool[200:])):
        folder = tmp_path / "lake" / f"day={day}"
        folder.mkdir(parents=True)
        table = pa.table({"embedding": list(rows), f"only{day}": range(200)})
        pq.write_table(table, folder / "a.parquet")
    inputs = tmp_path / "trusted.parquet", tmp_path / "lake"
    columns = ["day", "only1", "spuna_score"]
    found = pa.table(spuna.clean(*inputs, columns=columns, **options))
    assert found.column_names == columns
    assert found["day"].to_pylist() == ["0"] * 200 + ["1"] * 200
    assert found["only1"].null_count == 200
    assert spuna.plan(*inputs, columns=columns, **options).to_dict()["fit_rows"] == 400
    with pytest.raises(ValueError, match="2 files: .*there is no column 'only2'; did you mean 'only"):
        spuna.clean(*inputs, columns=["only2"], **options)


def test_scoring_by_neighbors(quick):
    options, trusted, pool = quick
    model = spuna.fit(trusted, pool, keep_banks=True, recipe="paper", **options)
    scores = model.scores(pool, by="neighbors")
    assert scores[1::2].mean() > scores[::2].mean()
    with pytest.raises(ValueError, match="this model has none"):
        spuna.fit(trusted, pool, **options).scores(pool, by="neighbors")


def test_evaluate_is_the_command(sample, by_command):
    found = spuna.evaluate(by_command, truth="shifted")
    assert found == run_command("evaluate", "--input", sample / "command.parquet", "--truth", "shifted")
    assert found == spuna.evaluate(sample / "command.parquet", truth="shifted")
