"""Whatever holds rows, as an Arrow stream."""

from __future__ import annotations

import glob
import json
import os
import sys
from typing import Any

from . import _spuna


def is_path(data: Any) -> bool:
    """Whether this names files: a path, or a list of paths. An empty list does, for its error."""
    if isinstance(data, (list, tuple)):
        return all(isinstance(item, (str, os.PathLike)) for item in data)
    return isinstance(data, (str, os.PathLike))


def path_bytes(path: Any, argument: str) -> bytes:
    """A path as the extension takes it."""
    name = os.fsencode(path)
    if not name:
        raise ValueError(f"`{argument}`: expected a path but found an empty text")
    # What stands behind it would be cut off.
    if b"\0" in name:
        raise ValueError(f"`{argument}`: expected a path but found one with a null byte in it: {path!r}")
    return name


def paths_of(data: Any, argument: str = "data") -> list[bytes]:
    """The paths that `data` names."""
    paths = data if isinstance(data, (list, tuple)) else [data]
    if not paths:
        raise ValueError(f"`{argument}`: expected a path or a list of paths but found an empty list")
    return [path_bytes(path, argument) for path in paths]


def absolute_paths(data: Any) -> list[str]:
    """The paths that `data` names, for use after a change of the working directory. URIs and lists of
    paths ("@list") stay as they are."""

    def absolute(path: str) -> str:
        if "://" in path or path.startswith("@") or os.path.isabs(path):
            return path
        # What exists under the very name is no pattern.
        is_pattern = any(sign in path for sign in "*?[") and not os.path.exists(path)
        return os.path.join(glob.escape(os.getcwd()) if is_pattern else os.getcwd(), path)

    return [absolute(os.fsdecode(path)) for path in (data if isinstance(data, (list, tuple)) else [data])]


def check_output(path: Any, argument: str, inputs: dict[str, Any]) -> None:
    """An error where an output is, or lies within, what one of the inputs names, by their arguments."""
    output = path_bytes(path, argument)
    for name, given in inputs.items():
        if is_path(given):
            _spuna.check_output(output, argument, paths_of(given, name), name)


def is_one_shot(data: Any) -> bool:
    """Whether the rows can be read only once, as those of a RecordBatchReader. What does not show
    that it can be read again can't."""
    if hasattr(data, "_is_one_shot"):  # rows of ours
        return bool(data._is_one_shot)
    if hasattr(data, "__next__"):
        return True
    shows = ("__len__", "num_rows", "__array__", "__arrow_c_array__", "scanner", "collect")
    return not (is_path(data) or any(hasattr(data, name) for name in shows))


def open_stream(
    data: Any,
    only_embedding: bool = False,
    embedding: str | None = None,
    argument: str = "data",
    all_files: bool = False,
) -> Any:
    """A capsule with an Arrow stream of the rows. Of files, `only_embedding` reads just that column, and
    `all_files` reads those of any name."""
    if is_path(data):
        options: dict[str, Any] = {"only_embedding": only_embedding, "argument": argument}
        if all_files:
            options["all_files"] = True
        if embedding is not None:
            options["embedding"] = embedding
        return _spuna.read_parquet(paths_of(data, argument), json.dumps(options))
    if type(data).__name__ == "PyCapsule":
        return data
    if _is_numpy(data):
        return _matrix_stream(data)
    if hasattr(data, "__arrow_c_stream__"):
        return data.__arrow_c_stream__()
    if hasattr(data, "__arrow_c_array__"):
        return _spuna.array_stream(*data.__arrow_c_array__())
    if hasattr(data, "scanner"):  # a dataset of pyarrow or Lance
        return data.scanner().to_reader().__arrow_c_stream__()
    if hasattr(data, "collect"):  # a query that has not run yet
        return open_stream(data.collect())
    if hasattr(data, "__array__"):
        return _matrix_stream(data)
    raise TypeError(
        "expected rows as an object with __arrow_c_stream__ or __arrow_c_array__, a path or a list of "
        f"paths, or a 2-d numpy array, but found {type(data).__name__}"
    )


def _is_numpy(data: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(data, numpy.ndarray)


def _matrix_stream(data: Any) -> Any:
    import numpy

    if numpy.ma.isMaskedArray(data):
        data = numpy.ma.filled(data.astype(numpy.float32), numpy.nan)
    matrix = numpy.asarray(data)
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiub":
        raise ValueError(
            "expected a 2-d array of numbers, a row for each embedding, but found an array of "
            f"{matrix.ndim} dimensions of {matrix.dtype}"
        )
    return _spuna.matrix_stream(numpy.ascontiguousarray(matrix, dtype=numpy.float32))
