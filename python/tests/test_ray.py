"""spuna.ray with a real Ray on this machine."""

import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from conftest import check_same
from scale_blocks import blocks_with, check_block, run_block

os.environ["RAY_AUTH_MODE"] = "disabled"  # a cluster of this machine alone, gone after the tests
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

import ray  # noqa: E402
import ray.data  # noqa: E402

import spuna  # noqa: E402
import spuna.ray  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(
        num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1",
        object_store_memory=200 << 20, configure_logging=False,
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def as_table(ds):
    return pa.concat_tables(ray.get(ds.to_arrow_refs()), promote_options="default")


def test_scores_are_those_of_the_command(sample, model, by_command):
    ds = ray.data.read_parquet(str(sample / "pool.parquet")).repartition(5)
    scored = spuna.ray.score(ds, model)
    found = as_table(scored)
    assert found.schema.field("spuna_score").type == pa.float32()
    check_same(found.sort_by("id"), by_command.sort_by("id"))
    dropped = spuna.ray.score(ds, model, drop=True, prefix="my_", ray_args={"batch_size": 64})
    assert dropped.count() == pc.sum(by_command["spuna_keep"]).as_py()
    narrow = as_table(spuna.ray.score(scored, model, replace=True, columns=["id", "spuna_score"]))
    assert narrow.column_names == ["id", "spuna_score"]
    assert len(narrow) == len(by_command)


def test_tensors_of_ray_are_embeddings(sample, model, by_command):
    pool = pq.read_table(sample / "pool.parquet")
    matrix = np.array(pool["embedding"].to_pylist(), np.float32)
    found = as_table(spuna.ray.score(ray.data.from_numpy(matrix), model))
    differences = found["spuna_score"].to_numpy() - by_command["spuna_score"].to_numpy()
    assert abs(differences).max() <= 2e-6


def test_null_empty_and_wrong_rows(model):
    d = model.dimension
    lists = pa.array([[0.5] * d, None, [float("nan")] * d], pa.list_(pa.float64()))
    table = pa.table({"id": [1, 2, 3], "embedding": lists})
    ds = ray.data.from_arrow([table.slice(0, 0), table])
    scores = as_table(spuna.ray.score(ds, model))["spuna_score"].to_pylist()
    assert scores[0] is not None and scores[1:] == [None, None]
    assert spuna.ray.score(ds.filter(lambda row: False), model).count() == 0
    wrong = ray.data.from_arrow(pa.table({"embedding": pa.array([[1.0, 2.0]])}))
    with pytest.raises(Exception, match=f"expected dimension {d} but found 2"):
        spuna.ray.score(wrong, model).materialize()
    with pytest.raises(ValueError, match="there is no option `color`"):
        spuna.ray.score(ds, model, color="red")


def test_the_block_of_the_documentation(in_sample, by_command):
    (block,) = blocks_with("spuna.ray", 1)
    check_block(as_table(run_block(block, in_sample)), in_sample, by_command)


def test_without_ray_it_says_what_is_missing():
    code = (
        "import sys; sys.modules['ray'] = None\n"
        "try:\n  import spuna.ray\n"
        "except ImportError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.startswith("spuna.ray needs Ray Data: ")
    assert said.endswith("pip install 'spuna[ray]'\n")
