"""fit, clean, evaluate, and what they give."""

from __future__ import annotations

import json
import math
import os
from typing import Any, Callable

from . import _spuna
from ._data import is_one_shot, is_path, open_stream, paths_of
from ._progress import Progress, listener
from ._signatures import takes_options


def _dump(options: dict[str, Any]) -> str:
    def plain(value: Any) -> Any:
        # numpy's numbers are as good as Python's.
        if hasattr(value, "item"):
            return value.item()
        raise TypeError(f"an option can't be a {type(value).__name__}: {value!r}")

    return json.dumps(options, default=plain, allow_nan=False)


def _split(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of a clean as those of its two halves, a fit and scoring."""
    fit_options, score_options = _spuna.split_clean_options(_dump(options))
    return json.loads(fit_options), json.loads(score_options)


class Rows:
    """Rows with our columns appended, made as they are read.

    Speaks the Arrow PyCapsule interface: ``pa.table(rows)``, ``pa.RecordBatchReader.from_stream(rows)``,
    ``pl.DataFrame(rows)``, ``duckdb.sql("from rows")``. Reading again reads the input again, which works
    for tables and files; the rows of a reader can be read once. (DuckDB asks for the stream several times,
    so such rows go to it as ``pa.RecordBatchReader.from_stream(rows)``.)
    """

    def __init__(self, open_rows: Callable[[], Any], one_shot: bool):
        self._open = open_rows
        self._is_one_shot = one_shot
        self._is_read = False

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The rows as a capsule with an ArrowArrayStream. `requested_schema` is not acted upon."""
        if self._is_one_shot and self._is_read:
            raise ValueError(
                "these rows have been read, and their input can be read only once; pass a table or a "
                "path to read them several times"
            )
        self._is_read = True
        return self._open()

    def __repr__(self) -> str:
        return f"<spuna.{type(self).__name__}: rows as an Arrow stream, for pa.table() and others>"


class Cleaned(Rows):
    """The pool's rows after :func:`clean`, and the model that was fitted."""

    def __init__(self, open_rows: Callable[[], Any], one_shot: bool, model: Model):
        super().__init__(open_rows, one_shot)
        self.model = model


class Model:
    """A fitted model. Immutable; may be used by several threads, and pickled."""

    def __init__(self, model: _spuna.Model):
        self._model = model

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Model:
        """Reads a model file."""
        return Model(_spuna.Model.load(os.fsencode(path)))

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Writes a model file (safetensors). It appears whole or not at all."""
        self._model.save(os.fsencode(path), overwrite)

    @staticmethod
    def from_bytes(data: bytes) -> Model:
        """A model from the bytes of a model file."""
        return Model(_spuna.Model.parse(data))

    def to_bytes(self) -> bytes:
        """The bytes of a model file; equal fits give equal bytes."""
        return self._model.serialize()

    @takes_options("score")
    def score(self, data: Any, **options: Any) -> Rows:
        """The rows of `data` with ``spuna_score`` and ``spuna_keep``, scored as they are read.

        ``spuna_keep`` is true where the score is below the threshold or, where p-values decide, the p-value
        is above the cutoff (see :attr:`threshold`). Both are null where the embedding is null or not finite.

        >>> import numpy as np, pyarrow as pa, spuna
        >>> rng = np.random.default_rng(0)
        >>> model = spuna.fit(rng.normal(size=(200, 4)), rng.normal(size=(300, 4)), epochs=2)
        >>> pa.table(model.score(rng.normal(size=(3, 4)), prefix="my_")).column_names
        ['embedding', 'my_score', 'my_keep']
        """
        text = _dump(options)
        _spuna.check_score(text)

        def open_rows() -> Any:
            return self._model.score(open_stream(data), text)

        return Rows(open_rows, is_one_shot(data))

    @takes_options("score")
    def scores(self, data: Any, **options: Any) -> Any:
        """The score of every row as a numpy array of float32; not a number where there is none.

        With `drop` there are scores of the kept rows only.

        >>> import numpy as np, spuna
        >>> rng = np.random.default_rng(0)
        >>> model = spuna.fit(rng.normal(size=(200, 4)), rng.normal(size=(300, 4)), epochs=2)
        >>> model.scores(rng.normal(size=(3, 4))).shape
        (3,)
        """
        rows = self.score(data, **options)
        kind = "neighbor_score" if options.get("by") == "neighbors" else "score"
        prefix = options.get("prefix")
        name = ("spuna_" if prefix is None else prefix) + kind
        return _spuna.read_columns(rows._open(), [name])[0]

    def report(self) -> dict[str, Any]:
        """What the model says of itself: options, what the fit found, versions.

        >>> import numpy as np, spuna
        >>> rng = np.random.default_rng(0)
        >>> model = spuna.fit(rng.normal(size=(200, 4)), rng.normal(size=(300, 4)), epochs=2)
        >>> model.report()["fit"]["rows_pool"]
        300
        """
        return json.loads(self._model.describe())

    @property
    def dimension(self) -> int:
        """The dimension of the embeddings."""
        return int(self.report()["dimension"])

    @property
    def threshold(self) -> float | None:
        """Rows that score below it are kept.

        None where p-values decide instead: with ``calibration="cross"`` a row is kept if its p-value is
        greater than ``report()["calibration"]["p_value_cutoff"]``. ``math.inf`` where no row can be
        dropped. In every case ``spuna_keep``, which :meth:`score` appends, is the decision.
        """
        calibration = self.report()["calibration"]
        if "p_value_cutoff" in calibration:
            return None
        # Scores end at 1.
        return float(calibration["threshold"]) if calibration["threshold"] <= 1 else math.inf

    def __reduce__(self) -> Any:
        return Model.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        report = self.report()
        threshold = self.threshold
        if threshold is None:
            decision = "decides by p-values"
        elif threshold == math.inf:
            decision = "drops nothing"
        else:
            decision = f"threshold {threshold}"
        return (
            f"<spuna.Model: dimension {report['dimension']}, {decision}, fitted on "
            f"{report['fit']['rows_trusted']} trusted and {report['fit']['rows_pool']} pool rows>"
        )


@takes_options("fit")
def fit(trusted: Any, pool: Any, *, progress: Progress = None, **options: Any) -> Model:
    """Fits a model on rows that are known to be clean and a pool that may hold shifted ones.

    What is not given is chosen by the recipe and the size of the inputs;
    ``model.report()["fit"]["chosen"]`` says how.

    `progress` is called with the name of the running stage and how much of it is done, from 0 to 1, or
    -1 where nobody knows; True shows a bar if tqdm is installed. What it raises ends the fit.

    >>> import numpy as np, spuna
    >>> rng = np.random.default_rng(0)
    >>> stages = []
    >>> model = spuna.fit(
    ...     rng.normal(size=(200, 4)), rng.normal(size=(300, 4)), epochs=2, alpha=20,
    ...     progress=lambda stage, done: stages.append(stage))
    >>> sorted(set(stages))
    ['cross_fit', 'distill', 'read']
    >>> model.report()["fit"]["shift"]["found"]    # both are draws of one distribution
    False
    """
    embedding = options.get("embedding")
    with listener(progress) as callback:
        if is_path(trusted) and is_path(pool):
            return Model(
                _spuna.fit_files(paths_of(trusted), paths_of(pool), _dump(options), callback)
            )
        trusted_stream = open_stream(trusted, only_embedding=True, embedding=embedding)
        # The pool is tried for the trusted rows' column first, so all of its columns must be there.
        pool_stream = open_stream(pool, only_embedding=embedding is not None, embedding=embedding)
        return Model(_spuna.fit(trusted_stream, pool_stream, _dump(options), callback))


@takes_options("clean")
def clean(trusted: Any, pool: Any, *, progress: Progress = None, **options: Any) -> Cleaned:
    """Fits on a pool, then gives the pool's rows with ``spuna_score`` and ``spuna_keep``.

    The fit happens now, the scoring as the rows are read. A pool that can be read only once, such as a
    RecordBatchReader, is held in memory.

    >>> import numpy as np, pyarrow as pa, spuna
    >>> rng = np.random.default_rng(0)
    >>> pool = pa.table({"id": range(300), "embedding": list(rng.normal(size=(300, 4)))})
    >>> cleaned = spuna.clean(rng.normal(size=(200, 4)), pool, epochs=2)
    >>> pa.table(cleaned).column_names
    ['id', 'embedding', 'spuna_score', 'spuna_keep']
    >>> cleaned.model.dimension
    4
    """
    if is_one_shot(pool):
        embedding = options.get("embedding")
        with listener(progress) as callback:
            trusted_stream = open_stream(trusted, only_embedding=True, embedding=embedding)
            model, capsule = _spuna.clean(
                trusted_stream, open_stream(pool), _dump(options), callback
            )
        return Cleaned(lambda: capsule, True, Model(model))
    # What can be said against it is said before the fit, if looking at the columns costs nothing.
    is_table = is_path(pool) or hasattr(pool, "num_rows") or hasattr(pool, "height")
    _spuna.check_clean(open_stream(pool) if is_table else None, _dump(options))
    fit_options, score_options = _split(options)
    model = fit(trusted, pool, progress=progress, **fit_options)
    rows = model.score(pool, **score_options)
    return Cleaned(rows._open, False, model)


def evaluate(data: Any, truth: str, score: str = "spuna_score") -> dict[str, float]:
    """Compares a column of scores with a column of truth (boolean or 0/1, true is shifted).

    >>> import pyarrow as pa, spuna
    >>> table = pa.table({"spuna_score": [0.1, 0.4, 0.35, 0.8], "shifted": [False, False, True, True]})
    >>> spuna.evaluate(table, truth="shifted")["auroc"]
    0.75
    """
    if is_path(data):
        return json.loads(_spuna.evaluate_files(paths_of(data), truth, score))
    return json.loads(_spuna.evaluate(open_stream(data), truth, score))
