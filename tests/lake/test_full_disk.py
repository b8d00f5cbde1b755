"""A disk that is full stops the run; what is finished stays, and what is not is cleared away."""

import os
import resource
import subprocess

import pytest
from support import check_finished, hidden_files, make_lake, parquet_bytes, parquet_files, run


@pytest.fixture(scope="module")
def lake(sample, tmp_path_factory):
    """A lake of files that grow, and what an undisturbed run makes of it."""
    folder = tmp_path_factory.mktemp("growing")
    lake = make_lake(folder / "lake", files=12, rows=2000)
    run(*sample.score(folder / "out", lake=lake))
    return lake, parquet_bytes(folder / "out")


@pytest.fixture
def small_disk(tmp_path):
    """A file system with room for some of the outputs. A function gives it more."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount")
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("this machine lets nobody mount")

    def grow(size):
        subprocess.run(["mount", "-o", f"remount,size={size}", disk], check=True)

    yield disk, grow
    subprocess.run(["umount", disk], check=True)


def check_stopped(result, out, expected):
    assert "No space left on device" in result.err or "File too large" in result.err
    found = parquet_bytes(out) if out.exists() else {}
    assert len(found) < len(expected)
    assert all(data == expected[name] for name, data in found.items())
    assert not (out / "_SUCCESS").exists()


@pytest.mark.parametrize("command", ["score", "clean"])
def test_no_space_left(sample, lake, small_disk, tmp_path, command):
    source, expected = lake
    disk, grow = small_disk
    grow("2m")
    if command == "clean":
        run(*sample.clean(tmp_path / "undisturbed", lake=source))
        expected = parquet_bytes(tmp_path / "undisturbed")
    arguments = getattr(sample, command)(disk / "out", lake=source)
    check_stopped(run(*arguments, expect=1), disk / "out", expected)
    # Again with as little room: the same, and no second heap of leftovers.
    finished = parquet_files(disk / "out")
    check_stopped(run(*arguments, expect=1), disk / "out", expected)
    assert set(finished) <= set(parquet_files(disk / "out"))
    grow("200m")
    run(*arguments)
    check_finished(disk / "out", expected)
    assert hidden_files(disk) == []


def test_no_space_for_the_model(sample, small_disk):
    disk, grow = small_disk
    grow("8k")
    result = run(*sample.fit(disk / "m.safetensors", "--checkpoint-seconds", 0), expect=1)
    assert "No space left on device" in result.err
    assert not (disk / "m.safetensors").exists()
    grow("20m")
    run(*sample.fit(disk / "m.safetensors"))
    assert (disk / "m.safetensors").read_bytes() == sample.model.read_bytes()
    assert hidden_files(disk) == []


def test_files_that_may_not_grow(sample, lake, tmp_path):
    """The same by a limit on the size of files, which anybody may set."""
    source, expected = lake
    limit = sorted(len(data) for data in expected.values())[5]  # half of the files fit
    arguments = sample.score(tmp_path / "out", "--threads", 1, lake=source)
    result = run(
        *arguments, expect=1, preexec=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    )
    assert "File too large" in result.err
    check_stopped(result, tmp_path / "out", expected)
    run(*arguments)
    check_finished(tmp_path / "out", expected)
