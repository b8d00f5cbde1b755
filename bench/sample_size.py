"""How many pool rows a fit needs: test AUROC against the rows that it sees, and its seconds and memory.

    bench/sample_size.py DIRECTORY --out sample_size.csv [--plot docs/sample_size.svg]

The directory holds one folder a case, as for bench/quality. Random subsets of each pool are fitted
with all trusted rows and scored on the case's test rows. What comes after the largest pool is asked
of a stand-in, rows drawn from Gaussians with the means and covariances of real clean and shifted
rows. For the cost one pool is made larger by repeating its rows with a little noise.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parent.parent
CASES = (
    "ti_jpeg_s2_large", "ti_mixed", "ti_contrast_near", "ti_gblur_near", "ti_jpeg_s2_prev05",
    "ti_jpeg_s2_prev25", "pacs_photo_cartoon",
)  # fmt: skip
SIZES = (250, 500, 1000, 2000, 4000, 8000, 14_000)
LARGE = "ti_jpeg_s2_large"
BEYOND_SIZES = (1000, 4000, 14_000, 28_000, 56_000)
COST_SIZES = (14_000, 28_000, 56_000, 112_000)
COST_DIMENSIONS = (240, 768)
FIELDS = (
    "part", "case", "dimension", "rows", "seed", "auroc", "share", "estimate", "shift_found", "rounds",
    "seconds", "peak_mb",
)  # fmt: skip


def read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """The embeddings, a row each, and whether each is shifted."""
    table = pq.read_table(path, columns=["embedding", "shifted"])
    values = table["embedding"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return values.reshape(len(table), -1).astype(np.float32), np.array(table["shifted"].to_pylist(), bool)


def write(path: Path, rows: np.ndarray, shifted: np.ndarray) -> None:
    embedding = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), rows.shape[1])
    pq.write_table(
        pa.table({"embedding": embedding, "shifted": shifted}), path, row_group_size=16_384, compression="none"
    )


class Case:
    """Rows with ground truth; `fit` says how good and how dear a fit of some of them is."""

    def __init__(self, name: str, trusted, pool, test):
        self.name, self.trusted, self.pool, self.test = name, trusted, pool, test

    @classmethod
    def load(cls, folder: Path) -> Case:
        return cls(folder.name, *(read(folder / f"{part}.parquet") for part in ("trusted", "pool", "test")))

    def with_share(self, share: float) -> Case:
        """The same with all clean pool rows, and as many shifted ones as make this share."""
        rows, shifted = self.pool
        clean = np.flatnonzero(~shifted)
        random = np.random.default_rng(0)
        count = round(len(clean) * share / (1 - share))
        chosen = np.concatenate([clean, random.choice(np.flatnonzero(shifted), count, replace=False)])
        random.shuffle(chosen)
        return Case(f"{self.name}, {share:.0%} shifted", self.trusted, (rows[chosen], shifted[chosen]), self.test)

    def with_half_of_the_test_rows(self) -> Case:
        """The same with every other test row in the pool and the rest left to test with."""
        (rows, shifted), (test, truth) = self.pool, self.test
        pool = np.concatenate([rows, test[::2]]), np.concatenate([shifted, truth[::2]])
        return Case(f"{self.name}, half of test added", self.trusted, pool, (test[1::2], truth[1::2]))

    def projected(self, dimension: int) -> Case:
        """The same in another dimension: a fixed random projection, and as much noise as in `repeated`."""
        old = self.trusted[0].shape[1]
        if dimension == old:
            return self
        matrix = np.random.default_rng(1).standard_normal((old, dimension)).astype(np.float32) / np.sqrt(old)

        def turn(part, seed):
            rows = part[0] @ matrix
            noise = np.random.default_rng(seed).standard_normal(rows.shape, dtype=np.float32)
            return rows + 0.05 * rows.std(axis=0) * noise, part[1]

        return Case(self.name, turn(self.trusted, 2), turn(self.pool, 3), turn(self.test, 4))

    def stand_in(self, share: float, count: int) -> Case:
        """New rows: Gaussians with the mean and covariance of the clean and of the shifted pool rows."""
        random = np.random.default_rng(6)
        rows, truth = self.pool
        kinds = [(rows[truth == kind].mean(axis=0), np.cov(rows[truth == kind].T)) for kind in (False, True)]

        def draw(count: int, share: float) -> tuple[np.ndarray, np.ndarray]:
            shifted = np.zeros(count, bool)
            shifted[: round(count * share)] = True
            random.shuffle(shifted)
            drawn = np.empty((count, rows.shape[1]), np.float32)
            for kind, (mean, covariance) in enumerate(kinds):
                chosen = np.flatnonzero(shifted == kind)
                drawn[chosen] = random.multivariate_normal(mean, covariance, len(chosen), method="cholesky")
            return drawn, shifted

        name = f"Gaussians, {share:.0%} shifted"
        return Case(name, draw(len(self.trusted[0]), 0), draw(count, share), draw(len(self.test[0]), 0.5))

    def subset(self, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        chosen = np.random.default_rng([seed, count]).permutation(len(self.pool[0]))[:count]
        return self.pool[0][chosen], self.pool[1][chosen]

    def repeated(self, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """`count` pool rows, repeated as often as it takes, with noise of 5 % of each deviation."""
        rows, shifted = self.pool
        chosen = np.arange(count) % len(rows)
        noise = np.random.default_rng(seed).standard_normal((count, rows.shape[1]), dtype=np.float32)
        noise *= 0.05 * rows.std(axis=0)
        noise[: len(rows)] = 0
        noise += rows[chosen]
        return noise, shifted[chosen]


def run(program: Path, *arguments) -> dict:
    command = [str(program), *map(str, arguments), "--json", "--quiet"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def fit(options, folder: Path, part: str, case: Case, pool, seed: int) -> dict:
    write(folder / "trusted.parquet", *case.trusted)
    write(folder / "pool.parquet", *pool)
    write(folder / "test.parquet", *case.test)
    model, scored = folder / "model.safetensors", folder / "scored.parquet"
    report = run(
        options.program, "fit", "--trusted", folder / "trusted.parquet", "--pool", folder / "pool.parquet",
        "--model", model, "--seed", seed, "--threads", options.threads, "--overwrite", "--force",
    )  # fmt: skip
    run(
        options.program, "score", "--model", model, "--input", folder / "test.parquet", "--out", scored,
        "--threads", options.threads, "--overwrite",
    )  # fmt: skip
    evaluation = run(options.program, "evaluate", "--input", scored, "--truth", "shifted")
    row = {
        "part": part,
        "case": case.name,
        "dimension": pool[0].shape[1],
        "rows": len(pool[0]),
        "seed": seed,
        "auroc": round(evaluation["auroc"], 5),
        "share": round(float(pool[1].mean()), 4),
        "estimate": round(report["share_shifted"]["estimate"], 4),
        "shift_found": report["shift_found"],
        "rounds": report["rounds"],
        "seconds": round(report["seconds"]["total"], 2),
        "peak_mb": round(report["peak_memory_bytes"] / 1e6),
    }
    print(",".join(str(value) for value in row.values()), file=sys.stderr, flush=True)
    return row


def measure_quality(options, folder: Path) -> list[dict]:
    cases = [Case.load(options.directory / name) for name in CASES]
    large = cases[0]
    cases += [large.with_share(0.05), large.with_share(0.01), large.with_half_of_the_test_rows()]
    rows = []
    for case in cases:
        available = len(case.pool[0])
        sizes = [size for size in SIZES if size < 0.99 * available] + [available]
        for size in sizes:
            for seed in range(3 if size <= 4000 or case is not large else 2):
                rows.append(fit(options, folder, "quality", case, case.subset(size, seed), seed))
    return rows


def measure_beyond(options, folder: Path) -> list[dict]:
    large = Case.load(options.directory / LARGE)
    rows = []
    for share in (0.5, 0.05, 0.01):
        case = large.stand_in(share, BEYOND_SIZES[-1])
        for size in BEYOND_SIZES:
            for seed in range(3 if size <= 4000 else 2):
                rows.append(fit(options, folder, "beyond", case, case.subset(size, seed), seed))
    return rows


def measure_cost(options, folder: Path) -> list[dict]:
    large = Case.load(options.directory / LARGE)
    rows = []
    for dimension in COST_DIMENSIONS:
        case = large.projected(dimension)
        for size in options.cost_sizes:
            pool = case.repeated(size, 5)
            for _ in range(options.repeats):
                rows.append(fit(options, folder, "cost", case, pool, 0))
    return rows


def curves(rows: list[dict], part: str) -> dict[str, dict[int, list[float]]]:
    found: dict[str, dict[int, list[float]]] = {}
    for row in rows:
        if row["part"] == part:
            found.setdefault(row["case"], {}).setdefault(int(row["rows"]), []).append(float(row["auroc"]))
    return found


def print_curves(found: dict[str, dict[int, list[float]]], sizes: tuple[int, ...]) -> None:
    print("| case | " + " | ".join(f"{size:,}" for size in sizes) + " | all |")
    print("|---" * (len(sizes) + 2) + "|")
    for case, by_size in found.items():
        last = max(by_size)
        cells = [f"{statistics.mean(by_size[size]):.3f}" if size in by_size and size != last else "" for size in sizes]
        print(f"| {case} | {' | '.join(cells)} | {statistics.mean(by_size[last]):.3f} ({last:,}) |")
    print()


def print_tables(rows: list[dict]) -> None:
    print_curves(curves(rows, "quality"), SIZES)
    print_curves(curves(rows, "beyond"), BEYOND_SIZES[:-1])
    print("| pool rows | dimension | seconds | peak | AUROC |\n|---|---|---|---|---|")
    runs: dict[tuple[int, int], list[dict]] = {}
    for row in rows:
        if row["part"] == "cost":
            runs.setdefault((int(row["dimension"]), int(row["rows"])), []).append(row)
    for (dimension, size), found in sorted(runs.items()):
        # The shortest time, since whatever else the machine did can only have added to it.
        print(
            f"| {size:,} | {dimension} | {min(float(row['seconds']) for row in found):.1f} | "
            f"{max(int(row['peak_mb']) for row in found)} MB | {float(found[0]['auroc']):.3f} |"
        )


def plot(rows: list[dict], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "spuna", "svg.fonttype": "none"})
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4))
    for case, by_size in curves(rows, "quality").items():
        sizes = sorted(by_size)
        axes.semilogx(sizes, [statistics.mean(by_size[size]) for size in sizes], ".-", linewidth=1, label=case)
    axes.set_xlabel("pool rows that the fit sees")
    axes.set_ylabel("test AUROC")
    axes.minorticks_off()
    axes.set_xticks(SIZES, [f"{size:,}" for size in SIZES])
    axes.grid(True, alpha=0.3)
    axes.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="the table, CSV; --only adds to what is there")
    parser.add_argument("--plot", type=Path, help="the curves, SVG")
    parser.add_argument("--only", choices=("quality", "beyond", "cost", "tables"))
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/spuna")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=2, help="of each measurement of cost")
    parser.add_argument("--cost-sizes", type=int, nargs="+", default=COST_SIZES)
    options = parser.parse_args()
    rows = []
    if options.only and options.out.exists():
        with options.out.open(newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["part"] != options.only]
    with tempfile.TemporaryDirectory(prefix="spuna-sample-size-") as folder:
        if options.only in (None, "quality"):
            rows += measure_quality(options, Path(folder))
        if options.only in (None, "beyond"):
            rows += measure_beyond(options, Path(folder))
        if options.only in (None, "cost"):
            rows += measure_cost(options, Path(folder))
    with options.out.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print_tables(rows)
    if options.plot:
        plot(rows, options.plot)


if __name__ == "__main__":
    main()
