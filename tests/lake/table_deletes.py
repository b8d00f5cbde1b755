"""Rows of Delta and Iceberg tables deleted as Spark does it, which the libraries read but do not write."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg import manifest
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation, Snapshot, Summary
from pyiceberg.table.update import AddSnapshotUpdate, SetSnapshotRefUpdate
from pyiceberg.typedef import Record

Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def z85(data: bytes) -> str:
    data += b"\0" * (-len(data) % 4)
    words = (int.from_bytes(data[place : place + 4], "big") for place in range(0, len(data), 4))
    return "".join(Z85[word // 85**power % 85] for word in words for power in (4, 3, 2, 1, 0))


def add_deletion_vector(folder: Path, row: int) -> None:
    """Marks a row of the last file that was added to a Delta table, in a new version of its log."""
    versions = sorted((folder / "_delta_log").glob("*.json"))
    actions = [json.loads(line) for path in versions for line in path.read_text().splitlines()]
    file = [action["add"] for action in actions if "add" in action][-1]
    # A 64-bit Roaring bitmap with one value, after the protocol's magic number.
    roaring = struct.pack("<IIHHIH", 12346, 1, 0, 0, 16, row)
    bitmap = struct.pack("<IQI", 1681511377, 1, 0) + roaring
    vector = {"storageType": "i", "pathOrInlineDv": z85(bitmap), "sizeInBytes": len(bitmap), "cardinality": 1}
    lines = [
        {"remove": {"path": file["path"], "deletionTimestamp": file["modificationTime"], "dataChange": True}},
        {"add": {**file, "deletionVector": vector}},
    ]
    path = folder / "_delta_log" / f"{len(versions):020}.json"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


class DeletesWriter(manifest.ManifestWriterV2):
    def content(self):
        return manifest.ManifestContent.DELETES


def add_position_delete(table: Table, row: int) -> None:
    """Adds a snapshot to an Iceberg table with a delete file for a row of its first file."""
    data_path = next(iter(table.scan().plan_files())).file.file_path
    fields = [
        pa.field("file_path", pa.string(), False, {"PARQUET:field_id": "2147483546"}),
        pa.field("pos", pa.int64(), False, {"PARQUET:field_id": "2147483545"}),
    ]
    path = f"{table.location()}/data/deletes.parquet"
    local = Path(path.removeprefix("file://"))
    pq.write_table(pa.table({"file_path": [data_path], "pos": [row]}, schema=pa.schema(fields)), local)
    file = manifest.DataFile.from_args(
        content=manifest.DataFileContent.POSITION_DELETES, file_path=path, partition=Record(), record_count=1,
        file_format=manifest.FileFormat.PARQUET, file_size_in_bytes=local.stat().st_size,
    )  # fmt: skip
    file.spec_id = 0
    snapshot, parent = table.metadata.new_snapshot_id(), table.current_snapshot()
    number = table.metadata.next_sequence_number()
    output = table.io.new_output(f"{table.location()}/metadata/deletes.avro")
    with DeletesWriter(table.spec(), table.schema(), output, snapshot, "deflate") as writer:
        added = manifest.ManifestEntryStatus.ADDED
        writer.add_entry(manifest.ManifestEntry.from_args(status=added, snapshot_id=snapshot, data_file=file))
    listed = f"{table.location()}/metadata/snap-{snapshot}.avro"
    output = table.io.new_output(listed)
    with manifest.write_manifest_list(2, output, snapshot, parent.snapshot_id, number, "deflate") as writer_of_list:
        writer_of_list.add_manifests([*parent.manifests(table.io), writer.to_manifest_file()])
    added = Snapshot(
        snapshot_id=snapshot, parent_snapshot_id=parent.snapshot_id, manifest_list=listed, sequence_number=number,
        summary=Summary(Operation.DELETE), schema_id=table.metadata.current_schema_id,
    )  # fmt: skip
    head = SetSnapshotRefUpdate(
        snapshot_id=snapshot, parent_snapshot_id=parent.snapshot_id, ref_name="main", type="branch"
    )
    with table.transaction() as transaction:
        transaction._apply((AddSnapshotUpdate(snapshot=added), head))
