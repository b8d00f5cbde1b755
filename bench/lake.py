"""Scores lakes of many gigabytes and says how fast that is and how much memory it takes.

    bench/lake.py [--gigabytes 1 4 16] [--source FOLDER] [--dir build/lake]

A lake is made of real embeddings (the folder's trusted.parquet and pool.parquet), turned into 768
dimensions by a fixed random projection, repeated with a little noise, and written block by block
(with --single-row-group file by file, which takes 7 GB of memory).

The yardstick is what one would expect of a program that does one thing after the other: reading
and writing the same files without scoring (pyarrow, row group by row group, the same codec), and
scoring the same number of rows from memory (spuna's own classifier, without any file). `spuna
score` must reach 0.7 of its throughput in less than 600 MB, whatever the size of the lake.

Needs the presets release and bench. Disk: twice the largest lake; everything is deleted in the end.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parent.parent
DIMENSION = 768
ROW_GROUP = 16 * 1024
SINGLE_ROW_GROUP = 1024 * 1024  # pyarrow's default, 3.2 GB of such rows
FILE_ROW_GROUPS = 10  # about 500 MB
ROW_BYTES = 4 * DIMENSION + 24
NOISE = 0.05  # of each dimension's deviation
THREADS = 2
LEAST_THROUGHPUT = 0.7
MOST_MEGABYTES = 600
MEMORY_ROWS = 200_000  # scored from memory at a time; the seconds are scaled to the lake's rows


def read_rows(path: Path) -> tuple[np.ndarray, list[str]]:
    table = pq.read_table(path, columns=["embedding", "source"])
    values = table["embedding"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return values.reshape(len(table), -1).astype(np.float32), table["source"].to_pylist()


class Source:
    """Real rows in 768 dimensions, as many as one asks for."""

    def __init__(self, folder: Path):
        trusted, trusted_names = read_rows(folder / "trusted.parquet")
        pool, pool_names = read_rows(folder / "pool.parquet")
        matrix = np.random.default_rng(1).standard_normal((pool.shape[1], DIMENSION))
        matrix = (matrix / np.sqrt(pool.shape[1])).astype(np.float32)
        self.rows = {"trusted": trusted @ matrix, "pool": pool @ matrix}
        self.names = {"trusted": np.array(trusted_names), "pool": np.array(pool_names)}
        self.deviation = NOISE * self.rows["pool"].std(axis=0)

    def block(self, part: str, first: int, count: int) -> pa.RecordBatch:
        """Rows `first` to `first + count` of an endless repetition; the same whenever one asks."""
        chosen = np.arange(first, first + count) % len(self.rows[part])
        random = np.random.default_rng([first, part == "trusted"])
        values = random.standard_normal((count, DIMENSION), dtype=np.float32)
        values *= self.deviation
        values += self.rows[part][chosen]
        return pa.record_batch(
            {
                "id": pa.array([f"{part}-{row:012}" for row in range(first, first + count)]),
                "embedding": pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), DIMENSION),
                "source": pa.array(self.names[part][chosen].tolist(), pa.string()),
            }
        )


def make_lake(source: Source, folder: Path, num_bytes: float, codec: str, single: bool) -> int:
    """Writes the files of a lake, a block at a time; returns its rows."""
    folder.mkdir(parents=True)
    rows = max(int(num_bytes / ROW_BYTES) // ROW_GROUP, 1) * ROW_GROUP
    group = SINGLE_ROW_GROUP if single else ROW_GROUP
    per_file = SINGLE_ROW_GROUP if single else FILE_ROW_GROUPS * ROW_GROUP
    for number, first in enumerate(range(0, rows, per_file)):
        last = min(first + per_file, rows)
        path = folder / f"day={number // 4:03}" / f"part-{number:05}.parquet"
        path.parent.mkdir(exist_ok=True)
        schema = source.block("pool", 0, 1).schema
        with pq.ParquetWriter(path, schema, compression=codec, use_dictionary=["source"]) as writer:
            # A row group is a block, or all blocks of the file: the latter has to lie in memory.
            for begin in range(first, last, group):
                starts = range(begin, min(begin + group, last), ROW_GROUP)
                blocks = [source.block("pool", start, ROW_GROUP) for start in starts]
                writer.write_table(pa.Table.from_batches(blocks), row_group_size=group)
        found = pq.ParquetFile(path).metadata
        expected = 1 if single else (last - first) // ROW_GROUP
        assert found.num_rows == last - first and found.num_row_groups == expected, path
    os.sync()
    return rows


def lake_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.parquet"))


# A process counts the memory of the one that forked it as its own peak: so a small one forks.
LAUNCHER = """
import os, sys, time
begin = time.perf_counter()
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print(time.perf_counter() - begin, usage.ru_maxrss, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def timed(command: list) -> tuple[float, float, str]:
    """Seconds, peak resident megabytes as the system counts them, and standard output."""
    os.sync()  # What an earlier run wrote must not be on its way to the disk while this one runs.
    command = [sys.executable, "-S", "-E", "-c", LAUNCHER, *map(str, command)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"exit code {result.returncode}: {' '.join(command[5:])}\n{result.stderr}")
    seconds, kibibytes = result.stderr.split()[-2:]
    return float(seconds), int(kibibytes) * 1024 / 1e6, result.stdout


def remove(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)


class Bench:
    def __init__(self, options):
        self.options = options
        self.program = options.program
        self.source = Source(options.source)
        self.folder = Path(tempfile.mkdtemp(prefix="bench-", dir=options.dir))
        self.model = self.folder / "model.safetensors"
        self.raw = self.folder / "rows.float32"

    def prepare(self) -> None:
        for part in ("trusted", "pool"):
            batch = self.source.block(part, 0, len(self.source.rows[part]))
            pq.write_table(pa.table(batch), self.folder / f"{part}.parquet")
        timed(
            [self.program, "fit", "--trusted", self.folder / "trusted.parquet",
             "--pool", self.folder / "pool.parquet", "--model", self.model, "--overwrite", "--quiet"]
        )  # fmt: skip
        with self.raw.open("wb") as file:
            for first in range(0, MEMORY_ROWS, 20_000):
                values = self.source.block("pool", first, 20_000).column("embedding").flatten()
                values.to_numpy().tofile(file)

    def score(self, lake: Path, rows: int) -> tuple[float, float, float]:
        """Seconds, and the peak megabytes by the program's and by the system's account."""
        out = self.folder / "scored"
        remove(out)
        seconds, resident, text = timed(
            [self.program, "score", "--model", self.model, "--input", lake, "--out", out,
             "--threads", THREADS, "--json", "--quiet"]
        )  # fmt: skip
        report = json.loads(text)
        assert report["rows_in"] == rows, f"scored {report['rows_in']} of {rows} rows"
        written = {path.relative_to(out) for path in out.rglob("*.parquet")}
        assert written == {path.relative_to(lake) for path in lake.rglob("*.parquet")}
        remove(out)
        return seconds, report["peak_memory_bytes"] / 1e6, resident

    def rewrite(self, lake: Path) -> tuple[float, float]:
        out = self.folder / "rewritten"
        remove(out)
        seconds, resident, _ = timed([sys.executable, __file__, "--rewrite", lake, out])
        remove(out)
        return seconds, resident

    def score_from_memory(self, rows: int) -> float:
        """Seconds to score so many rows that lie in memory; the second run counts."""
        words = f"score {self.model} {self.raw} {DIMENSION}\n"
        worker = subprocess.run(
            [self.options.worker], input=words * 2, capture_output=True, text=True, check=True
        )
        answer = json.loads(worker.stdout.splitlines()[-1])
        return answer["seconds"] * rows / MEMORY_ROWS

    def clean(self, lake: Path) -> tuple[float, float, float]:
        """A whole `clean`, fit and all, with the options as they are by default."""
        out = self.folder / "cleaned"
        remove(out)
        seconds, resident, text = timed(
            [self.program, "clean", "--trusted", self.folder / "trusted.parquet", "--pool", lake,
             "--out", out, "--threads", THREADS, "--json", "--quiet"]
        )  # fmt: skip
        remove(out)
        return seconds, json.loads(text)["peak_memory_bytes"] / 1e6, resident

    def measure(self, gigabytes: float) -> None:
        lake = self.folder / f"lake-{gigabytes:g}"
        remove(lake)
        free = shutil.disk_usage(self.folder).free
        if free < 2.2e9 * gigabytes:
            raise RuntimeError(
                f"a lake of {gigabytes:g} GB needs {2.2 * gigabytes:.0f} GB of disk; {free / 1e9:.0f} are free"
            )
        rows = make_lake(self.source, lake, gigabytes * 1e9, self.options.codec, self.options.single_row_group)
        size, files = lake_bytes(lake) / 1e9, len(list(lake.rglob("*.parquet")))
        own, rewriting, memory, peaks, residents, rewriter = [], [], [], [], [], []
        for round_number in range(self.options.repeats):

            def run_own():
                seconds, peak, resident = self.score(lake, rows)
                own.append(seconds)
                peaks.append(peak)
                residents.append(resident)

            def run_yardstick():
                seconds, resident = self.rewrite(lake)
                rewriting.append(seconds)
                rewriter.append(resident)
                memory.append(self.score_from_memory(rows))

            # Who goes first takes turns: the second finds more of the lake in the system's memory.
            for step in (run_own, run_yardstick) if round_number % 2 else (run_yardstick, run_own):
                step()
        ratios = [(read + score) / mine for read, score, mine in zip(rewriting, memory, own)]
        median = statistics.median
        ratio = (median(rewriting) + median(memory)) / median(own)
        slow = "" if ratio >= LEAST_THROUGHPUT else " **missed**"
        large = "" if max(peaks + residents) < MOST_MEGABYTES else " **missed**"
        print(
            f"| {size:.1f} GB | {rows:,} | {files} | {median(own):.1f} s | {size / median(own):.2f} GB/s | "
            f"{median(rewriting):.1f} + {median(memory):.1f} s | {ratio:.2f} ({min(ratios):.2f}–{max(ratios):.2f}){slow} | "
            f"{max(peaks):.0f} MB | {max(residents):.0f} MB{large} | {max(rewriter):.0f} MB |",
            flush=True,
        )
        if self.options.clean:
            seconds, peak, resident = self.clean(lake)
            large = "" if max(peak, resident) < MOST_MEGABYTES else " **missed**"
            print(
                f"| {size:.1f} GB, `clean` | {rows:,} | {files} | {seconds:.1f} s | {size / seconds:.2f} GB/s | "
                f" | | {peak:.0f} MB | {resident:.0f} MB{large} | |",
                flush=True,
            )
        remove(lake)

    def run(self) -> None:
        self.prepare()
        print(
            "| lake | rows | files | `spuna score` | throughput | yardstick: rewriting + scoring | "
            f"yardstick ÷ ours (at least {LEAST_THROUGHPUT}) | peak, own account | peak, the system's "
            f"(under {MOST_MEGABYTES} MB) | peak of rewriting |"
        )
        print("|---" * 10 + "|", flush=True)
        for gigabytes in self.options.gigabytes:
            self.measure(gigabytes)


def rewrite(lake: Path, out: Path) -> None:
    """Reads and writes every file of a lake, what a program does that changes nothing."""
    pa.set_cpu_count(THREADS)
    pa.set_io_thread_count(THREADS)
    for path in sorted(lake.rglob("*.parquet")):
        file = pq.ParquetFile(path)
        target = out / path.relative_to(lake)
        target.parent.mkdir(parents=True, exist_ok=True)
        codec = file.metadata.row_group(0).column(0).compression
        with pq.ParquetWriter(target, file.schema_arrow, compression=codec, use_dictionary=["source"]) as writer:
            for group in range(file.num_row_groups):
                for batch in file.iter_batches(batch_size=ROW_GROUP, row_groups=[group], use_threads=True):
                    writer.write_batch(batch)  # A row group of its own, as large as the batch.


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabytes", type=float, nargs="+", default=[1, 4, 16])
    parser.add_argument("--source", type=Path, default=ROOT / "examples/quickstart")
    parser.add_argument("--dir", type=Path, default=ROOT / "build/lake", help="where lakes and outputs go")
    parser.add_argument("--codec", default="snappy")
    parser.add_argument("--single-row-group", action="store_true", help="files of one row group, 1 Mi rows")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--clean", action="store_true", help="measure a whole `clean` of each lake too")
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/spuna")
    parser.add_argument("--worker", type=Path, default=ROOT / "build/bench/bench/performance_worker")
    parser.add_argument("--rewrite", type=Path, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rewrite:
        rewrite(*options.rewrite)
        return
    options.dir.mkdir(parents=True, exist_ok=True)
    bench = Bench(options)
    try:
        bench.run()
    finally:
        remove(bench.folder)


if __name__ == "__main__":
    main()
