"""The calls with their options. Written by scripts/option_docs; do not edit."""

from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin

from ._api import Model

def separation_scorer(estimator: Any, X: Any, y: Any, sample_weight: Any=None) -> float: ...

class SpunaDetector(OutlierMixin, BaseEstimator):
    model_: Model
    n_features_in_: int
    threshold_: float | None
    offset_: float | None
    decision_scores_: np.ndarray
    labels_: np.ndarray
    def __init__(self, *,
        keep_banks: bool = False,
        threshold: float | None = None,
        max_clean_loss: float | None = None,
        max_false_drops: float | None = None,
        keep_share: float | None = None,
        calibration: Literal["cross", "none", "split"] | None = None,
        calibration_rows: int | None = None,
        far: Literal["drop", "keep", "null"] | None = None,
        far_level: float | None = None,
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
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        fit_rows: int = 50000,
        neighbors: Literal["auto", "kd-tree", "product"] = "auto",
        n_jobs: int | None = None,
    ): ...
    def fit(self, X: Any, y: Any=None, *, trusted: Any=None) -> SpunaDetector: ...
    def fit_predict(self, X: Any, y: Any=None, *, trusted: Any=None) -> np.ndarray: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def score_samples(self, X: Any) -> np.ndarray: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any, sample_weight: Any=None) -> float: ...
    def __sklearn_tags__(self) -> Any: ...
