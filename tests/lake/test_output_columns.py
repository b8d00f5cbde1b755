"""Which columns are written: all and ours, ours in place of old ones, or a few for a join."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import column, make_lake, parquet_bytes, parquet_files, run, write_file

NARROW = ["id", "spuna_score", "spuna_keep"]


def read(path):
    table = pq.ParquetFile(path).read()
    table.validate(full=True)
    return table


@pytest.mark.parametrize("drop", [(), ("--drop",)])
@pytest.mark.parametrize("command", ["score", "clean"])
def test_scoring_again_replaces_our_columns(sample, tmp_path, command, drop):
    first = getattr(sample, command)(tmp_path / "first")
    run(*first)
    expected = first
    if drop:
        expected = getattr(sample, command)(tmp_path / "expected", *drop)
        run(*expected)
    again = getattr(sample, command)(tmp_path / "again", *drop, lake=tmp_path / "first")
    result = run(*again, expect=1)
    assert "there is a column 'spuna_score' already" in result.err
    assert "`--replace`" in result.err
    assert not parquet_files(tmp_path / "again")
    run(*again, "--replace", "--overwrite")
    assert parquet_bytes(tmp_path / "again") == parquet_bytes(tmp_path / ("expected" if drop else "first"))


def test_only_top_level_columns_that_are_written_are_replaced(sample, tmp_path):
    source = next(iter(parquet_files(sample.lake).values()))
    table = read(source)
    old = pa.array([2.0] * len(table))
    odd = pa.table(
        {
            "spuna_keep": pa.array(["old"] * len(table)),
            "nested": pa.StructArray.from_arrays([old, old], ["spuna_score", "spuna_keep"]),
            "spuna_p_value": old,
            "embedding": table["embedding"],
            "spuna_scores": old,
        }
    )
    pq.write_table(odd, tmp_path / "odd.parquet")
    for drop in ((), ("--drop",)):
        out = tmp_path / f"out{len(drop)}.parquet"
        run(*sample.score(out, "--replace", *drop, lake=tmp_path / "odd.parquet"))
        found = read(out)
        assert found.column_names == [
            "nested", "spuna_p_value", "embedding", "spuna_scores", "spuna_score", "spuna_keep",
        ]  # fmt: skip
        assert set(found["nested"].to_pylist()[0].values()) == {2.0}
        assert found.schema.field("spuna_keep").type == pa.bool_()
        if not drop:
            assert found.select(["nested", "embedding"]).equals(odd.select(["nested", "embedding"]))


@pytest.mark.parametrize("drop", [(), ("--drop",)])
@pytest.mark.parametrize("command", ["score", "clean"])
def test_a_narrow_output_is_a_part_of_the_whole(sample, tmp_path, command, drop):
    whole, narrow = tmp_path / "whole", tmp_path / "narrow"
    run(*getattr(sample, command)(whole, *drop))
    for columns in (NARROW, ["spuna_keep", "shifted", "spuna_score", "id"], ["id"], ["spuna_score"]):
        run(*getattr(sample, command)(narrow, *drop, "--columns", ",".join(columns), "--overwrite"))
        assert sorted(parquet_files(narrow)) == sorted(parquet_files(whole))
        for name, path in parquet_files(narrow).items():
            expected = read(whole / name).select(columns)
            found = read(path)
            assert found.column_names == columns
            assert found.schema.equals(expected.schema, check_metadata=True)
            assert found.equals(expected)
            before, after = pq.ParquetFile(whole / name).metadata, pq.ParquetFile(path).metadata
            groups = range(before.num_row_groups)
            assert after.num_row_groups == before.num_row_groups
            assert [after.row_group(i).num_rows for i in groups] == [before.row_group(i).num_rows for i in groups]
            codecs = {before.row_group(0).column(i).compression for i in range(before.num_columns)}
            assert {after.row_group(0).column(i).compression for i in range(after.num_columns)} == codecs


def test_a_narrow_output_does_not_copy_the_rest(sample, tmp_path):
    run(*sample.score(tmp_path / "out", "--columns", ",".join(NARROW)))
    for name, path in parquet_files(tmp_path / "out").items():
        assert path.stat().st_size < parquet_files(sample.lake)[name].stat().st_size / 2


def test_dropped_rows_have_the_same_columns(sample, tmp_path):
    lake = make_lake(tmp_path / "lake", files=2, invalid=4)
    arguments = sample.score(tmp_path / "out", "--drop", "--dropped", tmp_path / "gone", lake=lake)
    run(*arguments, "--columns", "spuna_keep,id")
    for name, path in parquet_files(lake).items():
        kept, gone = read(tmp_path / "out" / name), read(tmp_path / "gone" / name)
        assert kept.column_names == gone.column_names == ["spuna_keep", "id"]
        assert set(kept["spuna_keep"].to_pylist()) == {True}
        assert set(gone["spuna_keep"].to_pylist()) == {False, None}
        assert sorted(kept["id"].to_pylist() + gone["id"].to_pylist()) == sorted(column(path, "id"))


def test_names_that_cannot_be_are_refused(sample, tmp_path):
    def refused(columns, code=1):
        result = run(*sample.score(tmp_path / "out", "--columns", columns), expect=code)
        assert not parquet_files(tmp_path / "out")
        return result.err

    assert "there is no column 'idd'; did you mean 'id'? there are 'id', 'embedding', " in refused("idd,spuna_score")
    assert "'day' in the file: it is a hive key" in refused("id,day")
    assert "'spuna_p_value'; it is one of ours with `p-values`" in refused("id,spuna_p_value")
    assert "`columns`: expected one or more names" in refused(",", 2)
    assert "found 'id' twice" in refused("id,spuna_score,id", 2)


def test_a_file_without_the_column_is_named_or_skipped(sample, tmp_path):
    lake = tmp_path / "lake"
    write_file(lake / "a.parquet", 50, 1)
    table = read(write_file(tmp_path / "b.parquet", 50, 2))
    pq.write_table(table.drop_columns(["id"]), lake / "b.parquet")
    arguments = sample.score(tmp_path / "out", "--columns", "id,spuna_score", lake=lake)
    assert "b.parquet: `columns`: there is no column 'id'" in run(*arguments, expect=1).err
    run(*arguments, "--on-bad-file", "skip", "--overwrite", expect=4)
    assert list(parquet_files(tmp_path / "out")) == ["a.parquet"]


def test_streams_have_the_columns_that_are_asked_for(sample, tmp_path):
    script = tmp_path / "out.arrow"
    run(*sample.score("-", "--columns", "day,spuna_keep,id"), prefix=("sh", "-c", f'exec "$0" "$@" > {script}'))
    found = pa.ipc.open_stream(script).read_all()
    assert found.column_names == ["day", "spuna_keep", "id"]
    expected = [keep for path in parquet_files(sample.scored).values() for keep in column(path, "spuna_keep")]
    assert found["spuna_keep"].to_pylist() == expected


def test_the_summary_counts_invalid_rows_that_are_left_out(sample, tmp_path):
    lake = make_lake(tmp_path / "lake", files=2, invalid=4)
    with_drop = run(*sample.score(tmp_path / "a", "--drop", lake=lake))
    assert "8: null or non-finite, left out" in with_drop.out + with_drop.err
    without = run(*sample.score(tmp_path / "b", lake=lake))
    assert "8: null or non-finite\n" in without.out + without.err


def test_a_list_of_a_configuration_file_and_repeated_options_are_one_list(sample, tmp_path):
    (tmp_path / "c.toml").write_text('columns = ["id", "spuna_keep"]\ngroup-by = ["day", "shifted"]\n')
    ways = {
        "toml": ["--config", tmp_path / "c.toml"],
        "commas": ["--columns", "id,spuna_keep", "--group-by", "day,shifted"],
        "repeated": ["--columns", "id", "--columns", "spuna_keep", "--group-by", "day", "--group-by", "shifted"],
    }
    found = {}
    for name, more in ways.items():
        report = run(*sample.score(tmp_path / name, *more, "--json")).json
        found[name] = (report["groups"], parquet_bytes(tmp_path / name))
    assert found["toml"] == found["commas"] == found["repeated"]
    assert set(found["toml"][0]) == {"day", "shifted"}
