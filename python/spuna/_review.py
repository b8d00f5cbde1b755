"""Rows for a person to look at."""

from __future__ import annotations

import os
from html import escape
from typing import Any, Union

from . import _spuna
from ._api import Model
from ._calls import check_bad_files, dump
from ._data import absolute_paths, check_output, is_path, open_stream, path_bytes, paths_of
from ._progress import Progress, listener
from ._results import Result
from ._reviewed import reviewed_files
from ._rows import Rows
from ._signatures import takes_options
from ._warnings import warn, warn_of_skipped

Path = Union[str, "os.PathLike[str]"]


class Review(Rows, Result):
    """Rows that are worth a look, made by :func:`review`: as Arrow rows, and as a page.

    The columns are ``id``, ``file``, ``row``, ``score``, ``keep``, ``why``, ``probability``, ``input`` and
    ``verdict``. Fill in ``verdict`` where it is null (shifted, clean or unsure), and give the table to
    ``reviewed=``; or open the page, mark the rows, and give the file that it saves. A notebook shows the page.
    """

    _title = "spuna.Review"

    def __init__(self, chosen: _spuna.ReviewList, inputs: dict[str, Any]):
        Rows.__init__(self, chosen.rows, False)
        Result.__init__(self, chosen.describe(), chosen.summary())
        self._chosen = chosen
        self._inputs = {name: absolute_paths(given) for name, given in inputs.items() if is_path(given)}

    @property
    def page(self) -> str:
        """The page, as HTML: one file that needs no network."""
        return self._chosen.page()

    def save(self, path: Path, *, overwrite: bool = False) -> None:
        """Writes the page."""
        check_output(path, "path", self._inputs)
        name = path_bytes(path, "path")
        try:
            with open(name, "wb" if overwrite else "xb") as file:
                file.write(self.page.encode())
        except FileExistsError:
            raise FileExistsError(f"`path`: {os.fsdecode(name)} exists; pass overwrite=True to replace it") from None

    def __repr__(self) -> str:
        return f"<spuna.Review: {self.to_dict()['rows']} rows to look at>"

    def _repr_html_(self) -> str:
        # In a frame of its own, the page and the notebook cannot disturb each other.
        return (
            f'<iframe srcdoc="{escape(self.page)}" title="spuna review" '
            'style="width:100%;height:46rem;border:1px solid rgba(128,128,128,.4);border-radius:6px"></iframe>'
        )


@takes_options("review")
def review(
    trusted: Any,
    pool: Any,
    *,
    model: Model | Path | None = None,
    progress: Progress = None,
    **options: Any,
) -> Review:
    """Chooses rows of the pool that are worth a look, and makes a page on which a person says what they are.
    The command is ``spuna review``.

    It fits as :func:`clean` does, or chooses by `model`, a :class:`Model` or the path of one; then `trusted`
    may be None. What was said goes to ``reviewed=`` of :func:`clean`, :func:`fit` and the next review: paths
    of CSV, JSON lines or Parquet files, or tables. Rows that are not files are held in temporary files.

    >>> import numpy as np, pyarrow as pa, spuna
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.normal(size=(300, 4))
    >>> rows[:30] += 2
    >>> trusted, pool = rng.normal(size=(200, 4)), pa.table({"id": range(300), "embedding": list(rows)})
    >>> looks = spuna.review(trusted, pool, rows=20)
    >>> looks
    <spuna.Review: 20 rows to look at>
    >>> table = pa.table(looks)
    >>> said = ["shifted" if int(id) < 30 else "clean" for id in table["id"].to_pylist()]
    >>> verdicts = table.set_column(table.column_names.index("verdict"), "verdict", pa.array(said))
    >>> spuna.clean(trusted, pool, reviewed=verdicts).to_dict()["review"]["learned"]
    True
    """
    if model is not None and not isinstance(model, (Model, str, os.PathLike)):
        raise TypeError(f"model: expected a spuna.Model or the path of one but found {type(model).__name__}")
    if model is None and trusted is None:
        raise ValueError("`trusted` or `model` is required: rows to fit on, or a model")
    fitted = model
    if model is not None and not isinstance(model, Model):
        fitted = Model(_spuna.Model.load(path_bytes(model, "model")))
    handle = fitted._model if isinstance(fitted, Model) else None
    with reviewed_files(options) as given, listener(progress, "review") as callback:
        text = dump(given, "review", ("model", "progress"))
        if is_path(pool) and (trusted is None or is_path(trusted)):
            trusted_paths = [] if trusted is None else paths_of(trusted, "trusted")
            chosen = _spuna.review_files(trusted_paths, paths_of(pool, "pool"), handle, text, callback)
        else:
            check_bad_files(pool, options)
            any_name = bool(options.get("all_files"))
            trusted_stream = None if trusted is None else open_stream(trusted, argument="trusted", all_files=any_name)
            pool_stream = open_stream(pool, argument="pool", all_files=any_name)
            chosen = _spuna.review(trusted_stream, pool_stream, handle, text, callback)
    result = Review(chosen, {"trusted": trusted, "pool": pool})
    told = result.to_dict()
    for warning in told["warnings"]:
        warn(f"{warning['about']}: {warning['text']}")
    warn_of_skipped(told["skipped"])
    return result
