"""Test AUROC of the recipes, of a logistic regression "trusted or pool?" and of a supervised network, and an ablation."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

RECIPES = ("robust", "paper")
# What is switched off, or on in the default's place.
ABLATION = {
    "default": (),
    "no refinement": ("--targets", "discriminant"),
    "no pseudo-labels": ("--targets", "pool"),
    "no entropy stop": ("--epsilon", -100),
    "no discriminant": ("--seeds", "distance"),
    "with neighbors": ("--targets", "soft"),
    "hard labels by neighbors": ("--targets", "labels"),
}
SMALL_SHARES = (0.02, 0.05, 0.1)
SMALL_CASES = ("ti_jpeg_s2", "ti_contrast_near", "ti_mixed", "pacs_photo_cartoon", "ti_defocus_s2")


def make_rare(folder: Path, share: float, target: Path) -> Path:
    """The case with its clean pool rows and so many of its shifted ones that they are this share."""
    made = target / f"{folder.name} at {share:.0%}"
    made.mkdir()
    for name in ("trusted", "test"):
        (made / f"{name}.parquet").symlink_to((folder / f"{name}.parquet").resolve())
    pool = pq.read_table(folder / "pool.parquet", columns=["embedding", "shifted"])
    shifted = np.array(pool["shifted"].to_pylist(), bool)
    clean, rest = np.flatnonzero(~shifted), np.flatnonzero(shifted)
    count = round(len(clean) * share / (1 - share))
    chosen = np.concatenate([clean, np.random.default_rng(7).choice(rest, count, replace=False)])
    pq.write_table(pool.take(np.random.default_rng(8).permutation(chosen)), made / "pool.parquet")
    return made


def read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    table = pq.read_table(path, columns=["embedding", "shifted"])
    values = table["embedding"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return values.reshape(len(table), -1).astype(np.float32), np.array(table["shifted"].to_pylist(), int)


class Case:
    def __init__(self, program: str, folder: Path, scratch: Path):
        self.program, self.folder, self.scratch, self.name = program, folder, scratch, folder.name
        self.trusted, _ = read(folder / "trusted.parquet")
        self.pool, self.pool_truth = read(folder / "pool.parquet")
        self.test, self.test_truth = read(folder / "test.parquet")

    def run(self, *arguments: object) -> dict:
        command = [self.program, *map(str, arguments), "--json"]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    def fit(self, *options: object) -> tuple[float, dict]:
        """The test AUROC and what the fit says of itself."""
        model, scored = (self.scratch / name for name in ("m.safetensors", "s.parquet"))
        report = self.run(
            "fit", "--trusted", self.folder / "trusted.parquet", "--pool", self.folder / "pool.parquet",
            "--embedding", "embedding", "--model", model, "--overwrite", *options,
        )
        self.run("score", "--model", model, "--input", self.folder / "test.parquet", "--out", scored, "--overwrite")
        auroc = self.run("evaluate", "--input", scored, "--truth", "shifted")["auroc"]
        return auroc, report

    def logistic(self) -> float:
        rows = np.concatenate([self.trusted, self.pool])
        in_pool = np.repeat([0, 1], [len(self.trusted), len(self.pool)])
        rival = LogisticRegression(C=0.01, class_weight="balanced", max_iter=2000)
        rival = make_pipeline(StandardScaler(), rival).fit(rows, in_pool)
        return roc_auc_score(self.test_truth, rival.decision_function(self.test))

    def supervised(self, seed: int) -> float:
        if self.pool_truth.min() == self.pool_truth.max():
            return np.nan
        rows = np.concatenate([self.trusted, self.pool])
        truth = np.concatenate([np.zeros(len(self.trusted), int), self.pool_truth])
        network = MLPClassifier((512,), alpha=0, batch_size=128, max_iter=20, random_state=seed)
        network = make_pipeline(StandardScaler(), network).fit(rows, truth)
        return roc_auc_score(self.test_truth, network.predict_proba(self.test)[:, 1])


def row(*cells: object) -> None:
    print("| " + " | ".join(f"{c:.3f}" if isinstance(c, float) else str(c) for c in cells) + " |", flush=True)


def header(*names: str) -> None:
    row(*names)
    print("|" + "---|" * len(names), flush=True)


def compare(cases: list, seeds: tuple) -> None:
    """Every recipe against logistic regression and the truth."""
    header("case", *RECIPES, "logistic", "supervised", "gap", "share", "estimate", "shift proven")
    means = []
    for case in cases:
        found, reports = [], []
        for recipe in RECIPES:
            runs = [case.fit("--recipe", recipe, "--seed", seed) for seed in seeds]
            found.append(float(np.mean([auroc for auroc, _ in runs])))
            if recipe == "robust":
                reports = [report for _, report in runs]
        supervised = float(np.mean([case.supervised(seed) for seed in seeds]))
        means.append([*found, case.logistic(), supervised])
        proven = sum(report["shift_test"]["found"] for report in reports)
        estimate = np.mean([report["share_shifted"]["estimate"] for report in reports])
        row(case.name, *means[-1], supervised - found[0], f"{case.pool_truth.mean():.2f}", f"{estimate:.2f}",
            f"{proven} of {len(seeds)}")
    row("mean", *map(float, np.nanmean(means, 0)), *[""] * 4)
    print(flush=True)


def ablate(cases: list, seeds: tuple) -> None:
    """Each part off in turn."""
    header("case", *ABLATION)
    rows = []
    for case in cases:
        rows.append([float(np.mean([case.fit(*options, "--seed", seed)[0] for seed in seeds])) for options in ABLATION.values()])
        row(case.name, *rows[-1])
    row("mean", *map(float, np.mean(rows, 0)))
    print(flush=True)


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    program, directory, *rest = sys.argv[1:]
    seeds = (0,) if "--quick" in rest else (0, 1, 2)
    folders = sorted(f for f in Path(directory).iterdir() if all((f / f"{n}.parquet").exists() for n in ("trusted", "pool", "test")))
    folders = [f for f in folders if "shifted" in pq.read_schema(f / "test.parquet").names]
    with tempfile.TemporaryDirectory() as scratch:
        cases = [Case(program, folder, Path(scratch)) for folder in folders]
        cases = [case for case in cases if 0 < case.test_truth.mean() < 1]
        rare = [
            Case(program, make_rare(folder, share, Path(scratch)), Path(scratch))
            for share in SMALL_SHARES for folder in folders if folder.name in SMALL_CASES
        ]
        compare(cases, seeds)
        compare(rare, seeds)
        ablate(rare, (0,))
        ablate(cases, (0,))


if __name__ == "__main__":
    main()
