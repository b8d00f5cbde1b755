"""What the command prints as a warning, as warnings of Python."""

from __future__ import annotations

import json
import os
import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

    from . import _spuna

_PACKAGE = os.path.dirname(__file__)


class SpunaWarning(UserWarning):
    """A call was done, but its user should know something before trusting the result: no shift was
    proven, there are few trusted rows, trusted rows repeat or are in the pool, the inputs are not
    normalized alike, nearly all rows are dropped, or files were skipped. docs/warnings.md lists all.

    ``warnings.simplefilter("error", spuna.SpunaWarning)`` makes an exception of it.
    """


def warn(text: str) -> None:
    """Issues a warning that points to the line that called the package."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == _PACKAGE:
        level += 1
        frame = frame.f_back
    warnings.warn(text, SpunaWarning, stacklevel=level)


def warn_of_skipped(skipped: list[dict[str, str]]) -> None:
    """Issues a warning if files were skipped."""
    if skipped:
        warn(f"files skipped: {len(skipped)} could not be read; the first: {skipped[0]['reason']}")


def warn_of_dropped(told: list[dict[str, str]]) -> None:
    """Issues a warning if nearly all rows are dropped, by the warnings of a whole clean."""
    for warning in told:
        if warning["about"] == "nearly all dropped":
            warn(f"{warning['about']}: {warning['text']}")


def warn_about(model: _spuna.Model) -> None:
    """Issues the warnings of a model."""
    for text in json.loads(model.warnings()):
        warn(text.replace("=true`", "=True`"))


def warn_without_shift(model: _spuna.Model) -> None:
    """Issues a warning if the fit of a model that is used proved no shift, or if it can't tell far rows."""
    for text in json.loads(model.warnings()):
        if text.startswith("verdict: "):
            warn("the fit of this model: " + text.replace("=true`", "=True`"))
        if text.startswith("no distance: "):
            warn(text)
