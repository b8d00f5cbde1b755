"""Files that can't be read: the run stops and names them, or goes on without them and says so."""

import os
import shutil
import signal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import (
    Running,
    any_output,
    check_finished,
    hidden_files,
    make_lake,
    manifest,
    parquet_bytes,
    parquet_files,
    run,
)

BAD = "day=1/part-004.parquet"


def garbage(path):
    path.write_bytes(b"id,embedding\n" * 500)


def truncated(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path):
    path.write_bytes(b"")


def without_its_footer(path):
    path.write_bytes(path.read_bytes()[:-100])


def with_a_corrupt_page(path):
    """The footer is sound; the first page of the embeddings is not."""
    data = bytearray(path.read_bytes())
    chunk = pq.ParquetFile(path).metadata.row_group(1).column(1)
    assert chunk.path_in_schema.startswith("embedding")
    begin = chunk.dictionary_page_offset or chunk.data_page_offset
    for place in range(begin, begin + min(400, chunk.total_compressed_size)):
        data[place] ^= 0xA5
    path.write_bytes(bytes(data))


def keep_the_footer(path):
    data = path.read_bytes()
    footer = int.from_bytes(data[-8:-4], "little") + 8
    path.write_bytes(data[:4] + b"\xa5" * (len(data) - 4 - footer) + data[-footer:])


DAMAGES = [garbage, truncated, empty, without_its_footer, with_a_corrupt_page]


@pytest.fixture
def lake(sample, tmp_path):
    """A copy of the lake that may be damaged."""
    shutil.copytree(sample.lake, tmp_path / "lake")
    return tmp_path / "lake"


def others(sample):
    return {name: data for name, data in sample.scored_bytes.items() if name != BAD}


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_run_stops_and_names_the_file(sample, lake, tmp_path, damage):
    damage(lake / BAD)
    for more in ((), ("--on-bad-file", "error")):
        result = run(*sample.score(tmp_path / "out", *more, lake=lake), expect=1)
        assert BAD in result.err
        assert not (tmp_path / "out/_SUCCESS").exists()
    # Once it is sound, the same command goes on to the end, or says that this is another input.
    shutil.copy2(sample.lake / BAD, lake / BAD)
    again = run(*sample.score(tmp_path / "out", lake=lake), expect=None)
    if again.code != 0:
        assert again.code == 1
        assert "`input`" in again.err
        run(*sample.score(tmp_path / "out", "--overwrite", lake=lake))
    check_finished(tmp_path / "out", sample.scored_bytes)


@pytest.mark.parametrize("damage", DAMAGES)
def test_skipped_files_are_told(sample, lake, tmp_path, damage):
    damage(lake / BAD)
    result = run(*sample.score(tmp_path / "out", "--on-bad-file", "skip", lake=lake), expect=4)
    check_finished(tmp_path / "out", others(sample))
    found = manifest(tmp_path / "out")
    assert [entry["path"].endswith(BAD) for entry in found["skipped"]] == [True]
    assert len(found["skipped"][0]["reason"]) > 10
    assert found["skipped"][0]["kind"] == "corrupt"
    assert found["total"]["files"] == 5
    assert BAD not in found["files"]
    assert BAD in result.out + result.err


def test_clean_fits_without_the_skipped_file(sample, lake, tmp_path):
    garbage(lake / BAD)
    model = tmp_path / "m.safetensors"
    run(*sample.clean(tmp_path / "out", "--model", model, "--on-bad-file", "skip", lake=lake), expect=4)
    (lake / BAD).unlink()
    expected_model = tmp_path / "expected.safetensors"
    run(*sample.clean(tmp_path / "expected", "--model", expected_model, lake=lake))
    check_finished(tmp_path / "out", parquet_bytes(tmp_path / "expected"))
    assert model.read_bytes() == expected_model.read_bytes()


def test_a_page_that_only_scoring_reads(sample, lake, tmp_path):
    """A fit on a sample of rows may never see the damage; then scoring finds it."""
    with_a_corrupt_page(lake / BAD)
    result = run(
        *sample.clean(tmp_path / "out", "--fit-rows", 100, "--on-bad-file", "skip", lake=lake), expect=4
    )
    assert [entry["path"].endswith(BAD) for entry in manifest(tmp_path / "out")["skipped"]] == [True], result
    assert sorted(parquet_bytes(tmp_path / "out")) == sorted(others(sample))


def test_all_bad_is_an_error(sample, lake, tmp_path):
    for path in lake.rglob("*.parquet"):
        garbage(path)
    for arguments in (sample.clean, sample.score):
        out = tmp_path / arguments.__name__
        result = run(*arguments(out, "--on-bad-file", "skip", lake=lake), expect=5)
        assert "none of 6 files can be read" in result.err
        assert not (out / "_SUCCESS").exists()
    run(*sample.score(tmp_path / "one", lake=lake), expect=1)


def test_pages_that_are_all_bad_are_found_late(sample, lake, tmp_path):
    """The footers are sound, so it shows when the rows are read."""
    for path in lake.rglob("*.parquet"):
        keep_the_footer(path)
    for arguments in (sample.clean, sample.score):
        run(*arguments(tmp_path / arguments.__name__, "--on-bad-file", "skip", lake=lake), expect=5)


@pytest.mark.parametrize("command", ["fit", "score", "clean"])
def test_no_more_bad_files_than_allowed(sample, lake, tmp_path, command):
    for number in (1, 2, 4):
        garbage(next(lake.rglob(f"part-00{number}.parquet")))
    arguments = getattr(sample, command)
    skip = ("--on-bad-file", "skip", "--max-bad-files")
    result = run(*arguments(tmp_path / "few", *skip, 2, lake=lake), expect=1)
    assert "`max-bad-files` allows 2 files" in result.err
    assert "found 3" in result.err
    assert result.err.count("part-00") == 3
    assert not (tmp_path / "few/_SUCCESS").exists()
    run(*arguments(tmp_path / "none", *skip, 0, lake=lake), expect=1)
    run(*arguments(tmp_path / "enough", *skip, 3, lake=lake), expect=4)
    refused = run(*arguments(tmp_path / "wrong", "--max-bad-files", 3, lake=lake), expect=2)
    assert "`max-bad-files` needs `on-bad-file` skip" in refused.err


def test_a_bad_page_counts_among_the_bad_files(sample, lake, tmp_path):
    """Scoring finds it after the survey has skipped another file."""
    with_a_corrupt_page(lake / BAD)
    garbage(lake / "day=0/part-000.parquet")
    skip = ("--on-bad-file", "skip", "--max-bad-files")
    result = run(*sample.score(tmp_path / "out", *skip, 1, lake=lake), expect=1)
    assert "found 2" in result.err
    assert not (tmp_path / "out/_SUCCESS").exists()
    run(*sample.score(tmp_path / "both", *skip, 2, lake=lake), expect=4)


def with_cameras(path, type_):
    table = pq.read_table(path)
    table = table.append_column("camera", pa.array([7] * len(table), type_))
    pq.write_table(table, path)


def test_a_column_that_is_only_asked_for_may_be_missing(sample, lake, tmp_path):
    """A file without the column is as good as others: its rows are counted under null."""
    with_cameras(lake / "day=0/part-000.parquet", pa.int32())
    with_cameras(lake / BAD, pa.int64())
    result = run(
        *sample.clean(
            tmp_path / "out", "--on-bad-file", "skip", "--group-by", "camera", "--id", "camera", "--truth", "camera",
            "--reasons", tmp_path / "reasons.parquet", "--report", tmp_path / "page.html", "--json", lake=lake,
        )
    ).json  # fmt: skip
    assert result["skipped"] == []
    groups = {group["value"]: group["rows"] for group in result["groups"]["camera"]}
    rows = {name: pq.read_metadata(path).num_rows for name, path in parquet_files(lake).items()}
    with_column = rows["day=0/part-000.parquet"] + rows[BAD]
    assert groups == {"7": with_column, "(null)": sum(rows.values()) - with_column}
    assert sorted(parquet_bytes(tmp_path / "out")) == sorted(sample.scored_bytes)
    reasons = pq.read_table(tmp_path / "reasons.parquet").to_pylist()
    assert {row["id"] == "7" for row in reasons if row["file"] == BAD} == {True}
    others_ids = {row["id"] == f"{row['file']}:{row['row']}" for row in reasons if row["file"].endswith("part-001.parquet")}
    assert others_ids == {True}


def test_a_column_that_no_file_has_is_an_error(sample, lake, tmp_path):
    for option in ("--group-by", "--id", "--truth", "--report-image"):
        more = ("--on-bad-file", "skip", "--report", tmp_path / "page.html", option, "camera")
        result = run(*sample.clean(tmp_path / "out", *more, lake=lake), expect=1)
        assert "there is no column 'camera'" in result.err
        assert "'id', 'embedding', 'shifted'" in result.err


@pytest.mark.parametrize("option", ["--stratify", "--fold-by"])
def test_a_column_that_decides_the_fit_is_needed(sample, lake, tmp_path, option):
    trusted = tmp_path / "trusted.parquet"
    shutil.copy(sample.trusted, trusted)
    for path in (trusted, lake / BAD):
        with_cameras(path, pa.int64())
    result = run(
        "clean", "--trusted", trusted, "--pool", lake, "--out", tmp_path / "out", option, "camera", expect=1
    )  # fmt: skip
    assert "there is no column 'camera'" in result.err


def test_bad_trusted_rows_are_named(sample, tmp_path):
    bad = tmp_path / "bad.parquet"
    garbage(bad)
    result = run("fit", "--trusted", bad, "--pool", sample.lake, "--model", tmp_path / "m", expect=1)
    assert "bad.parquet" in result.err
    assert hidden_files(tmp_path) == []


def test_a_file_without_permission(sample, lake, tmp_path):
    # Root may read everything: the program runs as somebody who may not.
    prefix = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") if os.geteuid() == 0 else ()
    for folder in [*tmp_path.parents, tmp_path, lake, *lake.iterdir()]:
        if folder.owner() == tmp_path.owner() and len(folder.parts) > 2:
            folder.chmod(folder.stat().st_mode | 0o005)
    for path in (sample.model, sample.trusted, *sample.model.parents):
        if len(path.parts) > 2:
            path.chmod(path.stat().st_mode | 0o005)
    out = tmp_path / "open"
    out.mkdir()
    out.chmod(0o777)
    (lake / BAD).chmod(0)
    result = run(*sample.score(out / "out", lake=lake), expect=1, prefix=prefix)
    assert BAD in result.err
    assert "ermission denied" in result.err
    run(*sample.score(out / "out2", "--on-bad-file", "skip", lake=lake), expect=4, prefix=prefix)
    check_finished(out / "out2", others(sample))
    skipped = manifest(out / "out2")["skipped"]
    assert "ermission denied" in skipped[0]["reason"]
    assert [entry["kind"] for entry in skipped] == ["not allowed"]


@pytest.fixture(scope="module")
def long_source(tmp_path_factory):
    return make_lake(tmp_path_factory.mktemp("long") / "lake", files=40, rows=1500)


@pytest.fixture
def long(long_source, tmp_path):
    shutil.copytree(long_source, tmp_path / "lake")
    return tmp_path / "lake"


LAST = "day=2/part-038.parquet"  # the last in the order of paths


def disturbed(sample, tmp_path, lake, disturb, *more):
    """Runs `score`; after the first file is finished it is halted, and goes on when disturbed."""
    running = Running(sample.score(tmp_path / "out", "--threads", 1, *more, lake=lake))
    assert running.wait_until(any_output(tmp_path / "out")), running.said()
    running.send(signal.SIGSTOP)
    try:
        assert not (tmp_path / "out" / LAST).exists()
        disturb(lake / LAST)
    finally:
        running.send(signal.SIGCONT)
    return running.wait()


def test_a_file_that_vanishes(sample, long, tmp_path):
    """The listing has it, so it may come back, or the next listing knows better: it is not skipped."""
    for more in ((), ("--on-bad-file", "skip")):
        shutil.copytree(long, tmp_path / f"lake{len(more)}")
        (tmp_path / f"run{len(more)}").mkdir()
        result = disturbed(
            sample, tmp_path / f"run{len(more)}", tmp_path / f"lake{len(more)}", lambda path: path.unlink(), *more
        )
        assert result.code == 6, result
        assert LAST in result.err
        assert "o such file" in result.err
        assert not (tmp_path / f"run{len(more)}/out/_SUCCESS").exists()


def append(path):
    with path.open("ab") as file:
        file.write(b"PAR1")


def touch(path):
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000))


def replace(path):
    other = path.parent / ".other"
    shutil.copy(path.parent / "part-002.parquet", other)
    os.replace(other, path)


@pytest.mark.parametrize("change", [append, touch, replace])
def test_a_file_that_changes_is_told(sample, long, tmp_path, change):
    result = disturbed(sample, tmp_path, long, change, "--on-bad-file", "skip")
    assert result.code == 6
    assert LAST in result.err
    assert "changed" in result.err
    assert not (tmp_path / "out/_SUCCESS").exists()
