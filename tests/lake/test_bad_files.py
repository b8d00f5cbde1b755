"""Files that can't be read: the run stops and names them, or goes on without them and says so."""

import os
import shutil
import signal

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
    run(*sample.clean(tmp_path / "out", "--on-bad-file", "skip", lake=lake), expect=1)
    assert not (tmp_path / "out/_SUCCESS").exists()


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
    assert "ermission denied" in manifest(out / "out2")["skipped"][0]["reason"]


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
    result = disturbed(sample, tmp_path, long, lambda path: path.unlink())
    assert result.code == 1
    assert LAST in result.err


def test_a_file_that_vanishes_is_skipped(sample, long, tmp_path):
    result = disturbed(sample, tmp_path, long, lambda path: path.unlink(), "--on-bad-file", "skip")
    assert result.code == 4, result
    assert [entry["path"].endswith(LAST) for entry in manifest(tmp_path / "out")["skipped"]] == [True]
    assert len(parquet_bytes(tmp_path / "out")) == 39


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
    result = disturbed(sample, tmp_path, long, change)
    assert result.code == 1
    assert LAST in result.err
    assert "changed" in result.err
    assert not (tmp_path / "out/_SUCCESS").exists()
