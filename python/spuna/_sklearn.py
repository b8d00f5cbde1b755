"""A detector that follows the scikit-learn API."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import ClassifierTags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _spuna
from ._api import Model, fit


class SpunaDetector(BaseEstimator):
    """Detects shifted rows, given rows that are known to be clean.

    ``fit(X, y)`` takes both in one matrix: y is 0 for a trusted row and 1 for a row of the pool. (Of any
    two other values the lower one means trusted.) ``decision_function`` is higher for rows that are more
    shifted; ``predict`` gives 1 for rows that the model drops and 0 for those it keeps (``spuna_keep``), as
    PyOD does.

    Parameters are the options of :func:`spuna.fit`; None takes its default. `alpha`, the seeds a side, is
    30, or a quarter of the pool where that is less.

    Attributes after fit: ``model_`` (:class:`spuna.Model`), ``classes_``, ``n_features_in_``,
    ``threshold_`` (:attr:`spuna.Model.threshold`), and of the rows it was fitted on ``decision_scores_`` and
    ``labels_``.

    >>> import numpy as np, spuna
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(900, 8))
    >>> X[600:] += 2                        # 300 of 600 pool rows are shifted
    >>> y = np.repeat([0, 1], [300, 600])   # the first 300 rows are trusted
    >>> detector = spuna.SpunaDetector(epochs=5).fit(X, y)
    >>> detector.predict(X[-5:])
    array([1, 1, 1, 1, 1])
    """

    def __init__(
        self,
        *,
        recipe: str | None = None,
        metric: str | None = None,
        seeds: str | None = None,
        discriminant: bool | None = None,
        sides: str | None = None,
        targets: str | None = None,
        alpha: int | None = None,
        beta: int | None = None,
        k: int | None = None,
        epsilon: float | None = None,
        on_stop: str | None = None,
        hidden: int | None = None,
        epochs: int | None = None,
        learning_rate: float | None = None,
        batch_size: int | None = None,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ):
        self.recipe = recipe
        self.metric = metric
        self.seeds = seeds
        self.discriminant = discriminant
        self.sides = sides
        self.targets = targets
        self.alpha = alpha
        self.beta = beta
        self.k = k
        self.epsilon = epsilon
        self.on_stop = on_stop
        self.hidden = hidden
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> SpunaDetector:
        """Fits on trusted rows (y = 0) and a pool (y = 1)."""
        X, y = validate_data(self, X, y, dtype=np.float32)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            raise ValueError(
                "y: expected two classes, 0 for trusted rows and 1 for the pool, but found "
                f"{len(self.classes_)} class{'' if len(self.classes_) == 1 else 'es'}"
            )
        in_pool = y == self.classes_[1]
        self.model_: Model = fit(X[~in_pool], X[in_pool], **self._options(int(in_pool.sum())))
        self.threshold_ = self.model_.threshold
        self.decision_scores_, self.labels_ = self._score(X)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """The probability of being shifted, from 0 to 1, for every row."""
        check_is_fitted(self)
        return self._score(validate_data(self, X, reset=False, dtype=np.float32))[0]

    def predict(self, X: Any) -> np.ndarray:
        """The upper class (1) for rows that the model drops, the lower one (0) for rows that it keeps."""
        check_is_fitted(self)
        return self.classes_[self._score(validate_data(self, X, reset=False, dtype=np.float32))[1]]

    def _options(self, num_pool: int) -> dict[str, Any]:
        options = self.get_params()
        seed = options.pop("random_state")
        if seed is not None:
            # A generator gives a number, as it does to other estimators.
            draw = getattr(seed, "integers", None) or getattr(seed, "randint", None)
            options["seed"] = int(seed if draw is None else draw(2**31 - 1))
        jobs = options.pop("n_jobs")
        if jobs is not None and jobs > 0:
            options["threads"] = jobs
        if options["alpha"] is None and options["recipe"] == "paper":
            options["alpha"] = max(1, min(30, num_pool // 4))
        return {key: value for key, value in options.items() if value is not None}

    def _score(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The score of every row, and 1 where the model drops it, else 0."""
        stream = self.model_.score(X).__arrow_c_stream__()
        scores, keep = _spuna.read_columns(stream, ["spuna_score", "spuna_keep"])
        return scores.astype(np.float64), (keep == 0).astype(int)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags
