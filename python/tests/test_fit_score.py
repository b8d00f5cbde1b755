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
