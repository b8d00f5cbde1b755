"""Runs every block of docs/compose.md with the real tools, and compares the rows with the command's."""

import re
import signal
import subprocess
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from conftest import ROOT, check_same

BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "compose.md").read_text(), re.DOTALL)


def title(block):
    return re.sub(r"\W+", "_", block.splitlines()[0].removeprefix("import ").removesuffix(", spuna"))


def as_table(result):
    if type(result).__module__.startswith("pandas"):
        return pa.Table.from_pandas(result, preserve_index=False)
    if type(result).__module__.startswith("datasets"):
        return result.with_format("arrow")[:]
    table = pa.table(result).select(["id", "spuna_score", "spuna_keep"])
    # Some tools turn strings into views, which pyarrow can't sort yet.
    return table.set_column(0, "id", table["id"].cast(pa.string()))


def test_every_tool_is_shown():
    tools = ("pyarrow", "pandas", "polars", "duckdb", "datafusion", "lance", "datasets")
    assert [tool for tool in tools if not any(f"import {tool}" in block for block in BLOCKS)] == []
    assert len(BLOCKS) == 12


@pytest.mark.parametrize("block", BLOCKS, ids=map(title, BLOCKS))
def test_block(block, in_sample, by_command):
    names = {}
    exec(block, names)
    found = as_table(names["result"]).sort_by("id")
    expected = by_command.sort_by("id")
    if found.num_rows < expected.num_rows:
        if "not shifted" in block:
            expected = expected.filter(pc.invert(pc.field("shifted")))
        else:
            expected = expected.filter(pc.field("spuna_keep"))
    assert found.num_rows > 500
    check_same(found, expected)


def test_flight(sample, by_command, tmp_path):
    server = subprocess.Popen(
        [sys.executable, ROOT / "examples/flight/server.py", sample / "model.safetensors",
         "grpc://127.0.0.1:0"],
        stdout=subprocess.PIPE, text=True,
    )
    try:
        port = int(server.stdout.readline().split()[-1])
        location = f"grpc://127.0.0.1:{port}"
        client = [sys.executable, ROOT / "examples/flight/client.py", location]
        subprocess.run([*client, sample / "pool.parquet", tmp_path / "out.parquet"], check=True)
        check_same(pq.read_table(tmp_path / "out.parquet"), by_command)

        # What is wrong with the rows is told to the client, and the service goes on.
        pq.write_table(pa.table({"id": [1]}), tmp_path / "wrong.parquet")
        wrong = subprocess.run(
            [*client, tmp_path / "wrong.parquet", tmp_path / "none.parquet"],
            capture_output=True, text=True,
        )
        assert wrong.returncode != 0
        assert "there is no embedding column" in wrong.stderr
        subprocess.run([*client, sample / "pool.parquet", tmp_path / "again.parquet"], check=True)
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=30) == 0
