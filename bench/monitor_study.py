"""How often `spuna monitor` cries wolf and how soon it finds a shift, as a Markdown table:

    bench/monitor_study.py WORKER DIRECTORY CASE... [--fits 100]

WORKER is build/bench/bench/monitor_study (see monitor_study.cc for what is measured); the directory
holds one folder a case with trusted.parquet, pool.parquet and test.parquet, each with the columns
`embedding` and `shifted`. The rows of all three are taken together. A case of 5,000 clean rows takes
some minutes.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def load(case):
    """The distinct embeddings of a case, and which of them are shifted."""
    columns = ["embedding", "shifted"]
    tables = [
        pq.read_table(case / f"{part}.parquet", columns=columns)
        for part in ("trusted", "pool", "test")
    ]
    table = pa.concat_tables(tables).combine_chunks()
    embeddings = table["embedding"].chunk(0).flatten().to_numpy().astype(np.float32)
    shifted = table["shifted"].to_numpy().astype(bool)
    embeddings = embeddings.reshape(len(shifted), -1)
    distinct = np.sort(np.unique(embeddings, axis=0, return_index=True)[1])
    return embeddings[distinct], shifted[distinct]


def run(worker, case, fits):
    embeddings, shifted = load(case)
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder, name) for name in ("clean", "shifted")]
        embeddings[~shifted].tofile(paths[0])
        embeddings[shifted].tofile(paths[1])
        words = [worker, *map(str, paths), str(embeddings.shape[1]), str(fits), "1"]
        return json.loads(subprocess.run(words, check=True, capture_output=True).stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("worker")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--fits", type=int, default=100)
    arguments = parser.parse_args()
    print("| case | false alarms | found within 1, 2, 3 batches: at once | after 50 | after 500 ", end="")
    print("| covered, none shifted | covered, 20 % |")
    print("|---|---|---|---|---|---|---|")
    for case in arguments.cases:
        result = run(arguments.worker, arguments.directory / case, arguments.fits)
        cells = [case, f"{result['false_alarms']} of {result['histories']}"]
        for quiet in ("0", "50", "500"):
            took = result["found_after"][quiet]
            within = ", ".join(str(count) for count in np.cumsum(took)[:3])
            cells.append(f"{within} of {sum(took)}")
        for share in ("share_of_clean", "share_of_shifted"):
            cells.append(f"{result[share]['covered']:.3f}")
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
