"""Stands in for the person who looks: fills in the verdicts of a list of rows from a column of truth.

    answer.py LIST POOL TRUTH REVIEWED.csv

You don't have such a column. Open the page instead, mark the rows and save the file."""

import csv
import sys

import pyarrow.parquet as pq


def main(listed: str, pool: str, truth: str, reviewed: str) -> None:
    rows = pq.read_table(listed).to_pylist()
    is_shifted = pq.read_table(pool, columns=[truth])[truth].to_pylist()
    for row in rows:
        if row["verdict"] is None:
            row["verdict"] = "shifted" if is_shifted[row["row"]] else "clean"
    with open(reviewed, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
