"""Every reader takes an output directory as it is: all rows, all columns, hive keys where it has them."""

import duckdb
import pandas
import polars
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from datafusion import SessionContext
from support import parquet_files, run, write_file

COLUMNS = {"id", "embedding", "shifted", "spuna_score", "spuna_keep"}


def by_pyarrow(out):
    return pyarrow.dataset.dataset(out, partitioning="hive").to_table()


def by_pyarrow_without_keys(out):
    return pyarrow.dataset.dataset(out).to_table()


def by_parquet_table(out):
    return pq.read_table(out)


def by_pandas(out):
    frame = pandas.read_parquet(out)
    return pyarrow.Table.from_pandas(frame, preserve_index=False)


def by_polars_directory(out):
    return polars.scan_parquet(out).collect().to_arrow()


def by_polars_glob(out):
    return polars.scan_parquet(f"{out}/**/*.parquet", hive_partitioning=True).collect().to_arrow()


def by_duckdb(out):
    query = f"select * from read_parquet('{out}/**/*.parquet')"
    return duckdb.connect().execute(query).to_arrow_table()


def by_datafusion(out):
    context = SessionContext()
    context.register_parquet("scored", str(out))
    return context.sql("select * from scored").to_arrow_table()


def by_datafusion_with_keys(out):
    keys = [("day", pyarrow.int32())] if any(out.glob("day=*")) else []
    context = SessionContext()
    context.register_listing_table("scored", f"{out}/", table_partition_cols=keys)
    return context.sql("select * from scored").to_arrow_table()


# A reader, and whether it makes columns of hive keys unasked.
READERS = [
    (by_pyarrow, True), (by_pyarrow_without_keys, False), (by_parquet_table, True), (by_pandas, True),
    (by_polars_directory, True), (by_polars_glob, True), (by_duckdb, True), (by_datafusion, False),
    (by_datafusion_with_keys, True),
]  # fmt: skip


@pytest.fixture(scope="module")
def outputs(sample, tmp_path_factory):
    """Directories by layout and run, each with its number of rows. The second run is incremental."""
    folder = tmp_path_factory.mktemp("outputs")
    made = {}
    for layout in ("flat", "hive"):
        lake = folder / layout
        for number in range(4):
            place = f"day={number % 2}" if layout == "hive" else "."
            write_file(lake / place / f"part-{number}.parquet", 50 + number, number)
        for night, added in (("first", ()), ("second", (7, 8))):
            out = folder / f"{layout}-{night}"
            run(*sample.clean(out, "--fit-rows", 100, lake=lake))
            for number in added:
                place = f"day={number}" if layout == "hive" else "."
                write_file(lake / place / f"part-{number}.parquet", 50 + number, number)
            if added:
                run(*sample.clean(out, "--fit-rows", 100, lake=lake))
            made[layout, night] = out, sum(pq.ParquetFile(path).metadata.num_rows for path in parquet_files(lake).values())
    return made


@pytest.mark.parametrize("night", ["first", "second"])
@pytest.mark.parametrize("layout", ["flat", "hive"])
@pytest.mark.parametrize(("reader", "has_keys"), READERS)
def test_a_reader_takes_the_directory(outputs, layout, night, reader, has_keys):
    out, rows = outputs[layout, night]
    assert (out / "_SUCCESS").exists()
    found = reader(out)
    assert found.num_rows == rows
    assert set(found.column_names) == COLUMNS | ({"day"} if layout == "hive" and has_keys else set())
    assert found["spuna_score"].null_count == 0
    if "day" in found.column_names:
        days = {int(day) for day in found["day"].unique().to_pylist()}
        assert days == ({0, 1} if night == "first" else {0, 1, 7, 8})


@pytest.mark.parametrize("layout", ["flat", "hive"])
def test_a_run_reads_an_output(sample, outputs, tmp_path, layout):
    """What one run wrote is the input of another, which does not look into the state either."""
    out, rows = outputs[layout, "second"]
    scored = run(*sample.score(tmp_path / "again", "--prefix", "again_", "--json", lake=out)).json
    assert scored["rows_in"] == rows


def test_no_file_of_the_state_looks_like_data(outputs):
    """Globs of DuckDB and Polars look into hidden folders."""
    for out, _ in outputs.values():
        assert set(out.rglob("*.parquet")) == set(parquet_files(out).values())
