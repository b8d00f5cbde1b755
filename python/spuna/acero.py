"""spuna inside the Arrow C++ of pyarrow: the compute functions ``spuna_score`` and ``spuna_keep``.

An expression in a filter or a projection of a dataset scan can use them once a model has a name:

    spuna.acero.register_model("jpeg", model)
    keep = pc.Expression._call("spuna_keep", [pc.field("embedding"), pc.scalar("jpeg")])
    dataset.to_table(filter=keep)

This works with the one version of pyarrow that the plugin was built for, ``pyarrow_version``; everything
else in spuna works with any.
"""

from __future__ import annotations

import ctypes
import importlib.util
import threading
from pathlib import Path
from typing import Any

from ._api import Model
from ._build import pyarrow_version

__all__ = ["load", "pyarrow_version", "register_model", "unregister_model"]

_lock = threading.Lock()
_plugin: Any = None


class _Error(ctypes.Structure):
    _fields_ = [("message", ctypes.c_char * 4096)]


def load() -> None:
    """Loads the plugin into pyarrow's Arrow, which registers the functions and nodes. Again is no harm."""
    global _plugin
    with _lock:
        if _plugin is not None:
            return
        if importlib.util.find_spec("pyarrow") is None:
            raise ImportError(f"spuna.acero needs pyarrow {pyarrow_version}, and there is none")
        import pyarrow

        if pyarrow.__version__ != pyarrow_version:
            raise ImportError(
                f"spuna.acero was built for pyarrow {pyarrow_version} but found {pyarrow.__version__}; "
                "model.score() works with any version"
            )
        import pyarrow.acero  # noqa: F401  loads what the plugin stands on
        import pyarrow.compute  # noqa: F401

        directory = Path(pyarrow.__file__).parent
        for name in ("arrow", "arrow_compute", "arrow_acero", "parquet"):
            for library in directory.glob(f"lib{name}.so.*"):
                ctypes.CDLL(str(library))
        plugin = ctypes.CDLL(str(Path(__file__).parent / "_lib" / "libspuna_acero.so"))
        plugin.spuna_acero_register.argtypes = [ctypes.POINTER(_Error)]
        plugin.spuna_acero_register_model.argtypes = [
            ctypes.c_char_p,
            ctypes.c_char_p,
            ctypes.c_size_t,
            ctypes.POINTER(_Error),
        ]
        plugin.spuna_acero_unregister_model.argtypes = [ctypes.c_char_p, ctypes.POINTER(_Error)]
        _check(plugin.spuna_acero_register)
        _plugin = plugin


def _check(function: Any, *arguments: Any) -> None:
    error = _Error()
    if function(*arguments, ctypes.byref(error)) != 0:
        raise ValueError(error.message.decode("utf-8", "replace"))


def _text(name: str) -> bytes:
    if "\0" in name:
        raise ValueError(f"the name of a model must not hold a zero byte: {name!r}")
    return name.encode()


def register_model(name: str, model: Model) -> None:
    """Gives a model the name that the compute functions know it by; a name that is taken gets the new one."""
    load()
    data = model.to_bytes()
    _check(_plugin.spuna_acero_register_model, _text(name), data, len(data))


def unregister_model(name: str) -> None:
    """Forgets a name."""
    load()
    _check(_plugin.spuna_acero_unregister_model, _text(name))
