"""Cases that need no data of others: digits as pixels, and drawn rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.datasets import load_digits


def _write(path: Path, rows: np.ndarray, shifted: np.ndarray) -> None:
    flat = pa.array(rows.astype(np.float32).ravel())
    embedding = pa.FixedSizeListArray.from_arrays(flat, rows.shape[1])
    pq.write_table(pa.table({"embedding": embedding, "shifted": pa.array(shifted)}), path)


def _make(folder: Path, clean: np.ndarray, shifted: np.ndarray, trusted: int, seed: int) -> Path:
    """A case: of the clean rows some are trusted, half of the others are in the pool and half in the test; of
    the shifted ones too."""
    folder.mkdir(parents=True)
    random = np.random.default_rng(seed)
    clean, shifted = random.permutation(clean), random.permutation(shifted)
    _write(folder / "trusted.parquet", clean[:trusted], np.zeros(trusted, bool))
    halves = zip(np.array_split(clean[trusted:], 2), np.array_split(shifted, 2))
    for name, (some_clean, some_shifted) in zip(("pool", "test"), halves):
        truth = np.repeat([False, True], [len(some_clean), len(some_shifted)])
        order = random.permutation(len(truth))
        _write(folder / f"{name}.parquet", np.concatenate([some_clean, some_shifted])[order], truth[order])
    return folder


def _smeared(pictures: np.ndarray, part: float) -> np.ndarray:
    return (1 - part) * pictures + part * np.roll(pictures, 1, axis=2)


def make_cases(folder: Path) -> list[Path]:
    random = np.random.default_rng(0)
    pictures = load_digits().images
    some, others = np.array_split(random.permutation(len(pictures)), 2)
    digits = pictures[some].reshape(-1, 64)
    noise = pictures[others] + random.normal(scale=1.0, size=pictures[others].shape)
    scale = (1 + np.arange(96)) ** -0.5
    centers = random.normal(size=(10, 96))

    def draw(count: int) -> np.ndarray:
        return (centers[random.integers(10, size=count)] + random.normal(size=(count, 96))) * scale

    kinds = draw(1600)
    for kind in range(4):  # each kind moves in a direction of its own
        kinds[kind::4] += 2.2 * scale * np.eye(96)[20 + 15 * kind]
    wider = draw(1600)
    wider[:, 40:] *= 1.25
    return [
        _make(folder / "digits smeared", digits, _smeared(pictures[others], 0.35).reshape(-1, 64), 300, 1),
        _make(folder / "digits with noise", digits, noise.reshape(-1, 64), 300, 2),
        _make(folder / "drawn, four kinds", draw(5000), kinds, 1000, 3),
        _make(folder / "drawn, wider in half", draw(5000), wider, 1000, 4),
    ]
