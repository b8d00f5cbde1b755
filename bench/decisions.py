#!/usr/bin/env python3
"""What thresholds, shares and the test promise, and what they keep, over many draws of real rows.

  bench/decisions.py DATA [--worker build/bench/bench/decisions_worker] [--draws 200] [--part loss]

DATA holds folders of trusted.parquet, pool.parquet and test.parquet with `embedding` and `shifted`.
Prints the tables of docs/decisions.md.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np
import pyarrow.parquet as pq
from scipy.stats import gaussian_kde
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

SHARES = (0.0, 0.05, 0.25, 0.5, 0.75)
LEVELS = ("0.01", "0.02", "0.05", "0.1")


def read_case(folder):
    """All distinct rows of a case: clean, shifted."""
    rows = {}
    for part in ("trusted", "pool", "test"):
        table = pq.read_table(folder / f"{part}.parquet", columns=["embedding", "shifted"])
        values = table["embedding"].combine_chunks().flatten().to_numpy()
        for row, shifted in zip(values.reshape(len(table), -1).astype("f4"), table["shifted"].to_pylist()):
            rows[row.tobytes()] = (row, shifted)
    return tuple(np.stack([row for row, is_shifted in rows.values() if is_shifted == side]) for side in (False, True))


class Case:
    def __init__(self, folder, directory, worker):
        clean, shifted = read_case(folder)
        self.name, self.worker, self.dimension = folder.name, worker, clean.shape[1]
        self.paths = [pathlib.Path(directory) / f"{self.name}.{side}" for side in ("clean", "shifted")]
        for path, rows in zip(self.paths, (clean, shifted)):
            rows.tofile(path)

    def run(self, part, trusted, pool, fresh, share, draws, first=0):
        command = [self.worker, part, *self.paths, self.dimension, trusted, pool, fresh, share, first, draws]
        lines = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout
        return [json.loads(line) for line in lines.splitlines()]


def print_losses(case, draws, sizes):
    """Mean loss of clean rows, and of the dropped rows the share that is clean, with standard errors."""
    print(f"\n{case.name}, {draws} draws of {sizes[0]} trusted and {sizes[1]} pool rows")
    print("\n| shifted | rows | " + " | ".join(LEVELS) + " | false drops at 0.1 | shifted rows caught |")
    print("|---|---|" + "---|" * (len(LEVELS) + 2))
    for share in SHARES:
        told = case.run("loss", *sizes, share, draws)
        for rows in ("pool", "fresh"):
            cells = []
            for level in LEVELS:
                values = np.array([line[rows][level] for line in told])
                cells.append(f"{values.mean():.4f} ± {values.std() / len(values) ** 0.5:.4f}")
            false = np.array([line["false_drops"] for line in told])
            caught = np.mean([line["caught"] for line in told])
            more = [f"{false.mean():.3f} ± {false.std() / len(false) ** 0.5:.3f}", f"{caught:.2f}"] if rows == "pool" else ["", ""]
            print(f"| {share:.0%} | {rows} | " + " | ".join(cells + more) + " |", flush=True)


def print_verdicts(case, draws, sizes, shares):
    print(f"\n{case.name}, {draws} draws of {sizes[0]} trusted and {sizes[1]} pool rows")
    print("\n| shifted | shift found | mean error of the share | bias | in the interval | mean width |")
    print("|---|---|---|---|---|---|")
    for share in shares:
        told = case.run("verdict", *sizes, share, draws)
        get = lambda key: np.array([line[key] for line in told])
        covered = (get("low") <= share) & (share <= get("high"))
        print(
            f"| {share:.0%} | {(get('p_value') < 0.05).mean():.1%} | {abs(get('estimate') - share).mean():.3f} | "
            f"{(get('estimate') - share).mean():+.3f} | {covered.mean():.1%} | {(get('high') - get('low')).mean():.3f} |",
            flush=True,
        )


def elkan_noto(trusted, pool):
    """With g(x) the probability of being trusted by a logistic curve over the score and its square."""
    scores = np.r_[trusted, pool]
    features = np.stack([scores, scores**2], 1)
    is_trusted = np.r_[np.ones(len(trusted)), np.zeros(len(pool))]
    g = LogisticRegression(C=1e3, max_iter=500).fit(features, is_trusted).predict_proba(features)[:, 1]
    c, of_pool = g[: len(trusted)].mean(), g[len(trusted) :]
    return 1 - ((1 - c) / c * of_pool / (1 - of_pool)).mean()


def penalized_l1(trusted, pool, strength=0.1):
    """du Plessis, Niu and Sugiyama, with 50 Gaussian bumps over the score."""
    scores = np.r_[trusted, pool]
    centers, width = np.quantile(scores, np.linspace(0.01, 0.99, 50)), np.median(abs(scores - np.median(scores)))
    of = lambda values: np.exp(-((values[:, None] - centers) ** 2) / (2 * width**2)).mean(0)
    clean = np.linspace(0, 1, 201)
    beta = clean[:, None] * of(trusted) - of(pool)
    return 1 - clean[((np.maximum(beta, 0) * beta).sum(1) / strength - clean + 1).argmin()]


def kernel_quotient(trusted, pool):
    places = np.quantile(trusted, [0.05, 0.1, 0.2, 0.3])
    return 1 - (gaussian_kde(pool)(places) / gaussian_kde(trusted)(places)).min()


def isotonic_quotient(trusted, pool):
    scores = np.r_[trusted, pool]
    is_pool = np.r_[np.zeros(len(trusted)), np.ones(len(pool))]
    weights = np.r_[np.full(len(trusted), 1 / len(trusted)), np.full(len(pool), 1 / len(pool))]
    chance = IsotonicRegression().fit(scores, is_pool, sample_weight=weights).predict(scores)
    lowest = scores.argsort()[: len(scores) // 10]
    return 1 - (chance / (1 - chance + 1e-12))[lowest].mean()


def median_bin(trusted, pool):
    middle = np.median(trusted)
    return 1 - (pool <= middle).mean() / (trusted <= middle).mean()


def best_bin(trusted, pool):
    trusted, pool = np.sort(trusted), np.sort(pool)
    below_trusted = np.arange(1, len(trusted) + 1) / len(trusted)
    below_pool = np.searchsorted(pool, trusted, "right") / len(pool)
    margin = 1.01 * sum((np.log(40) / 2 / len(side)) ** 0.5 for side in (trusted, pool))
    best = ((below_pool + margin) / below_trusted).argmin()
    return 1 - below_pool[best] / below_trusted[best]


def print_estimators(case, draws, sizes):
    """Mean error of the share, and bias, of the estimators that the field knows on the same scores."""
    estimators = (elkan_noto, penalized_l1, kernel_quotient, isotonic_quotient, median_bin, best_bin)
    told = {share: case.run("scores", *sizes, share, draws) for share in SHARES}
    print("\n| estimator | " + " | ".join(f"{share:.0%}" for share in SHARES) + " |\n|---|" + "---|" * len(SHARES))
    for estimate in estimators:
        cells = []
        for share in SHARES:
            found = [estimate(np.array(line["trusted"]), np.array(line["pool"])) for line in told[share]]
            errors = np.clip(found, 0, 1) - share
            cells.append(f"{abs(errors).mean():.3f} ({errors.mean():+.3f})")
        print(f"| {estimate.__name__.replace('_', ' ')} | " + " | ".join(cells) + " |", flush=True)


def print_tests(case, draws, sizes):
    print(f"\n{case.name}, {draws} draws of {sizes[0]} trusted and {sizes[1]} pool rows\n\n| shifted | shift found |\n|---|---|")
    for share in (0.0, 0.05, 0.1):
        told = case.run("test", *sizes, share, draws)
        print(f"| {share:.0%} | {np.mean([line['p_value'] < 0.05 for line in told]):.1%} |", flush=True)


def print_far(cases, draws, sizes):
    """How many clean rows are called far, against the level, and how many shifted ones."""
    print(f"\n{draws} draws of {sizes[0]} trusted rows and {sizes[2]} fresh clean ones a case\n")
    print("| case | level | clean rows called far | shifted rows called far |\n|---|---|---|---|")
    for case in cases:
        told = case.run("far", *sizes, 1.0, draws)
        fresh = np.array([line["fresh"] for line in told])
        print(
            f"| {case.name} | {told[0]['level']:.4f} | {fresh.mean():.5f} ± {fresh.std() / draws**0.5:.5f} | "
            f"{np.mean([line['pool'] for line in told]):.3f} |",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--worker", default="build/bench/bench/decisions_worker")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--part", choices=("loss", "far", "test", "verdict", "estimators", "other"), action="append")
    arguments = parser.parse_args()
    parts = arguments.part or ["loss", "far", "test", "verdict", "estimators", "other"]
    with tempfile.TemporaryDirectory() as directory:
        if "far" in parts:
            folders = [folder for folder in sorted(arguments.data.iterdir()) if (folder / "pool.parquet").exists()]
            cases = [Case(folder, directory, arguments.worker) for folder in folders if "_prev" not in folder.name]
            print_far(cases, arguments.draws, (300, 200, 500))
        if set(parts) - {"other", "far"}:
            case = Case(arguments.data / "ti_jpeg_s2_large", directory, arguments.worker)
        if "loss" in parts:
            print_losses(case, arguments.draws, (400, 600, 500))
        if "test" in parts:
            print_tests(case, arguments.draws, (1000, 4000, 0))
        if "verdict" in parts:
            print_verdicts(case, max(arguments.draws // 10, 10), (1000, 4000, 0), SHARES)
        if "estimators" in parts:
            print_estimators(case, max(arguments.draws // 10, 10), (1000, 4000, 0))
        if "other" in parts:
            for name in ("ti_mixed", "ti_gblur_near", "ti_contrast_near", "ti_defocus_s2"):
                case = Case(arguments.data / name, directory, arguments.worker)
                print_verdicts(case, max(arguments.draws // 10, 10), (1000, 2000, 0), (0.0, 0.25, 0.5))


if __name__ == "__main__":
    main()
