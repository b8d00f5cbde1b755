"""Scores one new file in a lake of many finished ones, and says what the others cost.

    bench/incremental.py [--files 10000] [--rows 60] [--new-rows 20000] [--dir build/incremental]

The lake has hive partitions of 100 small files. Each command runs on it once; then a file is added,
three times, and the run that scores it is measured beside `score` of that file alone. A lake of
10,000 finished files may add 5 seconds.

Needs the preset release. Disk: a few hundred megabytes; everything is deleted in the end.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parent.parent
DIMENSION = 64
DISTINCT = 20  # files that are made; the others are copies of them
MOST_SECONDS = 5.0  # that the finished files may add
REPEATS = 3


def write_rows(path: Path, count: int, seed: int, share: float = 0.4) -> Path:
    random = np.random.default_rng(seed)
    rows = random.standard_normal((count, DIMENSION)).astype(np.float32)
    rows[random.random(count) < share, :8] += 1.5
    embedding = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), DIMENSION)
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"id": [f"{seed}-{row}" for row in range(count)], "embedding": embedding}), path)
    return path


def make_lake(folder: Path, num_files: int, rows: int) -> None:
    made = [write_rows(folder.parent / f"made-{number}.parquet", rows, number) for number in range(DISTINCT)]
    for number in range(num_files):
        place = folder / f"day={number // 100:04}"
        place.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(made[number % DISTINCT], place / f"part-{number % 100:03}.parquet")


def run(program: Path, *arguments) -> tuple[float, dict]:
    """Seconds, and the JSON of the run."""
    begin = time.perf_counter()
    done = subprocess.run(
        [program, *map(str, arguments), "--json", "--quiet"], stdout=subprocess.PIPE, check=True, text=True
    )
    return time.perf_counter() - begin, json.loads(done.stdout)


def measure(program: Path, folder: Path, options: argparse.Namespace) -> bool:
    lake, trusted, model = folder / "lake", folder / "trusted.parquet", folder / "model.safetensors"
    make_lake(lake, options.files, options.rows)
    write_rows(trusted, 500, 1000, share=0.0)
    fit = ("--trusted", trusted, "--pool", lake, "--fit-rows", 1000)
    run(program, "fit", *fit, "--model", model)
    commands = {
        "score": ("score", "--model", model, "--input", lake, "--out", folder / "scored"),
        "clean": ("clean", *fit, "--out", folder / "cleaned"),
    }
    print(f"{options.files:,} files of {options.rows} rows, {DIMENSION} dimensions; a new file of {options.new_rows:,} rows")
    print("| command | all files | nothing new | one new file | that file alone | added | ratio |")
    print("|---|---|---|---|---|---|---|")
    is_kept, number = True, 0
    for name, command in commands.items():
        whole, _ = run(program, *command)
        nothing = min(run(program, *command)[0] for _ in range(REPEATS))
        together, alone = [], []
        for _ in range(REPEATS):
            number += 1
            new = write_rows(lake / "day=9999" / f"new-{number}.parquet", options.new_rows, 2000 + number)
            seconds, told = run(program, *command)
            assert told["file_counts"]["scored"] == 1, told["file_counts"]
            together.append(seconds)
            single = ("score", "--model", model, "--input", new, "--out", folder / f"single-{number}.parquet")
            alone.append(run(program, *single)[0])
        added = min(together) - min(alone)
        is_kept = is_kept and added < MOST_SECONDS
        print(
            f"| {name} | {whole:.1f} s | {nothing:.2f} s | {min(together):.2f} s | {min(alone):.2f} s "
            f"| {added:.2f} s | {min(together) / min(alone):.1f} |"
        )
    return is_kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("--new-rows", type=int, default=20_000)
    parser.add_argument("--dir", type=Path, default=ROOT / "build" / "incremental")
    options = parser.parse_args()
    program = Path(os.environ.get("SPUNA_PROGRAM", ROOT / "build" / "release" / "spuna"))
    shutil.rmtree(options.dir, ignore_errors=True)
    options.dir.mkdir(parents=True)
    try:
        is_kept = measure(program, options.dir, options)
    finally:
        shutil.rmtree(options.dir)
    if not is_kept:
        sys.exit(f"expected that finished files add less than {MOST_SECONDS:.0f} s")


if __name__ == "__main__":
    main()
