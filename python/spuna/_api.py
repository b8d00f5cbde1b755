"""fit, clean, plan, monitor, evaluate, and what they give."""

from __future__ import annotations

import json
import math
import os
from typing import Any, Union

from . import _spuna
from ._calls import check_bad_files, column, dump, open_both
from ._data import absolute_paths, check_output, is_one_shot, is_path, open_stream, path_bytes, paths_of
from ._html import card, lines_of
from ._progress import Progress, listener
from ._results import Monitored, Plan, Result
from ._reviewed import reviewed_files
from ._rows import Rows
from ._signatures import takes_options
from ._warnings import warn, warn_about, warn_of_dropped, warn_of_skipped, warn_without_shift

Path = Union[str, "os.PathLike[str]"]


class Model:
    """A fitted model. Immutable; may be used by several threads, and pickled."""

    def __init__(self, model: _spuna.Model):
        self._model = model

    @staticmethod
    def load(path: Path) -> Model:
        """Reads a model file."""
        return Model(_spuna.Model.load(path_bytes(path, "path")))

    def save(self, path: Path, overwrite: bool = False) -> None:
        """Writes a model file (safetensors). It appears whole or not at all."""
        self._model.save(path_bytes(path, "path"), overwrite)

    @staticmethod
    def from_bytes(data: bytes) -> Model:
        """A model from the bytes of a model file."""
        if not isinstance(data, bytes):
            raise TypeError(f"`data`: expected the bytes of a model file but found {type(data).__name__}")
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
        text = dump(options)
        _spuna.check_score(text)
        paths = paths_of(data) if is_path(data) else None
        if options.get("by") != "neighbors":
            warn_without_shift(self._model)

        def open_rows() -> Any:
            if paths is not None:
                rows, skipped = self._model.score_files(paths, text)
                warn_of_skipped(json.loads(skipped))
                return rows
            return self._model.score(open_stream(data), text)

        return Rows(open_rows, is_one_shot(data), column(options, "keep"))

    @takes_options("score")
    def scores(self, data: Any, **options: Any) -> Any:
        """The score of every row as a numpy array of float32; not a number where there is none.

        With `drop` there are scores of the rows that are not left out only.

        >>> import numpy as np, spuna
        >>> rng = np.random.default_rng(0)
        >>> model = spuna.fit(rng.normal(size=(200, 4)), rng.normal(size=(300, 4)), epochs=2)
        >>> model.scores(rng.normal(size=(3, 4))).shape
        (3,)
        """
        if options.get("columns") is not None:
            raise ValueError("`columns` is for Model.score; the scores are one column")
        rows = self.score(data, **options)
        kind = "neighbor_score" if options.get("by") == "neighbors" else "score"
        return _spuna.read_columns(rows._open(), [column(options, kind)])[0]

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

    @property
    def verdict(self) -> str | None:
        """What the fit said about its pool: "shift", "none" or "undecided" (docs/decisions.md); None in
        the paper's recipe, which does not ask."""
        return self.report()["fit"]["shift"].get("verdict")

    def warnings(self) -> list[str]:
        """What to know before trusting it, as :class:`spuna.SpunaWarning` said it after the fit."""
        return json.loads(self._model.warnings())

    def __reduce__(self) -> Any:
        return Model.from_bytes, (self.to_bytes(),)

    def _decision(self) -> str:
        threshold = self.threshold
        if threshold is None:
            return "decides by p-values"
        return "drops nothing" if threshold == math.inf else f"threshold {threshold}"

    def __repr__(self) -> str:
        report = self.report()
        return (
            f"<spuna.Model: dimension {report['dimension']}, {self._decision()}, fitted on "
            f"{report['fit']['rows_trusted']} trusted and {report['fit']['rows_pool']} pool rows>"
        )

    def _repr_html_(self) -> str:
        report = self.report()
        fit = report["fit"]
        lines = [
            ("dimension", f"{report['dimension']:,}"),
            ("recipe", str(report["options"]["recipe"])),
            ("fitted on", f"{fit['rows_trusted']:,} trusted and {fit['rows_pool']:,} pool rows"),
            ("decision", self._decision()),
        ]
        return card("spuna.Model", lines, notes=self.warnings())


class Cleaned(Rows, Result):
    """A pool after :func:`clean`: its rows with our columns, and what was found.

    The rows are scored as they are read, again each time: ``pa.table(cleaned)``, :meth:`to_pandas`,
    :meth:`to_polars` and everything else that takes an Arrow stream.
    """

    _title = "spuna.Cleaned"

    def __init__(self, cleaned: _spuna.Cleaned, keep: str, inputs: dict[str, Any]):
        Rows.__init__(self, cleaned.rows, False, keep)
        Result.__init__(self, cleaned.describe(), cleaned.summary())
        self._cleaned = cleaned
        # Paths only: rows are not held for it.
        self._inputs = {name: absolute_paths(given) for name, given in inputs.items() if is_path(given)}
        self.model = Model(cleaned.model())

    @property
    def kept(self) -> Any:
        """The rows that are kept: their numbers in the pool, from 0, as a numpy array; with ``id=`` the
        texts of that column, as a list, with None for null and "7" for the number 7. Rows without a valid
        embedding are neither kept nor dropped."""
        return self._rows_that_are(True)

    @property
    def dropped(self) -> Any:
        """The rows that are dropped, as :attr:`kept` has those that are kept."""
        return self._rows_that_are(False)

    def _rows_that_are(self, kept: bool) -> Any:
        ids = json.loads(self._cleaned.ids(kept))
        return self._cleaned.numbers(kept).view("int64") if ids is None else ids

    @property
    def groups(self) -> dict[str, list[dict[str, Any]]]:
        """How many rows of each group are dropped, for each column of ``group_by=``, the most affected
        first: ``value``, ``rows``, ``dropped``, the ``share`` and its interval at 95 %, ``low`` to ``high``."""
        return self.to_dict().get("groups", {})

    def reasons(self, path: Path | None = None, *, overwrite: bool = False, progress: Progress = None) -> Rows:
        """Why each row is dropped, a row for each, as docs/decisions.md lists it. With `path` they are also
        written there, as the command does (Parquet)."""
        with listener(progress, "reasons") as callback:
            if path is not None:
                check_output(path, "reasons", self._inputs)
                self._cleaned.write_reasons(path_bytes(path, "reasons"), overwrite, callback)
                return Rows(lambda: open_stream(path), False)
            made = [self._cleaned.reasons(callback)]
        return Rows(lambda: made.pop() if made else self._cleaned.reasons(None), False)

    def report(self, path: Path, *, overwrite: bool = False, progress: Progress = None) -> None:
        """Writes the report, one HTML page, as the command does."""
        check_output(path, "report", self._inputs)
        with listener(progress, "report") as callback:
            self._cleaned.write_report(path_bytes(path, "report"), overwrite, callback)

    def __repr__(self) -> str:
        found = self.to_dict()
        counts = f"{found['rows_in']} rows, {found['rows_kept']} kept, {found['rows_dropped']} dropped"
        invalid = found["rows_in"] - found["rows_kept"] - found["rows_dropped"]
        return f"<spuna.Cleaned: {counts}{f', {invalid} invalid' if invalid else ''}>"

    def _repr_html_(self) -> str:
        found = self.to_dict()
        valid = max(found["rows_kept"] + found["rows_dropped"], 1)
        return card(self._title, lines_of(self.summary()), bar=found["rows_kept"] / valid)


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
    with reviewed_files(options) as given, listener(progress, "fit") as callback:
        text = dump(given, "fit", ("progress",))
        if is_path(trusted) and is_path(pool):
            model, skipped = _spuna.fit_files(paths_of(trusted, "trusted"), paths_of(pool, "pool"), text, callback)
        else:
            trusted_stream, pool_stream = open_both(trusted, pool, options)
            model, skipped = _spuna.fit(trusted_stream, pool_stream, text, callback), "[]"
    warn_about(model)
    warn_of_skipped(json.loads(skipped))
    return Model(model)


@takes_options("clean")
def clean(trusted: Any, pool: Any, *, progress: Progress = None, **options: Any) -> Cleaned:
    """Fits on a pool, scores and counts its rows, and gives them with ``spuna_score`` and ``spuna_keep``.

    It is the command ``spuna clean`` without files to write. The pool is read to fit, to count, and each
    time its rows are read from the result; one that can be read only once, such as a RecordBatchReader, is
    held in memory. To score a pool once, as its rows are read, use :func:`fit` and :meth:`Model.score`.

    Files of a lake may differ in other columns: those that some lack are null there. The keys of hive
    partitions become columns of strings.

    >>> import numpy as np, pyarrow as pa, spuna
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.normal(size=(300, 4))
    >>> rows[:100] += 3
    >>> pool = pa.table({"id": range(300), "embedding": list(rows)})
    >>> cleaned = spuna.clean(rng.normal(size=(200, 4)), pool)
    >>> cleaned
    <spuna.Cleaned: 300 rows, 198 kept, 102 dropped>
    >>> cleaned.dropped[:3]
    array([0, 1, 2])
    >>> pa.table(cleaned).column_names
    ['id', 'embedding', 'spuna_score', 'spuna_keep']
    """
    with reviewed_files(options) as given, listener(progress, "clean") as callback:
        text = dump(given, "clean", ("progress",))
        if is_path(trusted) and is_path(pool):
            cleaned = _spuna.clean_files(paths_of(trusted, "trusted"), paths_of(pool, "pool"), text, callback)
        else:
            check_bad_files(pool, options)
            any_name = bool(options.get("all_files"))

            def open_pool() -> Any:
                return open_stream(pool, argument="pool", all_files=any_name)

            reopen = None if is_one_shot(pool) else open_pool
            trusted_stream = open_stream(trusted, argument="trusted", all_files=any_name)
            cleaned = _spuna.clean(trusted_stream, open_pool(), reopen, text, callback)
    result = Cleaned(cleaned, column(options, "keep"), {"trusted": trusted, "pool": pool})
    warn_about(result.model._model)
    warn_of_dropped(result.to_dict()["warnings"])
    warn_of_skipped(result.to_dict()["skipped"])
    return result


@takes_options("clean")
def plan(
    trusted: Any,
    pool: Any,
    out: Path | None = None,
    *,
    overwrite: bool = False,
    progress: Progress = None,
    **options: Any,
) -> Plan:
    """What :func:`clean` of these files would take: rows, memory, time and, with `out`, disk. Nothing is
    written; `overwrite` says whether `out` may exist. The command is ``spuna plan``.

    >>> import spuna
    >>> plan = spuna.plan("examples/quickstart/trusted.parquet", "examples/quickstart/pool.parquet")
    >>> plan
    <spuna.Plan: 1500 rows in 1 file>
    >>> plan.to_dict()["fit_rows"]
    1500
    """
    for name, given in (("trusted", trusted), ("pool", pool)):
        if not is_path(given):
            raise TypeError(
                f"{name}: a plan is for files: expected a path or a list of paths but found {type(given).__name__}"
            )
    target = None if out is None else path_bytes(out, "out")
    with reviewed_files(options) as given, listener(progress, "plan") as callback:
        text = dump(given, "clean", ("out", "overwrite", "progress"))
        inputs = paths_of(trusted, "trusted"), paths_of(pool, "pool")
        result = Plan(*_spuna.plan(*inputs, target, overwrite, text, callback))
    warn_of_skipped(result.to_dict()["skipped"])
    return result


@takes_options("monitor")
def monitor(model: Model | Path, data: Any, *, progress: Progress = None, **options: Any) -> Monitored:
    """Watches one batch of new rows for shift. The command is ``spuna monitor``.

    `model` is a :class:`Model` or the path of one; `data` is the batch, as in :meth:`Model.score`. With
    ``state=`` the batches before count as well, and the chance of ever detecting a shift where there is
    none stays below ``level``, however often one looks.

    >>> import numpy as np, spuna
    >>> rng = np.random.default_rng(0)
    >>> pool = rng.normal(size=(600, 8))
    >>> pool[:300] += 2
    >>> model = spuna.fit(rng.normal(size=(300, 8)), pool)
    >>> spuna.monitor(model, rng.normal(size=(200, 8))).found
    False
    >>> spuna.monitor(model, rng.normal(size=(200, 8)) + 2).found
    True
    """
    if not isinstance(model, (Model, str, os.PathLike)):
        raise TypeError(f"model: expected a spuna.Model or the path of one but found {type(model).__name__}")
    names = ("state", "metrics", "report")
    for name in names:
        if options.get(name) is not None:
            check_output(options[name], name, {"model": model, "data": data})
    named = {k: os.fsdecode(v) if k in names and v is not None else v for k, v in options.items()}
    text = dump(named, "monitor", ("progress",))
    fitted = model if isinstance(model, Model) else Model(_spuna.Model.load(path_bytes(model, "model")))
    with listener(progress, "monitor") as callback:
        if is_path(data):
            result = Monitored(*_spuna.monitor_files(fitted._model, paths_of(data), text, callback))
        else:
            result = Monitored(*_spuna.monitor(fitted._model, open_stream(data), text, callback))
    warn_without_shift(fitted._model)
    seen = result.to_dict()
    if seen["rows_invalid"] > 0:
        warn(f"invalid rows: {seen['rows_invalid']:,} of {seen['rows_in']:,}: null or non-finite, not used")
    return result


def evaluate(data: Any, truth: str, score: str = "spuna_score") -> dict[str, float]:
    """Compares a column of scores with a column of truth (boolean or 0/1, true is shifted).

    >>> import pyarrow as pa, spuna
    >>> table = pa.table({"spuna_score": [0.1, 0.4, 0.35, 0.8], "shifted": [False, False, True, True]})
    >>> spuna.evaluate(table, truth="shifted")["auroc"]
    0.75
    """
    for name, given in (("truth", truth), ("score", score)):
        if not isinstance(given, str):
            raise TypeError(f"`{name}`: expected the name of a column but found {given!r}")
    if is_path(data):
        return json.loads(_spuna.evaluate_files(paths_of(data), truth, score))
    return json.loads(_spuna.evaluate(open_stream(data), truth, score))
