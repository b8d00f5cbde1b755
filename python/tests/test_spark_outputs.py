"""Spark reads the directories that the command writes."""

import pyarrow.parquet as pq
import pytest
import spark_sessions
from conftest import run_command


@pytest.fixture(scope="module")
def spark():
    with spark_sessions.session("local[2]") as started:
        yield started


@pytest.mark.parametrize("layout", ["flat", "hive"])
def test_spark_takes_the_directory(spark, sample, pool, tmp_path, layout):
    """After a first run, and after one that added a file."""
    lake, out = tmp_path / "lake", tmp_path / "out"
    for night in range(3):
        place = lake / (f"day={night}" if layout == "hive" else "")
        place.mkdir(parents=True, exist_ok=True)
        pq.write_table(pool.slice(100 * night, 100), place / f"part-{night}.parquet")
        if night == 0:
            continue
        run_command("score", "--model", sample / "model.safetensors", "--input", lake, "--out", out)
        assert (out / "_SUCCESS").exists()
        found = spark.read.parquet(str(out))
        assert found.count() == 100 * (night + 1)
        keys = ["day"] if layout == "hive" else []
        assert found.columns == [*pool.column_names, "spuna_score", "spuna_keep", *keys]
        assert found.where("spuna_score is null").count() == 0
        if keys:
            assert sorted(row.day for row in found.select("day").distinct().collect()) == list(range(night + 1))
