"""What the command prints as a warning, as warnings of Python."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import _spuna


class SpunaWarning(UserWarning):
    """A call was done, but its user should know something before trusting the result: no shift was
    proven, there are few trusted rows, trusted rows are in the pool, rows have no valid embedding, or
    files were skipped.

    ``warnings.simplefilter("error", spuna.SpunaWarning)`` makes an exception of it.
    """


def warn_about(model: _spuna.Model, stacklevel: int) -> None:
    """Issues the warnings of a model. A `stacklevel` of 1 is whoever called this."""
    for text in json.loads(model.warnings()):
        warnings.warn(text.replace("=true`", "=True`"), SpunaWarning, stacklevel=stacklevel + 1)
