"""Where outputs and inputs of runs that add to an output lie, and what such a run refuses."""

import shutil

import pytest
from support import (
    check_finished,
    everything,
    make_lake,
    manifest,
    parquet_bytes,
    parquet_files,
    run,
    state_of,
    write_file,
)


@pytest.mark.parametrize("way", ["link", "dot"])
def test_an_output_behind_a_link_or_a_dot(sample, lake, tmp_path, way):
    real = tmp_path / "disk" / "out"
    real.mkdir(parents=True)
    named, cwd = (tmp_path / "out", None) if way == "link" else (".", real)
    if way == "link":
        named.symlink_to(real)
    run(*sample.clean(named, lake=lake), cwd=cwd)
    write_file(lake / "day=9/part-000.parquet", 90, 51)
    assert run(*sample.clean(named, "--json", lake=lake), cwd=cwd).json["update"]["added"] == ["day=9/part-000.parquet"]
    run(*sample.clean(named, "--refit", "--seed", 3, lake=lake), cwd=cwd)
    assert way == "dot" or named.is_symlink()
    # The same output by its real name.
    assert run(*sample.clean(real, "--seed", 3, "--json", lake=lake)).json["was_done"]
    check_finished(real, parquet_bytes(real))
    assert sorted(parquet_files(real)) == sorted(parquet_files(lake))


def test_rows_are_not_there_twice_when_the_layout_starts_elsewhere(sample, lake, tmp_path):
    out, names = tmp_path / "out", tmp_path / "files.txt"
    names.write_text("".join(f"{path}\n" for path in sorted((lake / "day=1").iterdir())))
    run(*sample.score(out, lake=f"@{names}"))
    before = everything(out)
    names.write_text("".join(f"{path}\n" for path in parquet_files(lake).values()))
    result = run(*sample.score(out, lake=f"@{names}"), expect=1)
    assert f"--base {lake / 'day=1'}" in result.err
    assert everything(out) == before


def test_prune_does_not_remove_everything(sample, scored, tmp_path):
    _, out = scored
    other = make_lake(tmp_path / "other/lake", files=2, days=1)
    for path in parquet_files(other).values():
        path.rename(path.with_name(f"other-{path.name}"))
    moved = tmp_path / "lake"
    shutil.rmtree(moved)
    other.rename(moved)
    before = everything(out)
    assert "`prune`" in run(*sample.score(out, "--prune", lake=moved), expect=1).err
    assert everything(out) == before


def test_dropped_rows_belong_to_one_output(sample, lake, tmp_path):
    gone = tmp_path / "gone"
    run(*sample.score(tmp_path / "a", "--drop", "--dropped", gone, lake=lake))
    before = everything(gone)
    result = run(*sample.score(tmp_path / "b", "--drop", "--dropped", gone, lake=lake), expect=1)
    assert "`dropped`" in result.err
    assert everything(gone) == before
    shutil.rmtree(tmp_path / "a")
    result = run(*sample.score(tmp_path / "a", "--drop", "--dropped", gone, lake=lake), expect=1)
    assert "`dropped`" in result.err
    run(*sample.score(tmp_path / "a", "--drop", "--dropped", gone, "--overwrite", lake=lake))
    assert run(*sample.score(tmp_path / "a", "--drop", "--dropped", gone, "--json", lake=lake)).json["was_done"]


def test_a_plan_changes_nothing(sample, scored, tmp_path):
    lake, out = scored
    aside = tmp_path / "aside"
    write_file(lake / "day=9/part-000.parquet", 90, 51)
    before = everything(state_of(out))
    plan = run("plan", *sample.score(out, "--json", lake=lake)).json
    assert plan["files"] == 1 and plan["rows"] == 90
    out.rename(aside)
    assert run("plan", *sample.score(out, "--json", lake=lake)).json["files"] == 7
    assert everything(state_of(out)) == before
    aside.rename(out)
    assert run(*sample.score(out, "--json", lake=lake)).json["file_counts"]["unchanged"] == 6


@pytest.mark.parametrize("name", ["manifest.json", "configuration.json"])
def test_a_damaged_state_of_a_finished_output_is_an_error_and_stays(sample, lake, tmp_path, name):
    out = tmp_path / "out"
    run(*sample.clean(out, lake=lake))
    (state_of(out) / name).write_bytes(b"{")
    before = (everything(out), everything(state_of(out)))
    result = run(*sample.clean(out, lake=lake), expect=1)
    assert "damaged" in result.err
    assert (everything(out), everything(state_of(out))) == before
    run(*sample.clean(out, "--refit", lake=lake))
    assert run(*sample.clean(out, "--json", lake=lake)).json["was_done"]


def test_an_altered_output_of_a_vanished_file_is_reported(sample, scored):
    lake, out = scored
    name = "day=1/part-001.parquet"
    (lake / name).unlink()
    (out / name).write_bytes((out / "day=0/part-000.parquet").read_bytes())
    for was_done in (False, True):
        report = run(*sample.score(out, "--json", lake=lake)).json
        assert report["update"]["altered"] == report["update"]["vanished"] == [name]
        assert report.get("was_done", False) == was_done
        assert list(manifest(out)["altered"]) == [name] and name not in manifest(out)["files"]
    assert "altered" in run(*sample.score(out, lake=lake)).out
    run(*sample.score(out, "--prune", lake=lake))
    assert not (out / name).exists() and manifest(out)["altered"] == {}
