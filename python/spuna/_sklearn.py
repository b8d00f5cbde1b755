"""A detector that follows the scikit-learn API, and a scorer to compare its settings with."""

from __future__ import annotations

import difflib
import inspect
import numbers
import os
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.metrics import roc_auc_score
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from . import _spuna
from ._api import Model, fit
from ._options import CALLS, Option
from ._signatures import _list_of

# Options that scikit-learn has a name for, with the type they then have. scripts/option_docs reads these
# two tables for the stub.
_RENAMED = {
    "seed": ("random_state", "int | np.random.RandomState | np.random.Generator | None"),
    "threads": ("n_jobs", "int | None"),
}
# Options about columns and files, which a matrix does not have.
_LEFT_OUT = (
    "all_files", "embedding", "fit_sample", "fold_by", "force", "invalid", "max_bad_files", "on_bad_file", "reviewed",
    "stratify",
)  # fmt: skip

_Class = TypeVar("_Class", bound=type)


def _parameters() -> dict[str, Option]:
    found = {}
    for name, option in CALLS["fit"].items():
        if name not in _LEFT_OUT:
            name, annotation = _RENAMED.get(name, (name, option.annotation))
            found[name] = option._replace(annotation=annotation)
    return found


_PARAMETERS = _parameters()


def _shows_parameters(detector: _Class) -> _Class:
    """Gives a class whose __init__ has ``**options`` the signature and the help text of the parameters."""
    keywords = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=option.annotation)
        for name, option in _PARAMETERS.items()
    ]
    init = detector.__init__  # type: ignore[misc]
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    init.__signature__ = inspect.Signature([own, *keywords])  # type: ignore[attr-defined]
    text = inspect.cleandoc(detector.__doc__ or "")
    detector.__doc__ = text.replace("(the list of parameters)", _list_of(_PARAMETERS))
    return detector


def _refusal(name: str) -> str:
    """Why there is no such parameter, and what to write instead."""
    text = f"SpunaDetector has no parameter `{name}`"
    if name in _RENAMED:
        return f"{text}; it is called `{_RENAMED[name][0]}` here"
    if name in _LEFT_OUT:
        return f"{text}, which is about columns and files; use spuna.fit for it"
    near = difflib.get_close_matches(name, _PARAMETERS, 1)
    return f"{text}; did you mean `{near[0]}`?" if near else f"{text}; help(spuna.SpunaDetector) lists them"


def _pool_of_labels(y: np.ndarray) -> np.ndarray:
    """A mask of the pool's rows, from labels."""
    found = set(y.tolist())  # True equals 1, and 0.0 equals 0
    if not found <= {0, 1}:
        shown = sorted(map(repr, found))
        raise ValueError(
            "y: expected 0 or False for trusted rows and 1 or True for rows of the pool, but found "
            f"{', '.join(shown[:5])}{', ...' if len(shown) > 5 else ''}; from other labels make them by a "
            "comparison, such as y = labels != 'clean'"
        )
    if len(found) == 1:
        raise ValueError(
            "y: expected two classes, 0 for trusted rows and 1 for rows of the pool, but found one class, "
            f"{found.pop()!r} in {len(y)} rows; for cross-validation use StratifiedKFold, which puts both "
            "into every fold"
        )
    return np.asarray(y == 1, dtype=bool)


def _pool_of_trusted(trusted: Any, num_rows: int) -> np.ndarray:
    """A mask of the pool's rows, from a mask or the numbers of the trusted ones."""
    rows = np.asarray(trusted)
    if rows.dtype == object and all(isinstance(value, (bool, np.bool_)) for value in rows.flat):
        rows = rows.astype(bool)
    is_mask = rows.dtype == bool
    problem = ""
    if rows.ndim != 1:
        problem = f"an array of shape {rows.shape}"
    elif not (is_mask or rows.dtype.kind in "iu" or rows.size == 0):
        problem = f"values of type {rows.dtype}"
    elif is_mask and len(rows) != num_rows:
        problem = f"a mask of {len(rows)}"
    elif not is_mask and rows.size > 0 and (rows.min() < 0 or rows.max() >= num_rows):
        problem = f"row number {rows.min() if rows.min() < 0 else rows.max()}"
    elif not is_mask and len(np.unique(rows)) < len(rows):
        problem = "a row number twice; a mask must be of booleans"
    if problem:
        raise ValueError(
            f"trusted: expected a boolean mask of {num_rows} rows or the row numbers of the trusted ones, "
            f"but found {problem}"
        )
    in_pool = np.ones(num_rows, dtype=bool)
    in_pool[rows if rows.size else []] = False
    if in_pool.all() or not in_pool.any():
        raise ValueError(
            f"trusted: expected some of {num_rows} rows to be trusted and the others to be the pool, but "
            f"found {num_rows - in_pool.sum()} trusted rows"
        )
    return in_pool


def separation_scorer(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """How well a fitted detector separates held-out trusted rows (y = 0) from the held-out pool (y = 1).

    Pass it as `scoring` to ``cross_val_score`` or ``GridSearchCV``, with a StratifiedKFold. It takes any outlier
    detector with ``score_samples`` or ``decision_function``, also at the end of a Pipeline, and is what
    :meth:`SpunaDetector.score` gives.

    It is the AUROC of the rows of the pool against the trusted rows, by the detector's score. Nobody needs
    to know which rows of the pool are shifted: for every score this AUROC is

        share * AUROC(shifted against clean) + (1 - share) / 2

    where share is the part of the pool that is shifted. So it ranks settings as the truth would, if trusted
    rows and the clean rows of the pool are draws of one distribution and the detector has seen neither. But
    for noise it is at most (1 + share) / 2, and 0.5 where nothing is detected. The AUROC that it stands for has
    a noise of about 0.01 / share: where 5 % of the pool is shifted it can choose nothing. It depends on the order
    of the scores only, so it cannot choose a `threshold` or another option that decides which rows are dropped.

    Raises ValueError where y has other labels than 0 and 1 or only one of them.
    """
    if y is None:
        raise ValueError("y: expected 0 for trusted rows and 1 for rows of the pool, but found None")
    in_pool = _pool_of_labels(column_or_1d(y))
    # Both are higher for rows that are more normal.
    method = "score_samples" if hasattr(estimator, "score_samples") else "decision_function"
    return float(roc_auc_score(in_pool, -getattr(estimator, method)(X), sample_weight=sample_weight))


@_shows_parameters
class SpunaDetector(OutlierMixin, BaseEstimator):
    """Detects shifted rows, given rows that are known to be clean.

    ``fit(X, y)`` takes both in one matrix: y is 0 or False for a trusted row and 1 or True for a row of the
    pool. ``fit(X, trusted=...)`` takes a boolean mask or the row numbers of the trusted rows instead.

    It is an outlier detector as scikit-learn defines it. ``predict`` gives -1 for rows that the model drops and
    1 for rows that it keeps (``spuna_keep``). ``score_samples`` and ``decision_function`` are higher for rows that are
    more normal, so with y as above ``scoring="roc_auc"`` ranks settings the wrong way round. ``score`` and
    :func:`spuna.separation_scorer` measure what is meant; the docstring of the latter explains it. Of the rows
    it was fitted on ``labels_`` and ``decision_scores_`` are as in PyOD: 1 for dropped, higher for more shifted.

    Rows with a value that is missing or not finite are refused, as are sparse matrices.

    Parameters are the options of :func:`spuna.fit`; None takes the default. `seed` is called `random_state`,
    and also takes a generator of numpy; `threads` is called `n_jobs`, where None and -1 are all. With the recipe
    of the paper `alpha` is a quarter of the pool where that is less than 30.

    Parameters
    ----------
    (the list of parameters)

    Attributes
    ----------
    model_ : Model
        What was fitted.
    n_features_in_ : int
        The number of columns; ``feature_names_in_`` has their names if X was a DataFrame.
    threshold_ : float | None
        :attr:`spuna.Model.threshold`; None where p-values decide.
    offset_ : float | None
        ``decision_function(X) == score_samples(X) - offset_``; None where p-values decide.
    decision_scores_ : ndarray
        The score of every row it was fitted on, from 0 to 1, higher for more shifted.
    labels_ : ndarray
        1 for every row it was fitted on that the model drops, else 0.

    Examples
    --------
    >>> import numpy as np, spuna
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(900, 8))
    >>> X[600:] += 2                        # 300 of 600 pool rows are shifted
    >>> y = np.repeat([0, 1], [300, 600])   # the first 300 rows are trusted
    >>> detector = spuna.SpunaDetector(epochs=5).fit(X, y)
    >>> detector.predict(X[-5:])
    array([-1, -1, -1, -1, -1])
    >>> detector.labels_[-5:]
    array([1, 1, 1, 1, 1])

    Half of the pool is shifted, so the best setting scores about 0.75:

    >>> from sklearn.model_selection import StratifiedKFold, cross_val_score
    >>> folds = StratifiedKFold(3, shuffle=True, random_state=0)
    >>> bool(cross_val_score(detector, X, y, cv=folds).mean() > 0.7)
    True
    """

    model_: Model
    n_features_in_: int
    threshold_: float | None
    offset_: float | None
    decision_scores_: np.ndarray
    labels_: np.ndarray

    def __init__(self, **options: Any):
        for name in options:
            if name not in _PARAMETERS:
                raise TypeError(_refusal(name))
        for name, option in _PARAMETERS.items():
            setattr(self, name, options.get(name, option.default))

    def fit(self, X: Any, y: Any = None, *, trusted: Any = None) -> SpunaDetector:
        """Fits on trusted rows (y = 0) and a pool (y = 1), or on a pool with the trusted rows marked."""
        if y is not None and trusted is not None:
            raise ValueError("expected y or trusted, but found both, and each says which rows are trusted; pass one")
        if y is not None:
            X, y = validate_data(self, X, y, dtype=np.float32)
            in_pool = _pool_of_labels(y)
        elif trusted is not None:
            X = validate_data(self, X, dtype=np.float32)
            in_pool = _pool_of_trusted(trusted, len(X))
        else:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None; pass which rows are "
                "trusted as y (0 for trusted, 1 for the pool) or as trusted=mask"
            )
        self.model_ = fit(X[~in_pool], X[in_pool], **self._fit_options(int(in_pool.sum())))
        self.threshold_ = self.model_.threshold
        # Scores end at 1, so that is enough where no row can be dropped.
        self.offset_ = None if self.threshold_ is None else -min(self.threshold_, 1.0)
        self.decision_scores_, keep = self._scores_and_keep(X)
        self.labels_ = 1 - keep.astype(int)
        return self

    def fit_predict(self, X: Any, y: Any = None, *, trusted: Any = None) -> np.ndarray:
        """Fits, and gives -1 for rows of X that the model drops and 1 for those that it keeps."""
        return 1 - 2 * self.fit(X, y, trusted=trusted).labels_

    def predict(self, X: Any) -> np.ndarray:
        """-1 for rows that the model drops, 1 for rows that it keeps."""
        keep = self._columns(self._checked(X), "keep")[0]
        return 2 * keep.astype(int) - 1

    def score_samples(self, X: Any) -> np.ndarray:
        """The score of every row times -1: from -1 for a shifted row to 0 for a clean one, and -1.5 for a row
        that is dropped for another reason, such as one far from all trusted rows."""
        return -self._scores_and_keep(self._checked(X))[0]

    def decision_function(self, X: Any) -> np.ndarray:
        """Below 0 for rows that the model drops, 0 or more for rows that it keeps.

        It is the threshold less the score. Where p-values decide (``calibration="cross"``) it is the p-value
        less the cutoff.
        """
        X = self._checked(X)
        if self.offset_ is None:
            p_values, keep = self._columns(X, "p_value", "keep")
            margin = p_values - self.model_.report()["calibration"]["p_value_cutoff"]
        else:
            scores, keep = self._scores_and_keep(X)
            margin = -scores - self.offset_
        # A row right on the threshold is dropped, while scikit-learn takes 0 for an inlier.
        return np.where(keep, np.maximum(margin, 0), np.minimum(margin, -np.finfo(np.float32).tiny))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """How well it separates rows X with y = 1 from those with y = 0: :func:`spuna.separation_scorer`."""
        return separation_scorer(self, X, y, sample_weight)

    def _scores_and_keep(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The scores, 1.5 where a row is dropped whatever it scores, and which rows are kept."""
        scores, keep = self._columns(X, "score", "keep")
        threshold = self.model_.threshold
        if threshold is not None:
            scores = np.where(~keep.astype(bool) & (scores < threshold), np.float32(1.5), scores)
        return scores, keep

    def _checked(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=np.float32)

    def _fit_options(self, num_pool: int) -> dict[str, Any]:
        options = {name: value for name, value in self.get_params().items() if value is not None}
        seed = options.pop("random_state", None)
        if seed is not None:
            # A generator gives a number, as it does to other estimators.
            draw = getattr(seed, "integers", None) or getattr(seed, "randint", None)
            options["seed"] = seed if draw is None else int(draw(2**31 - 1))
        if options.get("recipe") == "paper":
            options.setdefault("alpha", max(1, min(30, num_pool // 4)))
        options.pop("n_jobs", None)
        return {**options, "threads": self._threads()}

    def _threads(self) -> int | None:
        """What `n_jobs` is as the option `threads`, where None is all."""
        jobs = self.get_params()["n_jobs"]
        if jobs is None or jobs == -1:
            return None
        if isinstance(jobs, bool) or not isinstance(jobs, numbers.Integral):
            raise TypeError(f"`n_jobs`: expected the number of threads, or -1 for all, but found {jobs!r}")
        if jobs == 0:
            raise ValueError("`n_jobs`: expected the number of threads, or -1 for all, but found 0")
        return int(jobs) if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(jobs))

    def _columns(self, X: np.ndarray, *names: str) -> list[np.ndarray]:
        """Columns that the model appends to the rows: score, p_value, keep."""
        rows = self.model_.score(X, p_values="p_value" in names, threads=self._threads())
        found = _spuna.read_columns(rows.__arrow_c_stream__(), [f"spuna_{name}" for name in names])
        return [column.astype(bool if name == "keep" else float) for name, column in zip(names, found)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=False)  # y has two classes
        return tags
