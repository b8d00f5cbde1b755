"""examples/nightly for five nights: late, repaired and bad files, a kill, and a shift on day four."""

import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from support import DIMENSION, PROGRAM, TIMEOUT, ids, make_rows, make_table, parquet_files

SCRIPT = Path(__file__).parents[2] / "examples" / "nightly" / "nightly.sh"


def rows_of_kind(count, seed, share, new_share):
    """Rows of which a share is shifted, and a share moved to where no row was before."""
    rows, shifted = make_rows(count, seed, share)
    moved = np.random.default_rng(seed).random(count) < new_share
    rows[moved, DIMENSION // 2 :] -= 2.5
    return rows, shifted | moved


class Lake:
    def __init__(self, folder):
        self.folder = folder
        self.notes = folder / "notes"
        rows, shifted = make_rows(300, 1, share=0.0)
        self.trusted = folder / "trusted.parquet"
        pq.write_table(make_table(rows, shifted, "trusted"), self.trusted)

    def write(self, name, seed, count=200, share=0.4, new_share=0.0):
        path = self.folder / "lake" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(make_table(*rows_of_kind(count, seed, share, new_share), f"{name}-{seed}"), path)

    def start(self, *more):
        self.notes.write_text("")
        environment = {**os.environ, "SPUNA": PROGRAM, "NOTIFY": f"tee -a {self.notes}"}
        arguments = [SCRIPT, self.trusted, self.folder / "lake", self.folder / "cleaned", *more]
        return subprocess.Popen(
            arguments, env=environment, text=True, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def night(self, *more, expect=0):
        """Runs the script to its end. Returns what it prints."""
        running = self.start(*more)
        said, _ = running.communicate(timeout=TIMEOUT)
        assert running.returncode == expect, said
        if expect in (0, 4):
            assert (self.folder / "cleaned/_SUCCESS").exists()
        return said

    def check_rows(self, without=()):
        expected = [value for name, path in parquet_files(self.folder / "lake").items() if name not in without
                    for value in pq.read_table(path, columns=["id"], partitioning=None)["id"].to_pylist()]  # fmt: skip
        assert ids(self.folder / "cleaned") == expected

    def looks(self):
        found = parquet_files(self.folder / "cleaned").items()
        return {name: (path.stat().st_ino, path.stat().st_mtime_ns) for name, path in found}


def kill_when_it_changes_the_output(lake):
    running = lake.start()
    success = lake.folder / "cleaned/_SUCCESS"
    deadline = time.perf_counter() + TIMEOUT
    while success.exists() and running.poll() is None and time.perf_counter() < deadline:
        time.sleep(0.0005)
    os.killpg(running.pid, signal.SIGKILL)
    said, _ = running.communicate(timeout=TIMEOUT)
    assert running.returncode == -signal.SIGKILL, said
    assert not success.exists()


def test_five_nights(tmp_path):
    lake = Lake(tmp_path)
    for number in range(4):
        lake.write(f"day=1/part-{number}.parquet", 10 + number)
    said = lake.night()
    assert "refit" not in said and lake.notes.read_text() == ""
    lake.check_rows()

    # The second night: a new file, a late one, and a repaired one. The others stay as they are.
    lake.write("day=2/part-0.parquet", 20)
    lake.write("day=1/late.parquet", 21)
    lake.write("day=1/part-2.parquet", 22, count=150)
    before = lake.looks()
    assert "refit" not in lake.night()
    after = lake.looks()
    assert {name for name in before if after[name] != before[name]} == {"day=1/part-2.parquet"}
    lake.check_rows()

    # The third: a bad file, which is told, and a kill.
    for number in range(20):
        lake.write(f"day=3/part-{number:02}.parquet", 30 + number)
    bad = tmp_path / "lake/day=3/part-07.parquet"
    bad.write_bytes(bad.read_bytes()[:-50])
    kill_when_it_changes_the_output(lake)
    said = lake.night(expect=4)
    assert "day=3/part-07.parquet" in said
    assert "could not be read" in lake.notes.read_text()
    lake.check_rows(without=["day=3/part-07.parquet"])

    # The fourth: the bad file is sound, and nearly all that is new is shifted.
    lake.write("day=3/part-07.parquet", 37)
    for number in range(4):
        lake.write(f"day=4/part-{number}.parquet", 60 + number, count=400, share=0.95)
    said = lake.night()
    assert "day=3/part-07.parquet" not in lake.notes.read_text()
    assert any(line.startswith("refit") for line in said.splitlines()), said
    assert "--refit" in lake.notes.read_text()
    lake.check_rows()

    # A refit is made on demand; then the fifth night, of the same kind as the lake is now, is quiet.
    before = lake.looks()
    assert not any(line.startswith("refit") for line in lake.night("--refit").splitlines())
    assert all(looks != before[name] for name, looks in lake.looks().items())
    lake.write("day=5/part-0.parquet", 70, share=0.5)
    assert not any(line.startswith("refit") for line in lake.night().splitlines())
    assert lake.notes.read_text() == ""
    lake.check_rows()


def test_a_new_kind_of_shift_is_told(tmp_path):
    lake = Lake(tmp_path)
    for number in range(4):
        lake.write(f"day=1/part-{number}.parquet", 10 + number)
    lake.night()
    lake.write("day=2/part-0.parquet", 60, count=1600, new_share=1.0)
    said = lake.night()
    assert any(line.startswith("refit") for line in said.splitlines()), said


def test_nothing_to_read(tmp_path):
    lake = Lake(tmp_path)
    (tmp_path / "lake").mkdir()
    lake.night(expect=5)
    assert "no files to read" in lake.notes.read_text()


def test_a_run_at_the_same_time_is_no_alarm(tmp_path):
    lake = Lake(tmp_path)
    for number in range(4):
        lake.write(f"day=1/part-{number}.parquet", 10 + number)
    both = [lake.start(), lake.start()]
    said = [running.communicate(timeout=TIMEOUT)[0] for running in both]
    codes = sorted(running.returncode for running in both)
    assert codes in ([0, 0], [0, 6]), said
    assert lake.notes.read_text() == ""
    lake.check_rows()


def test_an_error_is_told(tmp_path):
    lake = Lake(tmp_path)
    lake.write("day=1/part-0.parquet", 10)
    assert "no-such-option" in lake.night("--no-such-option", expect=2)
    assert "failed with exit code 2" in lake.notes.read_text()


@pytest.mark.parametrize("given", [(), ("trusted.parquet", "lake")])
def test_it_says_how_it_is_called(given):
    told = subprocess.run([SCRIPT, *given], capture_output=True, text=True)
    assert told.returncode == 2
    assert told.stderr.startswith("usage: nightly.sh TRUSTED POOL OUT")
