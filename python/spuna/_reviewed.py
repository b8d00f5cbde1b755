"""What a person said of rows, as the extension takes it: files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ._data import path_bytes


@contextmanager
def reviewed_files(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The options with `reviewed` as a list of paths. Tables are written to files that last as long as
    this context; that needs pyarrow."""
    given = options.get("reviewed")
    if given is None:
        yield options
        return
    items = given if isinstance(given, (list, tuple)) else [given]
    with tempfile.TemporaryDirectory(prefix="spuna-reviewed-") as folder:
        paths = []
        for number, item in enumerate(items):
            if isinstance(item, (str, os.PathLike)):
                paths.append(os.fsdecode(path_bytes(item, "reviewed")))
            else:
                paths.append(_write(item, os.path.join(folder, f"table-{number}.parquet")))
        yield {**options, "reviewed": paths}


def _write(table: Any, path: str) -> str:
    if not hasattr(table, "__arrow_c_stream__"):
        raise TypeError(
            "`reviewed`: expected paths or tables with the columns verdict and id, or file and row, but found "
            f"{type(table).__name__}"
        )
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(f"`reviewed` as a table needs pyarrow: {error}; pass a path instead") from error
    pyarrow.parquet.write_table(pyarrow.table(table), path)
    return path
