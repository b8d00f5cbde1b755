"""Test AUROC of the recipes, of a logistic regression "trusted or pool?" and of a supervised network, and an ablation."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
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

RECIPES = ("robust", "fast", "paper")
ABLATION = {
    "robust": (),
    "--metric euclidean": ("--metric", "euclidean"),
    "--metric cosine": ("--metric", "cosine"),
    "--seeds distance": ("--seeds", "distance"),
    "--discriminant off": ("--discriminant", "off"),
    "--sides even": ("--sides", "even"),
    "--targets labels": ("--targets", "labels"),
}


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
        model, labels, scored = (self.scratch / name for name in ("m.safetensors", "l.parquet", "s.parquet"))
        report = self.run(
            "fit", "--trusted", self.folder / "trusted.parquet", "--pool", self.folder / "pool.parquet",
            "--embedding", "embedding", "--model", model, "--labels", labels, "--overwrite", *options,
        )
        self.run("score", "--model", model, "--input", self.folder / "test.parquet", "--out", scored, "--overwrite")
        auroc = self.run("evaluate", "--input", scored, "--truth", "shifted")["auroc"]
        table = pq.read_table(labels, columns=["spuna_label", "spuna_round"])
        label = np.array(table["spuna_label"].to_pylist(), dtype=object)
        seed = np.array(table["spuna_round"].fill_null(-1)) == 0
        clean, shifted = label == "clean", label == "shifted"
        right = np.where(shifted, self.pool_truth == 1, self.pool_truth == 0)
        report["purity"] = [right[rows].mean() if rows.any() else np.nan for rows in (seed, clean, shifted)]
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


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    program, directory, *rest = sys.argv[1:]
    seeds = (0,) if "--quick" in rest else (0, 1, 2)
    folders = sorted(f for f in Path(directory).iterdir() if all((f / f"{n}.parquet").exists() for n in ("trusted", "pool", "test")))
    folders = [f for f in folders if "shifted" in pq.read_schema(f / "test.parquet").names]
    with tempfile.TemporaryDirectory() as scratch:
        cases = [Case(program, folder, Path(scratch)) for folder in folders]
        cases = [case for case in cases if 0 < case.test_truth.mean() < 1]
        header("case", *RECIPES, "logistic", "supervised", "gap", "share", "estimate", "seconds ÷ paper")
        means = []
        for case in cases:
            found, seconds, estimates = [], [], []
            for recipe in RECIPES:
                started = time.perf_counter()
                runs = [case.fit("--recipe", recipe, "--seed", seed) for seed in seeds]
                seconds.append(time.perf_counter() - started)
                found.append(float(np.mean([auroc for auroc, _ in runs])))
                if recipe == "robust":
                    estimates = [report["share_shifted"]["estimate"] for _, report in runs]
            supervised = float(np.mean([case.supervised(seed) for seed in seeds]))
            means.append([*found, case.logistic(), supervised])
            row(case.name, *means[-1], supervised - found[0], f"{case.pool_truth.mean():.2f}",
                f"{np.mean(estimates):.2f}", f"{seconds[0] / seconds[2]:.1f}")
        print(flush=True)
        header("case", "switch", "AUROC", "rounds", "seeds right", "clean right", "shifted right")
        for case in cases:
            for name, options in ABLATION.items():
                auroc, report = case.fit(*options)
                row(case.name, name, auroc, report["rounds"], *map(float, report["purity"]))


if __name__ == "__main__":
    main()
