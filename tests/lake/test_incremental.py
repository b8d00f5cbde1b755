"""Runs that add to an output: what is new, changed, lost, gone or bad, and nothing else."""

import json
import os
import shutil
import signal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import (
    Running,
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


def undisturbed(sample, lake, folder, *more):
    """What one run makes of the lake as it is now."""
    out = folder / "undisturbed"
    shutil.rmtree(out, ignore_errors=True)
    run(*sample.score(out, *more, lake=lake))
    return parquet_bytes(out)


def inodes(out):
    return {name: path.stat().st_ino for name, path in parquet_files(out).items()}


def check_update(sample, lake, out, tmp_path, again, *more):
    """Runs again: just these files are written, and the output is that of one undisturbed run."""
    before = inodes(out)
    report = run(*sample.score(out, *more, "--json", lake=lake)).json
    check_finished(out, undisturbed(sample, lake, tmp_path))
    assert {name for name, inode in inodes(out).items() if before.get(name) != inode} == set(again)
    counts = report["file_counts"]
    assert counts["scored"] == len(again)
    assert counts["listed"] == counts["scored"] + counts["unchanged"] + counts["skipped"] + counts["failed"]
    assert report["rows_in"] == counts["rows_scored"] + counts["rows_unchanged"]
    found = manifest(out)
    assert found["file_counts"] == counts
    assert sum(file["rows_in"] for file in found["files"].values()) == report["rows_in"]
    return report


def test_a_new_day_a_late_a_repaired_and_a_touched_file(sample, scored, tmp_path):
    lake, out = scored
    write_file(lake / "day=9/part-000.parquet", 90, 51)
    write_file(lake / "day=0/late.parquet", 80, 52)
    write_file(lake / "day=1/part-001.parquet", 300, 53)
    os.utime(lake / "day=2/part-002.parquet")
    again = ["day=9/part-000.parquet", "day=0/late.parquet", "day=1/part-001.parquet", "day=2/part-002.parquet"]
    report = check_update(sample, lake, out, tmp_path, again)
    assert report["update"]["added"] == ["day=0/late.parquet", "day=9/part-000.parquet"]
    assert report["update"]["changed"] == ["day=1/part-001.parquet", "day=2/part-002.parquet"]
    write_file(lake / "day=9/part-001.parquet", 20, 54)
    said = run(*sample.score(out, lake=lake)).out
    assert "1 (day=9/part-001.parquet) new, 8 unchanged" in said


def test_a_file_of_the_same_size_and_time_is_told_by_its_footer(sample, scored, tmp_path):
    lake, out = scored
    path = lake / "day=0/part-000.parquet"
    status = path.stat()
    table = pq.read_table(path)
    metadata = {key: b"x" * len(value) for key, value in table.schema.metadata.items()}
    pq.write_table(table.replace_schema_metadata(metadata), path, row_group_size=100, compression="zstd")
    assert path.stat().st_size == status.st_size
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    check_update(sample, lake, out, tmp_path, ["day=0/part-000.parquet"])


@pytest.mark.parametrize("damage", ["deleted", "cut", "replaced"])
def test_an_output_that_is_not_as_it_was_written_is_made_again(sample, scored, tmp_path, damage):
    lake, out = scored
    path = out / "day=1/part-004.parquet"
    if damage == "deleted":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:-1])
    else:
        table = pq.read_table(path, partitioning=None)
        keep = pa.array([True] * len(table))
        table = table.set_column(table.schema.get_field_index("spuna_keep"), "spuna_keep", keep)
        pq.write_table(table, path)
    report = check_update(sample, lake, out, tmp_path, ["day=1/part-004.parquet"])
    assert report["update"]["made_again"] == ["day=1/part-004.parquet"]


def test_contents_are_compared_on_demand(sample, scored, tmp_path):
    lake, out = scored
    # Nothing was recorded yet, so all is scored once.
    report = run(*sample.score(out, "--verify", "--json", lake=lake)).json
    assert report["file_counts"]["scored"] == 6
    assert run(*sample.score(out, "--verify", "--json", lake=lake)).json["was_done"]
    path = out / "day=1/part-004.parquet"
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)
    assert run(*sample.score(out, "--json", lake=lake)).json["was_done"]
    check_update(sample, lake, out, tmp_path, ["day=1/part-004.parquet"], "--verify")
    # A byte of an input that neither size, time nor footer tell.
    path = lake / "day=0/part-003.parquet"
    status, data = path.stat(), bytearray(path.read_bytes())
    whole = bytes(data)
    data[60] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert run(*sample.score(out, "--json", lake=lake)).json["was_done"]
    changed = run(*sample.score(out, "--verify", "--json", lake=lake), expect=None)
    assert changed.code == 1 or changed.json["update"]["changed"] == ["day=0/part-003.parquet"]
    path.write_bytes(whole)
    run(*sample.score(out, "--verify", lake=lake))
    check_finished(out, undisturbed(sample, lake, tmp_path))


def test_vanished_files_are_reported_and_pruned_on_demand(sample, scored, tmp_path):
    lake, out = scored
    shutil.rmtree(lake / "day=2")
    (lake / "day=1/part-001.parquet").unlink()
    gone = ["day=1/part-001.parquet", "day=2/part-002.parquet", "day=2/part-005.parquet"]
    before = parquet_bytes(out)
    result = run(*sample.score(out, lake=lake))
    assert "vanished" in result.out and "--prune" in result.out and gone[0] in result.out
    assert parquet_bytes(out) == before
    report = run(*sample.score(out, "--prune", "--json", lake=lake)).json
    assert report["update"]["vanished"] == gone
    assert report["file_counts"]["pruned"] == 3
    assert not (out / "day=2").exists()
    check_finished(out, undisturbed(sample, lake, tmp_path))


def test_a_skipped_file_is_tried_again(sample, scored, tmp_path):
    lake, out = scored
    path = lake / "day=0/part-003.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    # Found out before anything is changed: the output is still that of the last run.
    before = everything(out)
    run(*sample.score(out, lake=lake), expect=1)
    assert everything(out) == before
    for _ in range(2):
        result = run(*sample.score(out, "--on-bad-file", "skip", "--json", lake=lake), expect=4)
        assert [file["path"] for file in result.json["skipped"]] == ["day=0/part-003.parquet"]
        # Its old output was that of another file.
        assert not (out / "day=0/part-003.parquet").exists()
        assert (out / "_SUCCESS").exists()
    path.write_bytes(whole)
    run(*sample.score(out, "--on-bad-file", "skip", lake=lake))
    check_finished(out, sample.scored_bytes)


def test_success_goes_before_the_first_change(sample, lake, tmp_path):
    for number in range(30):
        write_file(lake / f"day=7/part-{number:03}.parquet", 1500, 200 + number)
    out = tmp_path / "out"
    run(*sample.score(out, lake=lake / "day=0"))
    assert (out / "_SUCCESS").exists()
    shutil.rmtree(out)
    run(*sample.score(out, "--base", lake, lake=lake / "day=0"))
    running = Running(sample.score(out, "--base", lake, "--threads", 1, lake=lake))
    assert running.wait_until(lambda: (out / "day=7").exists()), running.said()
    assert not (out / "_SUCCESS").exists()
    assert running.kill()
    expected = undisturbed(sample, lake, tmp_path)
    assert all(expected[name] == data for name, data in parquet_bytes(out).items())
    run(*sample.score(out, "--base", lake, lake=lake))
    check_finished(out, expected)


# --- clean


def test_new_files_are_scored_with_the_model_that_is_there(sample, lake, tmp_path):
    out = tmp_path / "out"
    run(*sample.clean(out, lake=lake))
    model = (state_of(out) / "model.safetensors").read_bytes()
    write_file(lake / "day=9/part-000.parquet", 90, 51)
    report = run(*sample.clean(out, "--json", lake=lake)).json
    assert report["update"]["added"] == ["day=9/part-000.parquet"]
    assert report["update"]["files_after_fit"] == 1
    assert (state_of(out) / "model.safetensors").read_bytes() == model
    # As `score` would, with that model.
    kept = tmp_path / "kept.safetensors"
    kept.write_bytes(model)
    run("score", "--model", kept, "--input", lake, "--out", tmp_path / "by-score")
    assert parquet_bytes(out) == parquet_bytes(tmp_path / "by-score")
    found = manifest(out)
    assert found["model_hash"] == found["fit"]["hash"] == run("inspect", kept, "--json").json["hash"]
    assert found["inputs"]["pool"].rstrip("/") == str(lake)


def test_other_options_and_trusted_rows_are_named(sample, lake, tmp_path):
    out, trusted = tmp_path / "out", tmp_path / "trusted.parquet"
    trusted.write_bytes(sample.trusted.read_bytes())

    def clean(*more):
        return ["clean", "--trusted", trusted, "--pool", lake, "--out", out, *more]

    run(*clean())
    before = everything(out)
    result = run(*clean("--seed", 3, "--drop"), expect=1)
    for text in ("`seed` was 0 and is 3 now", "`drop` was false and is true now", "`--refit`"):
        assert text in result.err
    os.utime(trusted)
    run(*clean())
    write_file(trusted, 310, 1, share=0.0)
    result = run(*clean(), expect=1)
    assert "`trusted` was 1 file of" in result.err and "`--refit`" in result.err
    assert everything(out) == before
    run(*clean("--refit"))
    assert run(*clean("--json")).json["was_done"]


def test_a_refit_replaces_the_output_only_when_it_is_whole(sample, tmp_path):
    lake = make_lake(tmp_path / "lake", files=40, rows=1200)
    out = tmp_path / "out"
    run(*sample.clean(out, lake=lake))
    old = parquet_bytes(out)
    arguments = sample.clean(out, "--refit", "--seed", 5, "--threads", 1, lake=lake)
    staged = state_of(out) / "refit/data"
    for number in (signal.SIGKILL, signal.SIGINT):
        running = Running(arguments)
        assert running.wait_until(lambda: staged.exists() and len(parquet_files(staged)) > 3), running.said()
        running.send(number)
        running.wait()
        assert parquet_bytes(out) == old
        assert (out / "_SUCCESS").exists()
    # The old command goes on as if nothing had been.
    assert run(*sample.clean(out, "--json", lake=lake)).json["was_done"]
    run(*arguments)
    run(*sample.clean(tmp_path / "other", "--seed", 5, lake=lake))
    check_finished(out, parquet_bytes(tmp_path / "other"))
    assert parquet_bytes(out) != old


def test_a_model_that_is_lost_is_said(sample, lake, tmp_path):
    out = tmp_path / "out"
    run(*sample.clean(out, lake=lake))
    model = state_of(out) / "model.safetensors"
    model.write_bytes(model.read_bytes()[:-1] + b"?")
    write_file(lake / "day=9/part-000.parquet", 90, 51)
    result = run(*sample.clean(out, lake=lake), expect=1)
    assert "model" in result.err and "`--refit`" in result.err


def test_a_stopped_first_run_takes_new_files_in(sample, tmp_path):
    lake = make_lake(tmp_path / "lake", files=40, rows=1200)
    out = tmp_path / "out"
    running = Running(sample.clean(out, "--threads", 1, lake=lake))
    assert running.wait_until(lambda: len(parquet_files(out)) > 2 if out.exists() else False), running.said()
    assert running.kill()
    write_file(lake / "day=9/part-000.parquet", 90, 51)
    run(*sample.clean(out, lake=lake))
    run("score", "--model", state_of(out) / "model.safetensors", "--input", lake, "--out", tmp_path / "by-score")
    check_finished(out, parquet_bytes(tmp_path / "by-score"))


def test_a_refit_is_due_when_the_fit_detected_no_shift(tmp_path):
    trusted = write_file(tmp_path / "trusted.parquet", 300, 1, share=0.0)
    write_file(tmp_path / "lake/a.parquet", 300, 2, share=0.0)
    arguments = ["clean", "--trusted", trusted, "--pool", tmp_path / "lake", "--out", tmp_path / "out", "--json"]
    assert run(*arguments).json["verdict"] != "shift"
    write_file(tmp_path / "lake/b.parquet", 100, 3, share=0.0)
    report = run(*arguments).json
    assert report["refit"]["due"] and "detected no shift" in report["refit"]["reason"]


def test_findings_of_an_update_are_about_its_files(sample, lake, tmp_path):
    out = tmp_path / "out"
    findings = ["--group-by", "day", "--reasons", tmp_path / "reasons.parquet", "--report", tmp_path / "report.html"]
    run(*sample.clean(out, lake=lake))
    # Asked for later: all files.
    whole = run(*sample.clean(out, *findings, "--json", lake=lake)).json
    assert {group["value"] for group in whole["groups"]["day"]} == {"0", "1", "2"}
    assert run(*sample.clean(out, *findings, "--json", lake=lake)).json["was_done"]
    write_file(lake / "day=9/part-000.parquet", 90, 51)
    update = run(*sample.clean(out, *findings, "--json", lake=lake)).json
    assert [(group["value"], group["rows"]) for group in update["groups"]["day"]] == [("9", 90)]
    assert update["files_explained"] == 1
    files = set(pq.read_table(tmp_path / "reasons.parquet")["file"].to_pylist())
    assert files == {"day=9/part-000.parquet"}


def test_a_removed_output_is_begun_anew(sample, lake, tmp_path):
    out = tmp_path / "out"
    run(*sample.clean(out, lake=lake))
    shutil.rmtree(out)
    assert "verdict" in run(*sample.clean(out, "--seed", 3, "--json", lake=lake)).json


@pytest.mark.parametrize("kind", ["added", "pruned"])
def test_a_run_that_was_killed_at_its_end_is_ended(sample, scored, tmp_path, kind):
    """All is written or removed, but the manifest is that of the run before."""
    lake, out = scored
    before = (state_of(out) / "manifest.json").read_bytes()
    if kind == "added":
        write_file(lake / "day=9/part-000.parquet", 90, 51)
    else:
        (lake / "day=1/part-001.parquet").unlink()
    run(*sample.score(out, "--prune", lake=lake))
    found = manifest(out)
    expected = parquet_bytes(out)
    # As a kill leaves it just before the manifest.
    (out / "_SUCCESS").unlink()
    (state_of(out) / "manifest.json").write_bytes(before)
    journal = [{"key": "begun", "value": True}]
    if kind == "added":
        journal.append({"key": "file:day=9/part-000.parquet", "value": found["files"]["day=9/part-000.parquet"]})
    (state_of(out) / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in journal))
    run(*sample.score(out, lake=lake))
    check_finished(out, expected)
    assert sorted(manifest(out)["files"]) == sorted(parquet_files(lake))
