"""The expansion over Spark against one machine, on the same rows and cores: docs/scale.md.

    SPUNA_PROGRAM=build/release/spuna .deps/python-tests/bin/python bench/scale.py

Runs in the environment that scripts/test_python makes. Rows are normal, every third one shifted; the
entropy rule is switched off so that both run the same rounds.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python" / "tests"))
import spark_sessions  # noqa: E402

import spuna  # noqa: E402
import spuna.spark  # noqa: E402


def write(path, matrix, rows_per_group):
    lists = pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), matrix.shape[1])
    pq.write_table(pa.table({"embedding": lists}), path, row_group_size=rows_per_group)


def on_one_machine(folder, options, threads):
    """Seconds of the expansion, which the command reports by stage."""
    arguments = [f"--{key}={value}" for key, value in options.items()]
    program = [
        os.environ["SPUNA_PROGRAM"], "fit", "--recipe=paper", "--fit-rows=0", *arguments, "--epochs=1", "--hidden=8",
        f"--trusted={folder}/trusted.parquet", f"--pool={folder}/pool.parquet", "--force",
        f"--model={folder}/model.safetensors", "--overwrite", "--json", "--quiet", f"--threads={threads}",
    ]
    report = json.loads(subprocess.run(program, check=True, capture_output=True).stdout)
    return sum(report["seconds"][stage] for stage in ("seed", "expand", "entropy")), report


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--dimension", type=int, default=768)
    parser.add_argument("--beta", type=int, default=2_500)
    parser.add_argument("--k", type=int, default=100)
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--cores", type=int, default=2)
    arguments = parser.parse_args()
    n, d = arguments.rows, arguments.dimension
    options = {"alpha": 30, "beta": arguments.beta, "k": arguments.k, "epsilon": -1e9}
    rng = np.random.default_rng(0)
    pool = rng.normal(size=(n, d)).astype(np.float32)
    pool[::3] += 0.3
    with tempfile.TemporaryDirectory() as folder:
        write(f"{folder}/trusted.parquet", rng.normal(size=(1000, d)).astype(np.float32), 1000)
        write(f"{folder}/pool.parquet", pool, -(-n // arguments.partitions))
        del pool
        one, report = on_one_machine(folder, options, arguments.cores)
        with spark_sessions.session(f"local[{arguments.cores}]", **{"spark.driver.memory": "6g"}) as spark:
            rows = spark.read.parquet(f"{folder}/pool.parquet").repartition(arguments.partitions).persist()
            rows.count()
            trusted = spark.read.parquet(f"{folder}/trusted.parquet")
            spuna.spark.score(rows.limit(10), spuna.Model.load(f"{folder}/model.safetensors")).count()
            started = time.perf_counter()
            expanded = spuna.spark.expand(trusted, rows, **options)
            spark_seconds = time.perf_counter() - started
    print(json.dumps({
        "rows": n, "dimension": d, "options": options, "rounds": report["rounds"],
        "one_machine_seconds": round(one, 2), "spark_seconds": round(spark_seconds, 2),
        "spark_seconds_of_rounds": [round(s, 2) for s in expanded.report["seconds"]],
        "bytes_broadcast": expanded.report["bytes_broadcast"],
        "ratio": round(spark_seconds / one, 2),
    }, indent=2))


if __name__ == "__main__":
    main()
