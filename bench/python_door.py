"""Compares scoring through Python with scoring in C++, run by run: bench/doors runs it."""

import statistics
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq

import spuna

ROWS_PER_BATCH = 16_384
REPEATS = 25


def score_in_python(table, model):
    started = time.perf_counter()
    reader = table.to_reader(max_chunksize=ROWS_PER_BATCH)
    for _batch in pa.RecordBatchReader.from_stream(model.score(reader)):
        pass
    return time.perf_counter() - started


def score_in_cpp(program):
    program.stdin.write("x")
    program.stdin.flush()
    return float(program.stdout.readline())


def main():
    path, directory = sys.argv[1:]
    table = pq.read_table(f"{directory}/rows.parquet")
    model = spuna.Model.load(f"{directory}/model.safetensors")
    program = subprocess.Popen(
        [path, "stream", directory], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    # The first pair warms up.
    pairs = [(score_in_cpp(program), score_in_python(table, model)) for _ in range(REPEATS + 1)][1:]
    program.stdin.close()
    program.wait()
    print(f"scoring in C++             {statistics.median(cpp for cpp, _ in pairs):.3f} s")
    print(f"scoring through Python     {statistics.median(python for _, python in pairs):.3f} s")
    print(f"Python / C++               {statistics.median(python / cpp for cpp, python in pairs):.2f}")


if __name__ == "__main__":
    main()
