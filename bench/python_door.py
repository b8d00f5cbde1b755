"""Compares scoring through Python with scoring in C++, interleaved: bench/doors runs it."""

import statistics
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq

import spuna

ROWS_PER_BATCH = 16_384
ROUNDS = 3
REPEATS = 7


def main():
    program, directory = sys.argv[1:]
    table = pq.read_table(f"{directory}/rows.parquet")
    model = spuna.Model.load(f"{directory}/model.safetensors")
    in_cpp, in_python = [], []
    for _ in range(ROUNDS):
        out = subprocess.run([program, "stream", directory], check=True, capture_output=True, text=True)
        in_cpp += map(float, out.stdout.split())
        for _ in range(REPEATS):
            started = time.perf_counter()
            reader = table.to_reader(max_chunksize=ROWS_PER_BATCH)
            for _batch in pa.RecordBatchReader.from_stream(model.score(reader)):
                pass
            in_python.append(time.perf_counter() - started)
    cpp, python = statistics.median(in_cpp), statistics.median(in_python)
    print(f"scoring in C++             {cpp:.3f} s")
    print(f"scoring through Python     {python:.3f} s")
    print(f"Python / C++               {python / cpp:.2f}")


if __name__ == "__main__":
    main()
