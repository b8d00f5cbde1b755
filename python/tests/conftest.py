import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import spuna

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "examples" / "quickstart"


def run_command(*arguments):
    """What the command `spuna` prints for these arguments, as JSON."""
    program = [os.environ["SPUNA_PROGRAM"], *map(str, arguments), "--json", "--quiet"]
    return json.loads(subprocess.run(program, check=True, capture_output=True).stdout)


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    """A folder with the sample's files, a model, and the pool as the command cleans it."""
    folder = tmp_path_factory.mktemp("sample")
    for name in ("trusted", "pool", "test"):
        (folder / f"{name}.parquet").write_bytes((SAMPLE / f"{name}.parquet").read_bytes())
    run_command(
        "clean", "--trusted", folder / "trusted.parquet", "--pool", folder / "pool.parquet",
        "--out", folder / "command.parquet", "--model", folder / "model.safetensors",
    )
    return folder


@pytest.fixture(scope="session")
def by_command(sample):
    """The pool's rows with the command's scores and decisions."""
    return pq.read_table(sample / "command.parquet")


@pytest.fixture(scope="session")
def model(sample):
    return spuna.Model.load(sample / "model.safetensors")


@pytest.fixture
def pool(sample):
    return pq.read_table(sample / "pool.parquet")


@pytest.fixture(scope="session")
def quick():
    """Quick options, trusted rows, and a pool whose odd rows are shifted."""
    rng = np.random.default_rng(1)
    trusted = rng.normal(size=(200, 6)).astype(np.float32)
    pool = rng.normal(size=(400, 6)).astype(np.float32)
    pool[1::2] += 2
    return {"epochs": 3, "alpha": 20, "k": 20, "threads": 2}, trusted, pool


@pytest.fixture
def in_sample(sample, tmp_path, monkeypatch):
    """Runs the test in a folder of its own that has the sample's files."""
    for file in ("trusted.parquet", "pool.parquet", "model.safetensors"):
        (tmp_path / file).symlink_to(sample / file)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def embeddings(table):
    """The embeddings of a table as a matrix."""
    column = table["embedding"].combine_chunks()
    return column.flatten().to_numpy().reshape(len(column), -1)


def check_same(found, expected, columns=("id",)):
    """The same rows in the same order, with the same decisions and scores within 2e-6."""
    found = pa.table(found).combine_chunks()
    expected = expected.combine_chunks()
    assert found.num_rows == expected.num_rows
    for column in (*columns, "spuna_keep"):
        assert found[column].to_pylist() == expected[column].to_pylist()
    differences = found["spuna_score"].to_numpy() - expected["spuna_score"].to_numpy()
    assert abs(differences).max() <= 2e-6
