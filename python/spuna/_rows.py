"""Rows that are made as they are read."""

from __future__ import annotations

from typing import Any, Callable


class Rows:
    """Rows with our columns appended, made as they are read.

    Has the Arrow PyCapsule interface: ``pa.table(rows)``, ``pa.RecordBatchReader.from_stream(rows)``,
    ``pl.DataFrame(rows)``, ``duckdb.sql("from rows")``. Reading again reads the input again, which works
    for tables and files; the rows of a reader can be read once. (DuckDB asks for the stream several times,
    so such rows go to it as ``pa.RecordBatchReader.from_stream(rows)``.)
    """

    def __init__(self, open_rows: Callable[[], Any], one_shot: bool, keep: str = "spuna_keep"):
        self._open = open_rows
        self._is_one_shot = one_shot
        self._is_read = False
        self._keep = keep

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The rows as a capsule with an ArrowArrayStream. `requested_schema` is not acted upon."""
        if self._is_one_shot and self._is_read:
            raise ValueError(
                "these rows have been read, and their input can be read only once; pass a table or a "
                "path to read them several times"
            )
        self._is_read = True
        return self._open()

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame; needs pandas and pyarrow.

        ``spuna_keep`` has the type ``boolean``, which knows missing values: ``df[df.spuna_keep]`` leaves
        out rows without a valid embedding, whose ``spuna_keep`` is missing, and raises nothing.
        """
        try:
            import pyarrow
        except ImportError as error:
            raise ImportError(f"to_pandas needs pandas and pyarrow: {error}") from error
        frame = pyarrow.table(self).to_pandas()
        if self._keep in frame.columns:
            frame[self._keep] = frame[self._keep].astype("boolean")
        return frame

    def to_polars(self) -> Any:
        """The rows as a Polars DataFrame; needs polars."""
        try:
            import polars
        except ImportError as error:
            raise ImportError(f"to_polars needs polars: {error}") from error
        return polars.DataFrame(self)

    def __repr__(self) -> str:
        return f"<spuna.{type(self).__name__}: rows as an Arrow stream, for pa.table() and others>"
