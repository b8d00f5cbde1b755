"""examples/review on the shipped sample: what its walk through prints, and what comes of it."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
from support import PROGRAM, TIMEOUT

SCRIPT = Path(__file__).parents[2] / "examples" / "review" / "walk_through.sh"


def walk(folder):
    environment = {**os.environ, "SPUNA": PROGRAM, "PYTHON": sys.executable}
    done = subprocess.run(
        [SCRIPT, folder], env=environment, text=True, timeout=TIMEOUT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_walk_through(tmp_path):
    said = walk(tmp_path)
    assert said.count("rows to look at  25:") == 2
    assert "random looks" in said and "precision of the drops" in said
    reviewed = [row for name in ("said-1.csv", "said-2.csv") for row in (tmp_path / name).read_text().splitlines()[1:]]
    names = [row.split(",")[0] for row in reviewed]
    assert len(set(names)) == len(names) >= 50
    # Every reviewed row is what the person said, whatever the model thinks.
    cleaned = pq.read_table(tmp_path / "cleaned.parquet", columns=["id", "spuna_keep", "shifted"]).to_pylist()
    for row in cleaned:
        if row["id"] in names:
            assert row["spuna_keep"] != row["shifted"]
    # Again, over what is there: the same bytes.
    before = (tmp_path / "cleaned.parquet").read_bytes()
    walk(tmp_path)
    assert (tmp_path / "cleaned.parquet").read_bytes() == before
