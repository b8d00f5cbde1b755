"""What the command prints as a warning, as warnings of Python."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import _spuna


class SpunaWarning(UserWarning):
    """A fit was done, but its user should know something before trusting the result: no shift was
    found, there are few trusted rows, trusted rows are in the pool, or rows have no valid embedding.

    ``warnings.simplefilter("error", spuna.SpunaWarning)`` makes an exception of it.
    """


def warn_about(model: _spuna.Model, stacklevel: int) -> None:
    """Issues the warnings of a model. A `stacklevel` of 1 is whoever called this."""
    for text in json.loads(model.warnings()):
        warnings.warn(text, SpunaWarning, stacklevel=stacklevel + 1)
