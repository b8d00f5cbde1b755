"""What spuna.clean returns is what the command writes and prints."""

import json
import os
import subprocess

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import check_same, run_command

import spuna

DECISIONS = {
    "default": {},
    "threshold": {"threshold": 0.7},
    "max_clean_loss": {"max_clean_loss": 0.05},
    "cross": {"max_clean_loss": 0.1, "calibration": "cross"},
    "max_false_drops": {"max_false_drops": 0.1},
    "keep_share": {"keep_share": 0.6},
    "p_values": {"p_values": True, "calibration_rows": 100},
    "drop": {"drop": True},
    "stratify": {"stratify": "source"},
}
# Times, memory, and the path that the command is given.
VOLATILE = ("seconds", "peak_memory_bytes", "reasons")


def arguments(options):
    """Options of Python as the command takes them."""
    for name, value in options.items():
        yield "--" + name.replace("_", "-")
        if value is not True:
            yield ",".join(value) if isinstance(value, list) else str(value)


def clean_by_command(folder, trusted, pool, options, *extra):
    """What the command prints, and the files that it wrote."""
    out = folder / "out"
    files = {"model": folder / "m.safetensors", "reasons": folder / "r.parquet"}
    printed = run_command(
        "clean", "--trusted", trusted, "--pool", pool, "--out", out, "--model", files["model"],
        "--reasons", files["reasons"], *arguments(options), *extra,
    )
    return printed, out, files


def check_like_the_command(cleaned, printed, out, files, tmp_path):
    assert cleaned.model.to_bytes() == files["model"].read_bytes()
    found = cleaned.to_dict()
    for key in ("kinds", "shift_distance"):
        assert (key in found) == (found["rows_dropped"] > 0)
    for key in VOLATILE:
        printed.pop(key), found.pop(key, None)
    # About an output directory, which a call does not have.
    for key in ("file_counts", "update", "refit"):
        assert key not in found
        assert (printed.pop(key, None) is not None) == out.is_dir()
    assert found == printed
    paths = sorted(out.rglob("*.parquet")) if out.is_dir() else [out]
    files_written = [pq.ParquetFile(path).read() for path in paths]
    ours = [name for name in files_written[0].column_names if name.startswith("spuna_")]
    written = pa.concat_tables(table.select(ours) for table in files_written)
    rows = pa.table(cleaned)
    assert rows.num_rows == written.num_rows
    for column in ("spuna_score", "spuna_keep", "spuna_p_value"):
        assert (column in rows.column_names) == (column in written.column_names)
        if column in rows.column_names:
            assert rows[column].to_pylist() == written[column].to_pylist()
    cleaned.reasons(tmp_path / "reasons.parquet")
    assert (tmp_path / "reasons.parquet").read_bytes() == files["reasons"].read_bytes()
    assert pa.table(cleaned.reasons()).equals(pq.read_table(files["reasons"]))


@pytest.mark.parametrize("rule", DECISIONS)
def test_the_quickstart_as_the_command_has_it(sample, tmp_path, rule):
    trusted, pool = sample / "trusted.parquet", sample / "pool.parquet"
    options = {"epochs": 3, "hidden": 32, **DECISIONS[rule]}
    printed, out, files = clean_by_command(tmp_path, trusted, pool, options)
    cleaned = spuna.clean(trusted, pool, **options)
    check_like_the_command(cleaned, printed, out, files, tmp_path)
    # The same rows as tables: the same model and decisions.
    tables = spuna.clean(pq.read_table(trusted), pq.read_table(pool), **options)
    assert tables.model.to_bytes() == cleaned.model.to_bytes()
    assert np.array_equal(tables.dropped, cleaned.dropped)
    by_files, by_tables = (pa.table(c.reasons()) for c in (cleaned, tables))
    assert by_tables.drop_columns(["file"]).equals(by_files.drop_columns(["file"]))
    assert set(by_tables["file"].to_pylist()) <= {""}


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    """Trusted rows, and a lake with hive keys whose files differ in other columns."""
    folder = tmp_path_factory.mktemp("lake")
    rng = np.random.default_rng(5)
    trusted = pa.table({"embedding": list(rng.normal(size=(250, 6)).astype(np.float32))})
    pq.write_table(trusted, folder / "trusted.parquet")
    for day in range(4):
        rows = rng.normal(size=(200, 6)).astype(np.float32)
        rows[: 25 * (day + 1)] += 2
        table = pa.table({"id": [f"{day}-{i}" for i in range(200)], "embedding": list(rows)})
        if day % 2:
            table = table.append_column("camera", pa.array(["a", "b"] * 100))
        (folder / f"lake/day={day}").mkdir(parents=True)
        pq.write_table(table, folder / f"lake/day={day}/part.parquet", row_group_size=64)
    return folder


@pytest.mark.parametrize("rule", [r for r in DECISIONS if r != "stratify"])
def test_a_lake_as_the_command_has_it(lake, tmp_path, rule):
    options = {"epochs": 3, "group_by": ["day"], **DECISIONS[rule]}
    printed, out, files = clean_by_command(tmp_path, lake / "trusted.parquet", lake / "lake", options)
    cleaned = spuna.clean(lake / "trusted.parquet", lake / "lake", **options)
    assert [group["value"] for group in cleaned.groups["day"]] == ["3", "2", "1", "0"]
    check_like_the_command(cleaned, printed, out, files, tmp_path)


def test_a_lake_with_a_sampled_pool(lake, tmp_path):
    options = {"epochs": 3, "fit_rows": 300, "id": "id"}
    pool = [str(lake / f"lake/day={day}") for day in (3, 0, 2, 1)]
    printed, out, files = clean_by_command(
        tmp_path, lake / "trusted.parquet", pool[0], options, *(x for p in pool[1:] for x in ("--pool", p))
    )
    cleaned = spuna.clean(lake / "trusted.parquet", pool, **options)
    assert cleaned.model.to_bytes() == files["model"].read_bytes()
    assert pa.table(cleaned.reasons()).equals(pq.read_table(files["reasons"]))
    # Rows come in the order in which the files were given, and ids with them.
    rows = pa.table(cleaned)
    assert [rows["id"][i].as_py() for i in (0, 200, 400, 600)] == ["3-0", "0-0", "2-0", "1-0"]
    dropped = [i for i, keep in zip(rows["id"].to_pylist(), rows["spuna_keep"].to_pylist()) if not keep]
    assert cleaned.dropped == dropped
    assert len(cleaned.kept) + len(cleaned.dropped) == 800


def test_files_that_differ_in_other_columns_are_joined_by_name(lake):
    rows = pa.table(spuna.clean(lake / "trusted.parquet", lake / "lake", epochs=3))
    assert rows.column_names == ["id", "embedding", "day", "camera", "spuna_score", "spuna_keep"]
    assert rows["day"].to_pylist() == [str(day) for day in range(4) for _ in range(200)]
    assert rows["camera"].null_count == 400 and rows["camera"][200].as_py() == "a"
    model = spuna.fit(lake / "trusted.parquet", lake / "lake", epochs=3)
    assert pa.table(model.score(lake / "lake")).equals(rows)
    # What can't be joined is said with both files.
    table = pq.read_table(lake / "lake/day=1/part.parquet", partitioning=None)
    other = lake / "other/day=9"
    other.mkdir(parents=True)
    pq.write_table(table.set_column(2, "camera", pa.array([1.0] * 200)), other / "part.parquet")
    with pytest.raises(ValueError, match=r"day=9.part.parquet: column 'camera': expected string as in .*day=1"):
        spuna.clean(lake / "trusted.parquet", [lake / "lake", other], epochs=3)


def test_bad_files_are_skipped_on_request(lake, tmp_path):
    folder = tmp_path / "lake"
    folder.mkdir()
    for day in range(3):
        data = (lake / f"lake/day={day}/part.parquet").read_bytes()
        (folder / f"{day}.parquet").write_bytes(data if day != 1 else data[:500])
    with pytest.raises(ValueError, match="1.parquet: Parquet magic bytes not found"):
        spuna.clean(lake / "trusted.parquet", folder, epochs=3)
    with pytest.warns(spuna.SpunaWarning, match=r"files skipped: 1 could not be read; the first: .*1\.parquet"):
        cleaned = spuna.clean(lake / "trusted.parquet", folder, epochs=3, on_bad_file="skip")
    assert pa.table(cleaned).num_rows == 400
    assert [os.path.basename(s["path"]) for s in cleaned.to_dict()["skipped"]] == ["1.parquet"]
    assert "files skipped" in cleaned.summary()
    assert cleaned.model.scores(folder, on_bad_file="skip").shape == (400,)
    with pytest.raises(ValueError, match="`on_bad_file`: to skip files of the pool, give the trusted rows as a path"):
        spuna.clean(pq.read_table(lake / "trusted.parquet"), folder, epochs=3, on_bad_file="skip")
    # Damage behind a good footer is found when the rows are read.
    data = bytearray((folder / "0.parquet").read_bytes())
    data[200:2000] = bytes(1800)
    (folder / "0.parquet").write_bytes(data)
    cleaned = spuna.clean(
        lake / "trusted.parquet", folder, epochs=3, on_bad_file="skip", fit_rows=50, group_by=["id"]
    )
    assert len(cleaned.to_dict()["skipped"]) == 2
    assert pa.table(cleaned)["id"].to_pylist() == [f"2-{i}" for i in range(200)]
    assert len(cleaned.kept) + len(cleaned.dropped) == 200 == sum(g["rows"] for g in cleaned.groups["id"])
    # What was counted stays: later damage is an error, not one more file that is skipped.
    (folder / "2.parquet").write_bytes(b"gone")
    for read in (lambda: pa.table(cleaned), cleaned.reasons, cleaned.reasons):
        with pytest.raises((OSError, ValueError), match="2.parquet"):
            read()
    assert len(cleaned.to_dict()["skipped"]) == 2


def test_the_summary_is_the_commands(sample, tmp_path):
    trusted, pool = sample / "trusted.parquet", sample / "pool.parquet"
    command = [os.environ["SPUNA_PROGRAM"], "clean", "--trusted", trusted, "--pool", pool, "--epochs", "3",
               "--fit-rows", "1000", "--out", tmp_path / "out.parquet"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    said = spuna.clean(trusted, pool, epochs=3, fit_rows=1000).summary().splitlines()
    volatile = ("seconds", "written to")
    expected = [line.replace("`--fit-rows`", "`fit_rows`") for line in printed if not line.startswith(volatile)]
    assert [line for line in said if not line.startswith(volatile)] == expected
    assert any(line.startswith("seconds") for line in said)


def test_the_report_is_the_commands(sample, tmp_path):
    trusted, pool = sample / "trusted.parquet", sample / "pool.parquet"
    run_command("clean", "--trusted", trusted, "--pool", pool, "--epochs", 3, "--group-by", "source", "--truth",
                "shifted", "--out", tmp_path / "o.parquet", "--report", tmp_path / "command.html")
    cleaned = spuna.clean(trusted, pool, epochs=3, group_by=["source"], truth="shifted")
    cleaned.report(tmp_path / "python.html")

    def contents(name):
        page = (tmp_path / name).read_text()
        start = page.index('{"', page.index('type="application/json"'))
        data = json.loads(page[start : page.index("</script>", start)])
        return {key: value for key, value in data.items() if key not in VOLATILE}

    assert contents("python.html") == contents("command.html")
    with pytest.raises(OSError, match="exists already; choose another name or add `overwrite=True`"):
        cleaned.report(tmp_path / "python.html")
    cleaned.report(tmp_path / "python.html", overwrite=True)
    with pytest.raises(OSError, match="pool.parquet: this is what `pool` names too; choose another name"):
        cleaned.report(pool, overwrite=True)


def test_streams_of_every_kind(quick):
    options, trusted, pool = quick
    table = pa.table({"id": range(len(pool)), "embedding": list(pool), "odd": np.arange(len(pool)) % 2})
    expected = spuna.clean(trusted, table, group_by=["odd"], **options)
    assert expected.to_dict()["rows_in"] == len(pool)
    for kind in (table.to_reader(), table.to_batches(), iter(table.to_batches())):
        if isinstance(kind, list):
            kind = pa.Table.from_batches(kind)
        if not hasattr(kind, "__arrow_c_stream__"):
            kind = pa.RecordBatchReader.from_batches(table.schema, kind)
        cleaned = spuna.clean(trusted, kind, group_by=["odd"], **options)
        assert cleaned.groups == expected.groups
        assert np.array_equal(cleaned.kept, expected.kept)
        assert pa.table(cleaned.reasons()).equals(pa.table(expected.reasons()))
        # A reader was held, so its rows can be read again.
        assert pa.table(cleaned).equals(pa.table(cleaned))
    odd, even = sorted(expected.groups["odd"], key=lambda group: group["value"], reverse=True)
    assert odd["dropped"] > 180 > 40 > even["dropped"]


def test_kept_and_dropped(quick):
    options, trusted, pool = quick
    pool = pool.copy()
    pool[7] = np.nan
    cleaned = spuna.clean(trusted, pool, **options)
    keep = pa.table(cleaned)["spuna_keep"].to_pylist()
    assert cleaned.kept.tolist() == [i for i, k in enumerate(keep) if k]
    assert cleaned.dropped.tolist() == [i for i, k in enumerate(keep) if k is False]
    assert cleaned.kept.dtype == np.int64 and keep[7] is None
    counts = f"{len(cleaned.kept)} kept, {len(cleaned.dropped)} dropped, 1 invalid"
    assert repr(cleaned) == f"<spuna.Cleaned: 400 rows, {counts}>"
    # Rows that are left out of the output keep their numbers.
    assert np.array_equal(spuna.clean(trusted, pool, drop=True, **options).dropped, cleaned.dropped)


def test_frames(quick):
    pandas = pytest.importorskip("pandas")
    options, trusted, pool = quick
    pool = pool.copy()
    pool[3] = np.inf
    cleaned = spuna.clean(trusted, pool, prefix="my_", **options)
    frame = cleaned.to_pandas()
    assert frame["my_keep"].dtype == "boolean" and frame["my_keep"].isna().sum() == 1
    # A row without a decision is not taken for one that is kept, and nothing is raised.
    assert len(frame[frame.my_keep]) == len(cleaned.kept)
    assert len(frame[~frame.my_keep]) == len(cleaned.dropped)
    assert cleaned.model.score(pool[:3]).to_pandas()["spuna_keep"].dtype == "boolean"
    assert isinstance(frame, pandas.DataFrame)
    polars = cleaned.to_polars()
    assert polars.height == len(pool) and polars["my_keep"].null_count() == 1
    assert polars.filter("my_keep").height == len(cleaned.kept)


def test_pictures_of_tables(quick, tmp_path):
    options, trusted, pool = quick
    png = b"\x89PNG\r\n\x1a\n" + b"x" * 20
    table = pa.table({"embedding": list(pool), "picture": [png] * len(pool)})
    spuna.clean(trusted, table, report_image="picture", **options).report(tmp_path / "r.html")
    assert "data:image/png;base64," in (tmp_path / "r.html").read_text()
    with pytest.raises(ValueError, match="there is no column 'nowhere' as `report_image` says"):
        spuna.clean(trusted, table, report_image="nowhere", **options)


@pytest.mark.parametrize("name", ["group_by", "id", "truth", "report_image", "stratify", "fold_by"])
def test_columns_that_are_missing_are_said_before_the_fit(quick, name):
    options, trusted, pool = quick

    def never(stage, done):
        raise AssertionError("the fit has started")

    value = ["nowhere"] if name == "group_by" else "nowhere"
    table = pa.table({"embedding": list(pool)})
    with pytest.raises(ValueError, match=f"there is no column 'nowhere' as `{name}` says"):
        spuna.clean(pa.table({"embedding": list(trusted)}), table, progress=never, **{name: value}, **options)


def test_same_decisions_as_the_command_on_the_sample(sample, by_command):
    check_same(spuna.clean(sample / "trusted.parquet", sample / "pool.parquet"), by_command)
