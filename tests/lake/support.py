"""Lakes to test with, the program, and ways to disturb it."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PROGRAM = os.environ["SPUNA_PROGRAM"]
DIMENSION = 24
TIMEOUT = 120  # of any run; a run that takes longer hangs


# --- rows and files


def make_rows(count: int, seed: int, share: float = 0.4, dimension: int = DIMENSION):
    """Embeddings with variances that fall off, a share of them shifted, and which ones are."""
    random = np.random.default_rng(seed)
    scale = (1 + np.arange(dimension)) ** -0.25
    shifted = random.random(count) < share
    rows = random.standard_normal((count, dimension))
    rows[shifted, : dimension // 3] += 1.5
    return (rows * scale).astype(np.float32), shifted


def make_table(rows: np.ndarray, shifted: np.ndarray, name: str, invalid: int = 0) -> pa.Table:
    """`id`, `embedding`, `shifted`, with metadata on the schema and on a field. The first
    `invalid` embeddings are null or not finite, in turns."""
    rows = rows.copy()
    rows[1:invalid:2, 0] = np.nan
    mask = np.zeros(len(rows), bool)
    mask[0:invalid:2] = True
    embedding = pa.FixedSizeListArray.from_arrays(
        pa.array(rows.ravel()), rows.shape[1], mask=pa.array(mask) if invalid else None
    )
    ids = pa.array([f"{name}-{i:06}" for i in range(len(rows))])
    schema = pa.schema(
        [
            pa.field("id", pa.string(), metadata={"unit": "none"}),
            pa.field("embedding", embedding.type),
            pa.field("shifted", pa.bool_()),
        ],
        metadata={"owner": "the lake"},
    )
    return pa.table([ids, embedding, pa.array(shifted)], schema=schema)


def write_file(path: Path, count: int, seed: int, *, rows_per_group: int = 100, codec: str = "zstd",
               share: float = 0.4, invalid: int = 0, dimension: int = DIMENSION) -> Path:  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    rows, shifted = make_rows(count, seed, share, dimension)
    table = make_table(rows, shifted, path.stem, invalid)
    pq.write_table(table, path, row_group_size=rows_per_group, compression=codec)
    return path


def make_lake(folder: Path, *, files: int = 6, rows: int = 250, days: int = 3, invalid: int = 0,
              dimension: int = DIMENSION) -> Path:  # fmt: skip
    """Hive partitions by day, with files of various codecs and row-group sizes."""
    codecs = ("zstd", "snappy", "none")
    for number in range(files):
        write_file(
            folder / f"day={number % days}" / f"part-{number:03}.parquet", rows + 7 * number, 100 + number,
            rows_per_group=(100, 64, 1000)[number % 3], codec=codecs[number % 3], invalid=invalid,
            dimension=dimension,
        )  # fmt: skip
    return folder


def parquet_files(folder: Path) -> dict[str, Path]:
    """The Parquet files of a directory by relative path, but none in hidden folders."""
    found = {}
    for path in sorted(folder.rglob("*.parquet")):
        relative = path.relative_to(folder)
        if not any(part.startswith(".") for part in relative.parts):
            found[str(relative)] = path
    return found


def parquet_bytes(folder: Path) -> dict[str, bytes]:
    return {name: path.read_bytes() for name, path in parquet_files(folder).items()}


def everything(folder: Path) -> dict[str, tuple]:
    """All that is in a directory, hidden or not: inode, time of change and bytes."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.stat()
        content = path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(folder))] = (status.st_ino, status.st_mtime_ns, content)
    return found


STATE = {"configuration.json", "manifest.json", "model.safetensors"}


def state_of(out: Path) -> Path:
    """Where an output directory has its state."""
    return out.parent / f".{out.name}.spuna"


def is_state(path: Path) -> bool:
    """Whether this is the state that a finished output directory keeps, or a part of it."""
    folder = path if path.suffix == ".spuna" else path.parent
    is_of_output = (folder.parent / folder.name[1:].removesuffix(".spuna")).is_dir()
    return folder.suffix == ".spuna" and is_of_output and (path == folder or path.name in STATE)


def hidden_files(folder: Path) -> list[str]:
    """What a finished run must not leave behind: hidden or temporary files and folders."""
    return [
        str(path.relative_to(folder))
        for path in sorted(folder.rglob("*"))
        if (path.name.startswith(".") or path.suffix == ".tmp" or path.parent.suffix == ".spuna")
        and not is_state(path)
    ]


def manifest(out: Path) -> dict:
    return json.loads((state_of(out) / "manifest.json").read_text())


def lasting(found: dict) -> dict:
    """A manifest without what differs from run to run."""
    changing = ("seconds", "finished_at", "file_counts")
    return {key: value for key, value in found.items() if key not in changing}


def column(path: Path | str, name: str) -> list:
    return pq.ParquetFile(path).read(columns=[name])[name].to_pylist()


def ids(folder: Path) -> list[str]:
    return [value for path in parquet_files(folder).values() for value in column(path, "id")]


def tensors(model: Path) -> bytes:
    """A model without its header."""
    data = model.read_bytes()
    return data[8 + struct.unpack("<Q", data[:8])[0] :]


def check_finished(out: Path, expected: dict[str, bytes]) -> None:
    """A directory that holds just these Parquet files and `_SUCCESS`, with its state beside it."""
    assert sorted(parquet_bytes(out)) == sorted(expected)
    assert [name for name, data in parquet_bytes(out).items() if data != expected[name]] == []
    assert (out / "_SUCCESS").read_bytes() == b""
    assert {path.name for path in out.iterdir() if path.is_file()} <= {"_SUCCESS", *expected}
    assert {path.name for path in state_of(out).iterdir()} <= STATE
    assert hidden_files(out) == []


def check_valid(out: Path, expected: dict[str, bytes]) -> None:
    """What an unfinished directory shows under a final name is whole; it is not said to be done."""
    for name, data in parquet_bytes(out).items():
        assert data == expected[name], f"{name} is not what an undisturbed run writes"
    assert not (out / "_SUCCESS").exists()


# --- the program


@dataclass
class Result:
    code: int
    out: str
    err: str
    seconds: float
    cpu_seconds: float

    @property
    def json(self) -> dict:
        return json.loads(self.out)

    def __str__(self) -> str:
        return f"exit code {self.code} after {self.seconds:.1f} s\n{self.out}\n{self.err}"


class Running:
    """A started program. Its outputs go to files, so that it never waits for a reader."""

    def __init__(self, arguments, *, env=None, cwd=None, prefix=(), preexec=None):
        self.folder = tempfile.TemporaryDirectory(prefix="spuna-run-")
        self.out = Path(self.folder.name, "out")
        self.err = Path(self.folder.name, "err")
        self.begin = time.perf_counter()
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = subprocess.Popen(
                [*prefix, PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                env={**os.environ, **(env or {})}, cwd=cwd, preexec_fn=preexec,
            )  # fmt: skip
        self.status = None

    def poll(self) -> bool:
        """Whether it has ended."""
        if self.status is None:
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if pid != 0:
                self.seconds = time.perf_counter() - self.begin
                self.cpu_seconds = usage.ru_utime + usage.ru_stime
                self.status = os.waitstatus_to_exitcode(status)
                self.process.returncode = self.status
        return self.status is not None

    def send(self, number: int) -> None:
        if self.status is None:
            os.kill(self.process.pid, number)

    def said(self) -> str:
        return self.err.read_text(errors="replace")

    def wait_until(self, condition, timeout: float = TIMEOUT) -> bool:
        """Waits until the condition holds; False if the program ends before."""
        deadline = time.perf_counter() + timeout
        while not condition():
            if self.poll():
                return False
            if time.perf_counter() > deadline:
                self.kill()
                raise AssertionError(f"nothing happened in {timeout} s\n{self.said()}")
            time.sleep(0.0005)
        return not self.poll()

    def kill(self) -> bool:
        """kill -9; whether it was still running."""
        was_running = not self.poll()
        self.send(signal.SIGKILL)
        self.wait()
        return was_running and self.status == -signal.SIGKILL

    def wait(self, timeout: float = TIMEOUT) -> Result:
        deadline = time.perf_counter() + timeout
        while not self.poll():
            if time.perf_counter() > deadline:
                self.send(signal.SIGKILL)
                raise AssertionError(f"the program did not end in {timeout} s\n{self.said()}")
            time.sleep(0.001)
        return Result(self.status, self.out.read_text(errors="replace"), self.said(), self.seconds, self.cpu_seconds)


def run(*arguments, expect: int | None = 0, timeout: float = TIMEOUT, **settings) -> Result:
    """Runs the program to its end and checks its exit code."""
    result = Running(arguments, **settings).wait(timeout)
    if expect is not None:
        assert result.code == expect, f"expected exit code {expect}: {' '.join(map(str, arguments))}\n{result}"
        if expect in (1, 5, 6):
            assert "spuna: error: " in result.err, result.err
    return result


def any_output(out: Path):
    """A condition: a first file is finished."""
    return lambda: out.is_dir() and len(parquet_files(out)) > 0
