"""The calls with their options. Written by scripts/option_docs; do not edit."""

import os
from typing import Any, Literal, Union

from . import _spuna
from ._api import Model
from ._progress import Progress
from ._results import Result
from ._rows import Rows

Path = Union[str, "os.PathLike[str]"]

class Review(Rows, Result):
    def __init__(self, chosen: _spuna.ReviewList, inputs: dict[str, Any]): ...
    @property
    def page(self) -> str: ...
    def save(self, path: Path, *, overwrite: bool=False) -> None: ...
    def __repr__(self) -> str: ...

def review(trusted: Any, pool: Any, *, model: Model | Path | None=None, progress: Progress=None,
    embedding: str | None = None,
    all_files: bool = False,
    threshold: float | None = None,
    max_clean_loss: float | None = None,
    max_false_drops: float | None = None,
    keep_share: float | None = None,
    calibration: Literal["cross", "none", "split"] | None = None,
    calibration_rows: int | None = None,
    stratify: str | None = None,
    fold_by: str | None = None,
    far: Literal["drop", "keep", "null"] | None = None,
    far_level: float | None = None,
    reviewed: Any = None,
    rows: int = 50,
    random_share: float = 0.2,
    id: str | None = None,
    image: str | None = None,
    text: str | None = None,
    recipe: Literal["fast", "paper", "robust"] = "robust",
    metric: Literal["contrast", "cosine", "euclidean", "whitened"] | None = None,
    seeds: Literal["cross-fitted", "distance"] | None = None,
    discriminant: Literal["off", "on"] | bool | None = None,
    sides: Literal["even", "share"] | None = None,
    targets: Literal["discriminant", "labels", "pool", "refined", "soft"] | None = None,
    alpha: int | None = None,
    beta: int | None = None,
    k: int | None = None,
    epsilon: float = 0,
    on_stop: Literal["keep", "rollback"] = "keep",
    hidden: int | None = None,
    epochs: int | None = None,
    learning_rate: float = 0.001,
    batch_size: int = 128,
    seed: int = 0,
    fit_rows: int = 50000,
    fit_sample: Literal["by-partition", "uniform"] = "uniform",
    neighbors: Literal["auto", "kd-tree", "product"] = "auto",
    invalid: Literal["drop", "error", "null"] = "null",
    on_bad_file: Literal["error", "skip"] = "error",
    max_bad_files: int | None = None,
    force: bool = False,
    threads: int | None = None,
) -> Review: ...
