"""A pool in parts over Spark, for an expansion: blocks of rows in an RDD, and their labels at the end."""

from __future__ import annotations

import zlib
from typing import Any, Iterable, Iterator

import numpy as np
import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from . import _expansion, _spuna

# Spark's own number of a row: its partition, then its place there, 33 bits. It is that of the DataFrame it is
# asked of, whatever a task has to do with several partitions at a time, as after coalesce().
_PLACE_BITS = 33
_NUMBER = "__spuna_number"
# A partition is worked on in blocks of about so many bytes.
_BLOCK_BYTES = 32 << 20


def _numbered(df: DataFrame) -> DataFrame:
    return df.select("*", F.monotonically_increasing_id().alias(_NUMBER))


def _fingerprint(column: Any, before: int) -> int:
    """Of a column of lists, continued from that of the rows before; batches may be cut anywhere."""
    with np.errstate(over="ignore"):
        values = column.flatten().to_numpy(zero_copy_only=False).astype(np.float32)
    values[np.isnan(values)] = np.nan  # of which there are many
    return zlib.crc32(values.tobytes(), before)


def _runs(batches: Iterable[pa.RecordBatch], length: int) -> Iterator[list[pa.RecordBatch]]:
    """The same rows in runs of this length."""
    run: list[pa.RecordBatch] = []
    missing = length
    for batch in batches:
        while batch.num_rows > 0:
            head = batch.slice(0, missing)
            batch = batch.slice(head.num_rows)
            run.append(head)
            missing -= head.num_rows
            if missing == 0:
                yield run
                run, missing = [], length
    if run:
        yield run


class SparkParts:
    """The pool as blocks in an RDD: rows without a label and their distances to the banks.

    Each round makes a new RDD from the last one and what was broadcast. Both are kept, so that blocks which
    are lost with an executor are made again.
    """

    def __init__(self, rows: DataFrame, trusted: Any, k: int, search: str):
        self._context = rows.sparkSession.sparkContext
        self._search = search
        self._broadcasts: list[Any] = []
        self.bytes_broadcast: list[int] = []
        self._before: Any = None
        self._held: Any = (
            _numbered(rows)
            .mapInArrow(
                _block_maker(self._share(trusted), k, search),
                "partition int, count long, fingerprint long, valid long, same boolean, block binary",
            )
            .rdd.map(tuple)
            .persist(StorageLevel.MEMORY_AND_DISK)
        )
        try:
            summaries = self._held.map(lambda record: record[:5]).collect()
        except BaseException:
            self.close()
            raise
        self._blocks = self._held.map(lambda record: bytes(record[5])).filter(bool)
        #: Of each partition that has rows: how many, and what they are.
        self.fingerprints = {partition: (count, crc) for partition, count, crc, _, _ in summaries}
        self.num_rows = sum(valid for _, _, _, valid, _ in summaries)
        if self.num_rows == 0:
            self.close()
            raise ValueError("there are no valid pool rows")
        self._require_spread(summaries)

    def _require_spread(self, summaries: list[Any]) -> None:
        if not all(same for *_, same in summaries):
            return
        heads = self._blocks.map(lambda block: _spuna.Partition.parse(block).values()[0]).collect()
        if all(np.array_equal(head, heads[0]) for head in heads):
            self.close()
            raise ValueError(
                f"all {self.num_rows} pool rows are identical: without any spread nothing can be told apart"
            )

    def _share(self, value: Any) -> Any:
        shared = self._context.broadcast(value)
        self._broadcasts.append(shared)
        return shared

    def extremes(self, ranking: int, num_lowest: int, num_highest: int) -> tuple[Any, Any]:
        def find(blocks: Iterable[bytes]) -> Iterator[Any]:
            parts = [_spuna.Partition.parse(block) for block in blocks]
            if not parts:
                return
            scores = np.concatenate([part.scores(ranking) for part in parts])
            numbers = np.concatenate([part.numbers() for part in parts])
            lowest, highest = _expansion.extremes(scores, numbers, num_lowest, num_highest)
            yield scores[lowest], numbers[lowest], scores[highest], numbers[highest]

        found = self._blocks.mapPartitions(find).collect()
        # The blocks are there now, so those that they were made from may go.
        if self._before is not None:
            self._before.unpersist()
            self._before = None
        low_scores, low, high_scores, high = (np.concatenate(each) for each in zip(*found))
        lowest, _ = _expansion.extremes(low_scores, low, num_lowest, 0)
        _, highest = _expansion.extremes(high_scores, high, 0, num_highest)
        return low[lowest], high[highest]

    def values(self, numbers: Any) -> Any:
        wanted = self._share(numbers)

        def find(block: bytes) -> tuple[Any, Any]:
            part = _spuna.Partition.parse(block)
            there, places, _ = np.intersect1d(
                part.numbers(), wanted.value, assume_unique=True, return_indices=True
            )
            return there, part.values()[places]

        found = [pair for pair in self._blocks.map(find).collect() if len(pair[0])]
        order = np.argsort(np.concatenate([there for there, _ in found]))
        return np.concatenate([values for _, values in found])[order]

    def label(self, clean: Any, clean_values: Any, shifted: Any, shifted_values: Any) -> None:
        numbers = np.sort(np.concatenate([clean, shifted]))
        added = self._share((numbers, clean_values, shifted_values))
        self.bytes_broadcast.append(numbers.nbytes + clean_values.nbytes + shifted_values.nbytes)
        search = self._search

        def merge(block: bytes) -> bytes:
            numbers, clean_values, shifted_values = added.value
            part = _spuna.Partition.parse(block)
            part.remove(numbers)
            if part.num_rows == 0:
                return b""
            part.merge(_expansion.CLEAN, clean_values, search)
            part.merge(_expansion.SHIFTED, shifted_values, search)
            return part.serialize()

        self._before = self._held
        self._blocks = self._blocks.map(merge).filter(bool).persist(StorageLevel.MEMORY_AND_DISK)
        self._held = self._blocks

    def close(self) -> None:
        for blocks in (self._before, self._held):
            if blocks is not None:
                blocks.unpersist()
        for shared in self._broadcasts:
            shared.unpersist()


def _block_maker(trusted: Any, k: int, search: str) -> Any:
    """For mapInArrow: the rows of a partition as blocks that know the trusted rows."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        bank = trusted.value
        dimension = bank.shape[1]
        rows_per_block = max(1, _BLOCK_BYTES // (4 * dimension + 16 * k))
        count = fingerprint = 0
        for run in _runs(batches, rows_per_block):
            first_number = run[0].column(_NUMBER)[0].as_py()
            partition = first_number >> _PLACE_BITS
            place = f"partition {partition} of the pool, from its row {count} on"
            table = pa.Table.from_batches(run)
            try:
                part = _spuna.Partition.read(
                    table.__arrow_c_stream__(), first_number, search
                )
                if part.num_rows > 0 and part.dimension != dimension:
                    raise ValueError(
                        f"expected dimension {dimension}, that of the trusted rows, but found "
                        f"{part.dimension}"
                    )
            except ValueError as error:
                raise ValueError(f"{place}: {error}") from None
            for batch in run:
                fingerprint = _fingerprint(batch.column(0), fingerprint)
            count += table.num_rows
            block, same = b"", True
            if part.num_rows > 0:
                values = part.values()
                same = bool((values == values[0]).all())
                part.merge(_expansion.CLEAN, bank, search)
                block = part.serialize()
            yield pa.RecordBatch.from_arrays(
                [
                    pa.array([partition], pa.int32()),
                    pa.array([count], pa.int64()),
                    pa.array([fingerprint], pa.int64()),
                    pa.array([part.num_rows], pa.int64()),
                    pa.array([same], pa.bool_()),
                    pa.array([block], pa.binary()),
                ],
                names=["partition", "count", "fingerprint", "valid", "same", "block"],
            )

    return run


def append_labels(
    pool: DataFrame,
    column: str,
    appended: list[T.StructField],
    found: _expansion.Expansion,
    fingerprints: dict[int, tuple[int, int]],
) -> DataFrame:
    names = [field.name for field in appended]
    shared = pool.sparkSession.sparkContext.broadcast(
        (found.numbers, found.is_shifted, found.rounds, fingerprints)
    )

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        numbers, is_shifted, rounds, fingerprints = shared.value
        count = fingerprint = 0
        partition = None
        for batch in batches:
            fingerprint = _fingerprint(batch.column(column), fingerprint)
            count += batch.num_rows
            wanted = batch.column(_NUMBER).to_numpy()
            batch = batch.drop_columns([_NUMBER])
            if len(wanted):
                partition = int(wanted[0]) >> _PLACE_BITS
            places = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
            missing = numbers[places] != wanted
            labels = np.where(is_shifted[places], "shifted", "clean")
            yield batch.append_column(
                names[0], pa.array(labels, pa.string(), mask=missing)
            ).append_column(names[1], pa.array(rounds[places], pa.int32(), mask=missing))
        if partition is not None and (count, fingerprint) != fingerprints.get(partition):
            raise ValueError(
                f"partition {partition} of the pool has other rows than when the labels were made; "
                "persist() the pool before `expand`, or write it and read it back"
            )

    return _numbered(pool).mapInArrow(run, T.StructType([*pool.schema.fields, *appended]))
