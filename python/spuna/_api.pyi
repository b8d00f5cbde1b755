"""The calls with their options. Written by scripts/option_docs; do not edit."""

import os
from typing import Any, Literal, Union

from . import _spuna
from ._progress import Progress
from ._results import Monitored, Plan, Result
from ._rows import Rows

Path = Union[str, "os.PathLike[str]"]

class Model:
    def __init__(self, model: _spuna.Model): ...
    @staticmethod
    def load(path: Path) -> Model: ...
    def save(self, path: Path, overwrite: bool=False) -> None: ...
    @staticmethod
    def from_bytes(data: bytes) -> Model: ...
    def to_bytes(self) -> bytes: ...
    def score(self, data: Any, *,
        embedding: str | None = None,
        all_files: bool = False,
        drop: bool = False,
        columns: list[str] | None = None,
        replace: bool = False,
        threshold: float | None = None,
        max_clean_loss: float | None = None,
        p_values: bool = False,
        far: Literal["drop", "keep", "null"] | None = None,
        distances: bool = False,
        by: Literal["classifier", "neighbors"] = "classifier",
        neighbors: Literal["auto", "kd-tree", "product"] = "auto",
        prefix: str = "spuna_",
        invalid: Literal["drop", "error", "null"] = "null",
        on_bad_file: Literal["error", "skip"] = "error",
        max_bad_files: int | None = None,
        threads: int | None = None,
    ) -> Rows: ...
    def scores(self, data: Any, *,
        embedding: str | None = None,
        all_files: bool = False,
        drop: bool = False,
        columns: list[str] | None = None,
        replace: bool = False,
        threshold: float | None = None,
        max_clean_loss: float | None = None,
        p_values: bool = False,
        far: Literal["drop", "keep", "null"] | None = None,
        distances: bool = False,
        by: Literal["classifier", "neighbors"] = "classifier",
        neighbors: Literal["auto", "kd-tree", "product"] = "auto",
        prefix: str = "spuna_",
        invalid: Literal["drop", "error", "null"] = "null",
        on_bad_file: Literal["error", "skip"] = "error",
        max_bad_files: int | None = None,
        threads: int | None = None,
    ) -> Any: ...
    def report(self) -> dict[str, Any]: ...
    @property
    def dimension(self) -> int: ...
    @property
    def threshold(self) -> float | None: ...
    @property
    def verdict(self) -> str | None: ...
    def warnings(self) -> list[str]: ...
    def __reduce__(self) -> Any: ...
    def __repr__(self) -> str: ...

class Cleaned(Rows, Result):
    model: Model
    def __init__(self, cleaned: _spuna.Cleaned, keep: str, inputs: dict[str, Any]): ...
    @property
    def kept(self) -> Any: ...
    @property
    def dropped(self) -> Any: ...
    @property
    def groups(self) -> dict[str, list[dict[str, Any]]]: ...
    def reasons(self, path: Path | None=None, *, overwrite: bool=False, progress: Progress=None) -> Rows: ...
    def report(self, path: Path, *, overwrite: bool=False, progress: Progress=None) -> None: ...
    def __repr__(self) -> str: ...

def fit(trusted: Any, pool: Any, *, progress: Progress=None,
    embedding: str | None = None,
    all_files: bool = False,
    keep_banks: bool = False,
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
) -> Model: ...

def clean(trusted: Any, pool: Any, *, progress: Progress=None,
    embedding: str | None = None,
    all_files: bool = False,
    drop: bool = False,
    keep_banks: bool = False,
    columns: list[str] | None = None,
    replace: bool = False,
    threshold: float | None = None,
    max_clean_loss: float | None = None,
    max_false_drops: float | None = None,
    keep_share: float | None = None,
    calibration: Literal["cross", "none", "split"] | None = None,
    calibration_rows: int | None = None,
    stratify: str | None = None,
    fold_by: str | None = None,
    p_values: bool = False,
    far: Literal["drop", "keep", "null"] | None = None,
    far_level: float | None = None,
    distances: bool = False,
    group_by: list[str] | None = None,
    id: str | None = None,
    truth: str | None = None,
    report_image: str | None = None,
    reviewed: Any = None,
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
    prefix: str = "spuna_",
    invalid: Literal["drop", "error", "null"] = "null",
    on_bad_file: Literal["error", "skip"] = "error",
    max_bad_files: int | None = None,
    force: bool = False,
    threads: int | None = None,
) -> Cleaned: ...

def plan(trusted: Any, pool: Any, out: Path | None=None, *, overwrite: bool=False, progress: Progress=None,
    embedding: str | None = None,
    all_files: bool = False,
    drop: bool = False,
    keep_banks: bool = False,
    columns: list[str] | None = None,
    replace: bool = False,
    threshold: float | None = None,
    max_clean_loss: float | None = None,
    max_false_drops: float | None = None,
    keep_share: float | None = None,
    calibration: Literal["cross", "none", "split"] | None = None,
    calibration_rows: int | None = None,
    stratify: str | None = None,
    fold_by: str | None = None,
    p_values: bool = False,
    far: Literal["drop", "keep", "null"] | None = None,
    far_level: float | None = None,
    distances: bool = False,
    group_by: list[str] | None = None,
    id: str | None = None,
    truth: str | None = None,
    report_image: str | None = None,
    reviewed: Any = None,
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
    prefix: str = "spuna_",
    invalid: Literal["drop", "error", "null"] = "null",
    on_bad_file: Literal["error", "skip"] = "error",
    max_bad_files: int | None = None,
    force: bool = False,
    threads: int | None = None,
) -> Plan: ...

def monitor(model: Model | Path, data: Any, *, progress: Progress=None,
    embedding: str | None = None,
    all_files: bool = False,
    state: str | None = None,
    metrics: str | None = None,
    report: str | None = None,
    level: float = 0.05,
    invalid: Literal["drop", "error", "null"] = "null",
    threads: int | None = None,
) -> Monitored: ...

def evaluate(data: Any, truth: str, score: str='spuna_score') -> dict[str, float]: ...
