"""Delta and Iceberg tables: a raw directory is refused, a list of live files has the live rows only."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.expressions import StartsWith
from support import ids, make_rows, run
from table_deletes import add_deletion_vector, add_position_delete

PAGE = Path(__file__).parents[2] / "docs" / "tables.md"
[COMMAND] = re.findall(r"```sh\nspuna (.*?)\n```", PAGE.read_text())
BLOCKS = dict(re.findall(r"## (\w+)\n.*?```python\n(.*?)```", PAGE.read_text(), re.DOTALL))


def rows(name, seed):
    embeddings, _ = make_rows(60, seed)
    lists = pa.array(list(embeddings.astype(np.float32)), pa.list_(pa.float32()))
    return pa.table({"id": [f"{name}-{row}" for row in range(60)], "embedding": lists})


class Delta:
    """A table of two files, one row deleted, and one file overwritten; the folder it lies in."""

    def __init__(self, folder):
        self.folder = folder / "lake/rows"
        write_deltalake(self.folder, rows("first", 1))
        write_deltalake(self.folder, rows("second", 2), mode="append")
        DeltaTable(self.folder).delete("id = 'second-7'")
        write_deltalake(self.folder, rows("third", 3), mode="append")
        DeltaTable(self.folder).delete("id like 'first-%'")

    def delete_in_place(self):
        write_deltalake(self.folder, rows("fourth", 4), mode="overwrite",
                        configuration={"delta.enableDeletionVectors": "true"})  # fmt: skip
        DeltaTable(self.folder).alter.set_table_properties({"delta.enableDeletionVectors": "true"})
        add_deletion_vector(self.folder, 5)


class Iceberg:
    def __init__(self, folder):
        self.folder = folder / "lake/rows"
        (folder / "lake").mkdir()
        where = {"uri": f"sqlite:///{folder}/catalog.db", "warehouse": f"file://{folder}"}
        (folder / ".pyiceberg.yaml").write_text(
            "catalog:\n  default:\n    type: sql\n" + "".join(f"    {key}: {value}\n" for key, value in where.items())
        )
        catalog = SqlCatalog("default", **where)
        catalog.create_namespace("lake")
        self.table = catalog.create_table("lake.rows", rows("first", 1).schema)
        self.table.append(rows("first", 1))
        self.table.append(rows("second", 2))
        self.table.delete("id == 'second-7'")
        self.table.append(rows("third", 3))
        self.table.delete(StartsWith("id", "first-"))

    def delete_in_place(self):
        add_position_delete(self.table, 5)


@pytest.fixture(params=[Delta, Iceberg])
def table(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYICEBERG_HOME", str(tmp_path))  # its configuration
    return request.param(tmp_path)


def write_list(table):
    """Runs the block of the page, as a script. Returns what it says on its end."""
    script = [sys.executable, "-c", BLOCKS[type(table).__name__]]
    return subprocess.run(script, capture_output=True, text=True)


def test_the_live_rows_and_no_others(sample, table, tmp_path):
    listed = write_list(table)
    assert listed.returncode == 0, listed.stderr
    (tmp_path / "trusted.parquet").symlink_to(sample.trusted)
    run(*COMMAND.split())
    live = [*(f"second-{row}" for row in range(60) if row != 7), *(f"third-{row}" for row in range(60))]
    assert sorted(ids(tmp_path / "cleaned")) == sorted(live)


@pytest.mark.parametrize("command", ["clean", "score", "fit"])
def test_a_raw_directory_is_refused(sample, table, tmp_path, command):
    for place in (table.folder, table.folder.parent):
        result = run(*getattr(sample, command)(tmp_path / "out", lake=place), expect=None)
        assert result.code in (1, 2), result
        assert type(table).__name__ in result.err
        assert str(table.folder) in result.err
        assert "@files.txt" in result.err  # the line to use
        assert not (tmp_path / "out").exists()


def test_rows_deleted_in_place_stop_the_list(table, tmp_path):
    """The libraries tell of deletion vectors and delete files, which a list of files does not carry."""
    table.delete_in_place()
    listed = write_list(table)
    assert listed.returncode == 1
    assert re.match(r"\d files have delet", listed.stderr), listed.stderr
    assert not (tmp_path / "files.txt").exists()
