"""spuna over Apache Spark: fit on the driver, score where the rows are.

>>> cleaned = spuna.spark.clean(spark.read.parquet("trusted"), spark.read.parquet("lake"))  # doctest: +SKIP
>>> cleaned.where("spuna_keep").write.parquet("lake-clean")                                 # doctest: +SKIP

The package must be installed on the workers too: ``pip install 'spuna[spark]'``.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Iterable, Iterator

try:
    from pyspark.sql import DataFrame
    from pyspark.sql import functions as F
    from pyspark.sql import types as T
except ModuleNotFoundError as error:
    raise ImportError(
        f"spuna.spark needs pyspark 4.0 or newer: {error}; pip install 'spuna[spark]'"
    ) from error

import pyarrow as pa

from . import _expansion, _spuna
from ._api import Model, fit
from ._calls import dump, split
from ._spark_parts import SparkParts, append_labels
from ._worker import score_batches

__all__ = ["FIT_ROWS", "Expanded", "clean", "expand", "score"]

#: How many rows of either input a fit takes at most, unless told otherwise.
FIT_ROWS = 50_000


@dataclasses.dataclass(frozen=True)
class Expanded:
    """What :func:`expand` gives."""

    #: The pool with ``spuna_label`` and ``spuna_round``.
    rows: DataFrame
    #: As ``spuna fit --json`` has it: rounds, entropy, why it stopped, how many rows of which label. And
    #: the seconds of each round, and the bytes of rows that were broadcast for it.
    report: dict[str, Any]


def score(df: DataFrame, model: Model, *, threads: int = 1, **options: Any) -> DataFrame:
    """The rows of `df` with ``spuna_score`` (float) and ``spuna_keep`` (boolean) appended.

    Lazy, and the partitions stay as they are. Options are those of :meth:`spuna.Model.score`: embedding,
    by, prefix, invalid, neighbors, drop, columns, replace. A task scores on one thread, since Spark runs one
    for each core.
    """
    options = {"threads": threads, **options}
    fields = _check_scored(df, model, options)
    shared = df.sparkSession.sparkContext.broadcast(model.to_bytes())

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return score_batches(shared.value, batches, options)

    return df.mapInArrow(run, T.StructType(fields))


def clean(
    trusted_df: DataFrame,
    pool_df: DataFrame,
    *,
    embedding: str | None = None,
    fit_rows: int = FIT_ROWS,
    seed: int = 0,
    prefix: str = "spuna_",
    drop: bool = False,
    progress: Any = None,
    **options: Any,
) -> DataFrame:
    """Fits on the driver, now, and scores the pool on the workers, when an action asks for it.

    At most `fit_rows` rows of either input come to the driver: those with the smallest hash of their
    content and `seed` (the embedding and all columns of numbers, texts, dates and booleans), in the order of
    that hash. The same rows and seed therefore give the same model however they are partitioned and
    ordered. Rows that are equal in all of these columns are drawn together; an id tells them apart.

    The result is the pool with ``spuna_score`` and ``spuna_keep``, lazy and in its partitions; its attribute
    ``spuna_model`` is the fitted model, for ``save()`` or :func:`score`.

    Other options are those of :func:`spuna.clean`; its `threads` are the driver's.
    """
    if not (isinstance(fit_rows, int) and fit_rows >= 1):
        raise ValueError(f"`fit_rows`: expected a whole number of 1 or more but found {fit_rows!r}")
    for name in ("group_by", "id", "truth", "report_image", "on_bad_file", "max_bad_files", "force", "reviewed"):
        if options.get(name) is not None:
            raise ValueError(f"`{name}` is for spuna.clean; over Spark there is no such option")
    trusted_column = _embedding_column(trusted_df, "the trusted rows", embedding, None)
    pool_column = _embedding_column(pool_df, "the pool", embedding, trusted_column)
    # What can be said against the options and the columns is said before the fit.
    given = {**options, "seed": seed, "embedding": pool_column, "prefix": prefix, "drop": drop}
    fit_options, score_options = split(given)
    # The threads are the driver's, and what comes to it is the sample.
    score_options.pop("threads", None)
    fit_options["fit_rows"] = 0
    empty = pool_df.limit(0).toArrow()
    _spuna.check_clean(empty.__arrow_c_stream__(), dump(given))
    model = fit(
        _sample(trusted_df, trusted_column, fit_rows, seed).rename_columns([pool_column]),
        _sample(pool_df, pool_column, fit_rows, seed),
        progress=progress,
        **fit_options,
    )
    rows = score(pool_df, model, **score_options)
    rows.spuna_model = model  # type: ignore[attr-defined]
    return rows


def expand(
    trusted_df: DataFrame,
    pool_df: DataFrame,
    *,
    embedding: str | None = None,
    prefix: str = "spuna_",
    alpha: int = _expansion.ALPHA,
    beta: int | None = None,
    k: int = _expansion.K,
    epsilon: float = 0.0,
    on_stop: str = "keep",
    neighbors: str = "auto",
    threads: int = 1,
) -> Expanded:
    """The expansion of the paper's recipe on all rows of the pool, over Spark: exact, with no sample.

    The labels are those of ``spuna fit --recipe paper --fit-rows 0 --labels`` on the same rows in the same order,
    which is that of the partitions and of the rows in each. Appends ``spuna_label`` (``clean``, ``shifted`` or null)
    and ``spuna_round``. The cost grows with the square of the pool; docs/scale.md says when :func:`clean`,
    which fits on a sample, is the better choice.

    `pool_df` is read twice, now and when an action asks for the labels, and must give the same rows in the
    same partitions. A DataFrame that is read from files does; one with a shuffle in it may not, and is told
    by an error: ``persist()`` it first, or write it and read it back.
    """
    options = _expansion.Options(alpha, beta, k, epsilon, on_stop)
    options.check()
    trusted_column = _embedding_column(trusted_df, "the trusted rows", embedding, None)
    pool_column = _embedding_column(pool_df, "the pool", embedding, trusted_column)
    appended = [
        T.StructField(prefix + "label", T.StringType()),
        T.StructField(prefix + "round", T.IntegerType()),
    ]
    _check_names(pool_df.columns, appended, "the pool")
    search = dump({"k": k, "neighbors": neighbors, "threads": threads})
    trusted = _spuna.Partition.read(
        _embeddings(trusted_df, trusted_column).toArrow().__arrow_c_stream__(), 0, search
    )
    if trusted.num_rows == 0:
        raise ValueError("there are no valid trusted rows")
    parts = SparkParts(_embeddings(pool_df, pool_column), trusted.values(), k, search)
    try:
        found = _expansion.expand(parts, parts.num_rows, trusted.dimension, options)
    finally:
        parts.close()
    rows = append_labels(pool_df, pool_column, appended, found, parts.fingerprints)
    report = {
        "rows_trusted": trusted.num_rows,
        "rows_pool": parts.num_rows,
        "alpha": alpha,
        "beta": options.beta_of(parts.num_rows),
        "k": k,
        "rounds": found.num_rounds,
        "entropy": found.entropy,
        "stopped_by": found.stopped_by,
        "labeled": {
            "clean": int((~found.is_shifted).sum()),
            "shifted": int(found.is_shifted.sum()),
        },
        "seconds": found.seconds,
        "bytes_broadcast": parts.bytes_broadcast,
    }
    return Expanded(rows, report)


# Columns.


def _column(df: DataFrame, name: str) -> Any:
    return df["`" + name.replace("`", "``") + "`"]


def _holds_embeddings(field: T.StructField) -> bool:
    return isinstance(field.dataType, T.ArrayType) and isinstance(
        field.dataType.elementType, (T.FloatType, T.DoubleType)
    )


def _vector_advice(df: DataFrame) -> str:
    """What to do about columns of pyspark.ml, which are no arrays."""
    names = [f.name for f in df.schema.fields if type(f.dataType).__name__ == "VectorUDT"]
    if not names:
        return ""
    return (
        f"; column '{names[0]}' is a vector of pyspark.ml: make an array of it with "
        f"pyspark.ml.functions.vector_to_array('{names[0]}')"
    )


def _embedding_column(df: DataFrame, where: str, asked: str | None, preferred: str | None) -> str:
    """The one asked for, else the preferred one, else "embedding", else the only array of numbers."""
    candidates = [field.name for field in df.schema.fields if _holds_embeddings(field)]
    if asked is None:
        for name in (preferred, "embedding"):
            if name is not None and name in candidates:
                return name
        if len(candidates) == 1:
            return candidates[0]
    elif asked in candidates:
        return asked
    expected = "an array of float or double"
    if asked is not None and asked not in df.columns:
        message = f"{where}: there is no column '{asked}'; expected {expected}"
    elif asked is not None:
        found = df.schema[asked].dataType.simpleString()
        message = f"column '{asked}' of {where}: expected {expected} but found {found}"
    elif candidates:
        names = ", ".join(f"'{name}'" for name in candidates)
        message = (
            f"{where}: several columns could hold the embeddings ({names}); choose one with `embedding`"
        )
    else:
        message = f"{where}: there is no embedding column; expected {expected}"
    raise ValueError(message + _vector_advice(df))


def _check_names(names: Iterable[str], appended: Iterable[T.StructField], where: str) -> None:
    # Spark does not tell upper case from lower.
    taken = {name.lower(): name for name in names}
    for field in appended:
        if field.name.lower() in taken:
            raise ValueError(
                f"{where}: there is a column '{taken[field.name.lower()]}' already; choose another "
                "`prefix`, or drop it"
            )


_SPARK_TYPES = {pa.float32(): T.FloatType(), pa.bool_(): T.BooleanType()}


def _check_scored(df: DataFrame, model: Model, options: dict[str, Any]) -> list[T.StructField]:
    """The columns of the result. Scores no rows, which raises what can be said before an action."""
    empty = df.limit(0).toArrow()
    try:
        scored = pa.RecordBatchReader.from_stream(model.score(empty, **options)).schema
    except (ValueError, pa.ArrowException) as error:
        raise ValueError(f"{error}{_vector_advice(df)}") from None
    if options.get("columns") is None and not options.get("replace"):
        ours = scored.names[len(df.columns):]
    else:
        ours = _our_names(model, options)
    taken = [df.schema[i] for i, name in enumerate(df.columns) if name not in ours]
    appended = [T.StructField(name, _SPARK_TYPES[scored.field(name).type]) for name in ours if name in scored.names]
    if options.get("columns") is not None:
        taken = [field for field in taken if field.name in scored.names]
    _check_names([field.name for field in taken], appended, "the rows")
    by_name = {field.name: field for field in (*taken, *appended)}
    if options.get("columns") is None:
        return [*taken, *appended]
    return [by_name[name] for name in scored.names]


def _our_names(model: Model, options: dict[str, Any]) -> list[str]:
    """The columns that scoring makes with these options."""
    rows = pa.table({"embedding": pa.array([], pa.list_(pa.float32()))})
    made = {**options, "embedding": "embedding", "columns": None, "replace": None}
    return pa.RecordBatchReader.from_stream(model.score(rows, **made)).schema.names[1:]


def _embeddings(df: DataFrame, name: str) -> DataFrame:
    """That column alone, in float32, which is what the fit computes with."""
    return df.select(_column(df, name).cast("array<float>").alias(name))


# The sample.

_HASHED = (
    T.NumericType, T.StringType, T.BooleanType, T.DateType, T.TimestampType, T.TimestampNTZType
)


def _sample(df: DataFrame, name: str, count: int, seed: int) -> pa.Table:
    """The embeddings of the `count` rows with the smallest hash, in its order."""
    told_apart = [f.name for f in df.schema.fields if isinstance(f.dataType, _HASHED)]
    key = F.xxhash64(F.lit(seed), _column(df, name), *(_column(df, other) for other in told_apart))
    hashed = df.select(_column(df, name).cast("array<float>").alias("rows"), key.alias("hash"))

    def smallest(some: DataFrame) -> pa.Table:
        table = some.orderBy("hash").limit(count).select("rows").toArrow()
        return table.rename_columns([name])

    # Hashes are even, so a bound says which rows can be among the smallest: each partition sends its
    # share of them, not `count` rows. A margin of six deviations; should it ever fail, all are sorted.
    total = df.count()
    share = (count + 6 * math.sqrt(count)) / max(total, 1)
    if share < 1:
        table = smallest(hashed.where(F.col("hash") < int(share * 2**64) - 2**63))
        if table.num_rows == count:
            return table
    return smallest(hashed)
