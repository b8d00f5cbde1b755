"""spuna.spark with a standalone master and two workers, each a process of its own."""

import pyarrow.parquet as pq
import pytest
import spark_sessions
from conftest import check_same, run_command

import spuna
import spuna.spark


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with (
        spark_sessions.standalone_master(tmp_path_factory.mktemp("spark")) as master,
        spark_sessions.session(
            master, **{"spark.executor.memory": "700m", "spark.executor.cores": "1"}
        ) as started,
    ):
        yield started


def test_two_workers_score_and_expand(cluster, sample, model, by_command, tmp_path):
    trusted = cluster.read.parquet(str(sample / "trusted.parquet"))
    pool = cluster.read.parquet(str(sample / "pool.parquet")).repartition(6).persist()

    def where(batches):
        import os

        import pyarrow as pa

        for batch in batches:
            yield pa.RecordBatch.from_arrays([pa.array([os.getcwd()])], ["folder"])

    scored = spuna.spark.score(pool, model)
    check_same(scored.orderBy("id").toArrow(), by_command.sort_by("id"))
    # Both workers had a part in it.
    folders = {row.folder for row in scored.mapInArrow(where, "folder string").collect()}
    assert len({folder.split("worker-")[1][0] for folder in folders}) == 2

    cleaned = spuna.spark.clean(trusted, pool, epochs=3)
    cleaned.spuna_model.save(tmp_path / "model.safetensors")
    run_command("score", "--model", tmp_path / "model.safetensors", "--input", sample / "pool.parquet",
                "--out", tmp_path / "scored.parquet")
    expected = pq.read_table(tmp_path / "scored.parquet").sort_by("id")
    check_same(cleaned.orderBy("id").toArrow(), expected)

    # The labels, with the rows in the order of the partitions.
    expanded = spuna.spark.expand(trusted, pool, alpha=20, k=30)
    found = expanded.rows.toArrow()
    pq.write_table(found.drop_columns(["spuna_label", "spuna_round"]), tmp_path / "pool.parquet")
    run_command("fit", "--recipe", "paper", "--alpha", 20, "--k", 30, "--epochs", 1, "--hidden", 8,
                "--trusted", sample / "trusted.parquet", "--pool", tmp_path / "pool.parquet",
                "--model", tmp_path / "paper.safetensors", "--labels", tmp_path / "labels.parquet")
    labels = pq.read_table(tmp_path / "labels.parquet")
    for name in ("id", "spuna_label", "spuna_round"):
        assert found[name].to_pylist() == labels[name].to_pylist()
