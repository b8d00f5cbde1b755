"""What the calls do to their arguments."""

from __future__ import annotations

import difflib
import json
import math
from typing import Any

from . import _spuna
from ._data import is_path, open_stream
from ._options import CALLS


def dump(options: dict[str, Any], call: str = "", own: tuple[str, ...] = ()) -> str:
    """The options of a call as the extension takes them. `own` are the call's other arguments, for one
    that is mistyped; the extension knows the options alone."""
    known = CALLS.get(call, {})
    for name in options:
        near = difflib.get_close_matches(name, [*own, *known], 1) if name not in known else []
        if near and near[0] in own:
            raise ValueError(f"there is no option `{name}`; did you mean `{near[0]}`?")
    return json.dumps({name: _plain(name, value) for name, value in options.items()})


def _plain(name: str, value: Any) -> Any:
    """An option's value as JSON has it."""
    if isinstance(value, (list, tuple)):
        return [_plain(name, item) for item in value]
    # numpy's numbers are as good as Python's.
    if hasattr(value, "item"):
        try:
            value = value.item()
        except (TypeError, ValueError, RuntimeError):
            raise TypeError(f"`{name}`: expected one value but found several in a {type(value).__name__}") from None
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"`{name}`: expected a finite number but found {value}")
    if value is not None and not isinstance(value, (bool, int, float, str)):
        raise TypeError(f"`{name}`: an option can't be a {type(value).__name__}: {value!r}")
    return value


def column(options: dict[str, Any], kind: str) -> str:
    """The name of one of our columns."""
    prefix = options.get("prefix")
    return ("spuna_" if prefix is None else prefix) + kind


def split(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of a clean as those of its two halves, a fit and scoring."""
    fit_options, score_options = _spuna.split_clean_options(dump(options))
    return json.loads(fit_options), json.loads(score_options)


def open_both(trusted: Any, pool: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """Streams of all columns; of files that need not be, the embeddings alone."""
    embedding = options.get("embedding")
    trusted_only = all(options.get(name) is None for name in ("stratify", "fold_by", "reviewed"))
    only = embedding is not None and trusted_only
    any_name = bool(options.get("all_files"))
    check_bad_files(pool, options)
    return (
        open_stream(trusted, trusted_only, embedding, "trusted", any_name),
        # The pool is tried for the trusted rows' column first, so all of its columns must be there.
        open_stream(pool, only, embedding, "pool", any_name),
    )


def check_bad_files(pool: Any, options: dict[str, Any]) -> None:
    """Files are skipped where all rows come from files."""
    if is_path(pool) and options.get("on_bad_file") == "skip":
        raise ValueError("`on_bad_file`: to skip files of the pool, give the trusted rows as a path too")
