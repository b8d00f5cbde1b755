"""Finds the shifted rows of a data lake, given rows you trust.

>>> import numpy as np
>>> import spuna
>>> rng = np.random.default_rng(0)
>>> trusted = rng.normal(size=(500, 8))
>>> pool = rng.normal(size=(1000, 8))
>>> pool[::2] += 2  # every second row is shifted
>>> model = spuna.fit(trusted, pool, epochs=5)
>>> model
<spuna.Model: dimension 8, threshold 0.5, fitted on 500 trusted and 1000 pool rows>
>>> import pyarrow as pa
>>> table = pa.table(model.score(pool))
>>> table.column_names
['embedding', 'spuna_score', 'spuna_keep']

Data is anything with ``__arrow_c_stream__`` or ``__arrow_c_array__`` (pyarrow, pandas, Polars, DuckDB,
DataFusion, ...), a path or a list of paths of Parquet files and directories, or a 2-d numpy array.
"""

import ctypes as _ctypes
import os as _os
import sys as _sys
from typing import TYPE_CHECKING as _TYPE_CHECKING


def _import_flags() -> int:
    """How to load the extension. It carries its own Arrow, whose symbols stay its own. If someone has
    loaded another Arrow for everyone to see, it must also look at its own first; not otherwise, since
    that would pass a preloaded malloc by."""
    flags = _os.RTLD_NOW | _os.RTLD_LOCAL
    if hasattr(_ctypes.CDLL(None), "_ZN5arrow12GetBuildInfoEv"):
        flags |= getattr(_os, "RTLD_DEEPBIND", 0)
    return flags


_flags = _sys.getdlopenflags()
_sys.setdlopenflags(_import_flags())
try:
    from ._spuna import version as __version__  # noqa: F401
finally:
    _sys.setdlopenflags(_flags)

from ._api import Cleaned, Model, clean, evaluate, fit, monitor, plan  # noqa: E402
from ._results import Monitored, Plan  # noqa: E402
from ._review import Review, review  # noqa: E402
from ._rows import Rows  # noqa: E402
from ._warnings import SpunaWarning  # noqa: E402

if _TYPE_CHECKING:
    from ._sklearn import SpunaDetector as SpunaDetector
    from ._sklearn import separation_scorer as separation_scorer

# These two, acero, ray and spark need packages that spuna does not, so a star leaves them out.
__all__ = [
    "Cleaned",
    "Model",
    "Monitored",
    "Plan",
    "Review",
    "Rows",
    "SpunaWarning",
    "clean",
    "evaluate",
    "fit",
    "monitor",
    "plan",
    "review",
]


def __getattr__(name):
    if name in ("SpunaDetector", "separation_scorer"):
        try:
            from . import _sklearn
        except ImportError as error:
            raise ImportError(f"spuna.{name} needs scikit-learn 1.6 or newer: {error}") from error
        return getattr(_sklearn, name)
    if name in ("acero", "ray", "spark"):
        import importlib

        return importlib.import_module(f"spuna.{name}")
    raise AttributeError(f"module 'spuna' has no attribute {name!r}")

