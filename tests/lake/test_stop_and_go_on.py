"""A run that was stopped goes on where it was, and ends with the bytes of one that was not."""

import random
import shutil
import signal
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from support import (
    Running,
    any_output,
    check_finished,
    check_valid,
    everything,
    hidden_files,
    lasting,
    make_lake,
    manifest,
    parquet_bytes,
    parquet_files,
    run,
    state_of,
    tensors,
    write_file,
)


@pytest.fixture(scope="module")
def long(sample, tmp_path_factory):
    """A lake of many files, and what an undisturbed run makes of it."""
    folder = tmp_path_factory.mktemp("long")
    lake = make_lake(folder / "lake", files=60, rows=1500)
    run(*sample.score(folder / "out", "--threads", 1, lake=lake))
    return lake, parquet_bytes(folder / "out"), manifest(folder / "out")


def stopped_after_the_first_file(sample, out, lake, number=signal.SIGKILL):
    """Stops a run when it has finished some files but not all. Returns it."""
    running = Running(sample.score(out, "--threads", 1, lake=lake))
    assert running.wait_until(any_output(out)), running.said()
    running.send(number)
    running.wait()
    assert 0 < len(parquet_files(out)) < len(parquet_files(lake))
    return running


def test_finished_files_are_not_written_again(sample, long, tmp_path):
    lake, expected, expected_manifest = long
    out = tmp_path / "out"
    stopped_after_the_first_file(sample, out, lake)
    check_valid(out, expected)
    assert (state_of(out) / "journal.jsonl").exists()
    finished = {name: found for name, found in everything(out).items() if name in parquet_files(out)}
    run(*sample.score(out, "--threads", 1, lake=lake))
    after = everything(out)
    assert {name: after[name][:2] for name in finished} == {name: found[:2] for name, found in finished.items()}
    check_finished(out, expected)
    # The manifest tells of all files, not only of those of the last run.
    assert lasting(manifest(out)) == lasting(expected_manifest)


def test_interrupted_by_the_keyboard(sample, long, tmp_path):
    lake, expected, _ = long
    running = stopped_after_the_first_file(sample, tmp_path / "out", lake, signal.SIGINT)
    assert running.status == 130
    assert "interrupted" in running.said()
    check_valid(tmp_path / "out", expected)
    run(*sample.score(tmp_path / "out", lake=lake))  # on another number of threads
    check_finished(tmp_path / "out", expected)


def test_a_finished_directory_is_left_alone(sample, tmp_path):
    out = tmp_path / "out"
    run(*sample.score(out))
    before = everything(out)
    for more in ((), ("--threads", 1), ("--quiet",)):
        run(*sample.score(out, *more))
        assert everything(out) == before


@pytest.mark.parametrize("command", ["clean", "fit"])
def test_a_finished_clean_or_fit_is_left_alone(sample, tmp_path, command):
    if command == "clean":
        arguments = sample.clean(tmp_path / "out", "--model", tmp_path / "m.safetensors")
    else:
        arguments = sample.fit(tmp_path / "m.safetensors")
    run(*arguments)
    before = everything(tmp_path)
    again = run(*arguments, expect=None)
    # A model file alone does not say which command it came from: a second fit may be refused.
    assert again.code == 0 if command == "clean" else again.code in (0, 1)
    assert everything(tmp_path) == before


@pytest.mark.parametrize("is_finished", [True, False])
def test_another_configuration_is_refused_by_name(sample, long, tmp_path, is_finished):
    lake, expected, _ = long
    out = tmp_path / "out"
    if is_finished:
        run(*sample.score(out, lake=lake))
    else:
        stopped_after_the_first_file(sample, out, lake)
    before = everything(out)
    other_model = tmp_path / "other.safetensors"
    run(*sample.fit(other_model, "--seed", 5))
    model = sample.score(out, lake=lake)
    model[model.index("--model") + 1] = other_model
    for arguments, option in (
        (sample.score(out, "--prefix", "my_", lake=lake), "`prefix`"),
        (sample.score(out, "--drop", lake=lake), "`drop`"),
        (sample.score(out, "--invalid", "drop", lake=lake), "`invalid`"),
        (model, "`model`"),
    ):
        result = run(*arguments, expect=1)
        assert option in result.err
        assert everything(out) == before
    run(*sample.score(out, "--prefix", "my_", "--overwrite", lake=lake))
    assert sorted(parquet_files(out)) == sorted(expected)
    assert hidden_files(out) == []
    assert manifest(out)["configuration"] != {}
    assert "my_score" in pq.read_schema(next(iter(parquet_files(out).values()))).names


@pytest.mark.parametrize("content", ["precious.txt", "_SUCCESS", "day=0/part-000.parquet"])
def test_a_directory_that_is_not_ours_is_never_touched(sample, tmp_path, content):
    out = tmp_path / "out"
    (out / content).parent.mkdir(parents=True)
    (out / content).write_text("precious")
    before = everything(out)
    for more in ((), ("--overwrite",)):
        result = run(*sample.score(out, *more), expect=1)
        assert str(out) in result.err
        assert everything(out) == before


def test_an_empty_directory_may_be_filled(sample, tmp_path):
    (tmp_path / "out").mkdir()
    run(*sample.score(tmp_path / "out"))
    check_finished(tmp_path / "out", sample.scored_bytes)


def is_locked(path):
    """Whether a process holds a lock on it; a run makes its state a moment before it locks it."""
    inode = f":{path.stat().st_ino}"
    held = (line.split() for line in Path("/proc/locks").read_text().splitlines())
    return any("->" not in words and words[5].endswith(inode) for words in held)


@pytest.mark.parametrize("kind", ["directory", "model"])
def test_a_second_run_at_the_same_time_is_refused(sample, long, tmp_path, kind):
    lake, expected, _ = long
    if kind == "directory":
        target = tmp_path / "out"
        arguments, state = sample.score(target, "--threads", 1, lake=lake), state_of(target)
    else:
        target = tmp_path / "m.safetensors"
        arguments = sample.fit(target, "--threads", 1, "--checkpoint-seconds", 0)
        state = tmp_path / ".m.safetensors.spuna"
    first = Running(arguments)
    assert first.wait_until(lambda: state.is_dir() and is_locked(state)), first.said()
    first.send(signal.SIGSTOP)
    try:
        for more in ((), ("--overwrite",)):
            second = run(*arguments, *more, expect=6, timeout=30)
            assert "another run" in second.err
    finally:
        first.send(signal.SIGCONT)
    assert first.wait().code == 0, first.said()
    assert target.exists()
    assert state.exists() == (kind == "directory")
    if kind == "directory":
        check_finished(target, expected)


def test_a_single_file_is_scored_again_and_nothing_is_left(sample, tmp_path):
    large = write_file(tmp_path / "large.parquet", 200_000, 3, rows_per_group=2000)
    run(*sample.score(tmp_path / "expected.parquet", lake=large))
    running = Running(sample.score(tmp_path / "x.parquet", "--threads", 1, lake=large))
    assert running.wait_until(lambda: hidden_files(tmp_path) != [])
    assert running.kill()
    assert not (tmp_path / "x.parquet").exists()
    assert hidden_files(tmp_path) != []
    run(*sample.score(tmp_path / "x.parquet", lake=large))
    assert (tmp_path / "x.parquet").read_bytes() == (tmp_path / "expected.parquet").read_bytes()
    assert hidden_files(tmp_path) == []


@pytest.fixture(scope="module")
def expanding(tmp_path_factory):
    """Rows on which the rounds of the expansion take longer than the rest of the fit."""
    folder = tmp_path_factory.mktemp("expanding")
    trusted = write_file(folder / "trusted.parquet", 2000, 1, share=0.0, dimension=64)
    pool = write_file(folder / "pool.parquet", 16_000, 2, rows_per_group=4000, dimension=64)
    return [
        "fit", "--trusted", trusted, "--pool", pool, "--threads", 1, "--checkpoint-seconds", 0,
        "--recipe", "paper", "--epochs", 1, "--hidden", 8, "--epsilon", -1000, "--beta", 400,
    ]  # fmt: skip


def test_a_fit_goes_on_from_its_last_round(expanding, tmp_path):
    whole = run(*expanding, "--model", tmp_path / "whole.safetensors", "--labels", tmp_path / "whole.parquet")
    arguments = [*expanding, "--model", tmp_path / "m.safetensors", "--labels", tmp_path / "l.parquet"]
    running = Running(arguments)
    assert running.wait_until(lambda: "distilling" in running.said()), running.said()
    assert running.kill()
    assert (tmp_path / ".m.safetensors.spuna").is_dir()
    rest = run(*arguments)
    assert (tmp_path / "m.safetensors").read_bytes() == (tmp_path / "whole.safetensors").read_bytes()
    assert (tmp_path / "l.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    assert hidden_files(tmp_path) == []
    # What was expanded is not expanded again: processor time, which no other process lengthens.
    assert rest.cpu_seconds < 0.6 * whole.cpu_seconds, (rest.cpu_seconds, whole.cpu_seconds)


def test_a_stopped_fit_refuses_other_options(expanding, tmp_path):
    arguments = [*expanding, "--model", tmp_path / "m.safetensors"]
    running = Running(arguments)
    assert running.wait_until(lambda: "distilling" in running.said()), running.said()
    assert running.kill()
    result = run(*arguments, "--k", 7, expect=1)
    assert "`k`" in result.err
    report = run(*arguments, "--k", 7, "--overwrite", "--json").json
    assert report["k"] == 7
    assert hidden_files(tmp_path) == []


def test_a_damaged_state_is_no_harm(sample, long, tmp_path):
    """Whatever lies in the state, the run ends with the right bytes or says what is wrong."""
    lake, expected, _ = long
    stopped_after_the_first_file(sample, tmp_path / "stopped", lake)
    states = [path for path in state_of(tmp_path / "stopped").rglob("*") if path.is_file()]
    assert states
    for number, state in enumerate(states):
        for damage in ("empty", "half", "noise"):
            out = tmp_path / f"{number}-{damage}"
            shutil.copytree(tmp_path / "stopped", out, copy_function=shutil.copy2)
            shutil.copytree(state_of(tmp_path / "stopped"), state_of(out), copy_function=shutil.copy2)
            data = state.read_bytes()
            noise = random.Random(number).randbytes(len(data))
            damaged = state_of(out) / state.name
            damaged.write_bytes({"empty": b"", "half": data[: len(data) // 2], "noise": noise}[damage])
            result = run(*sample.score(out, lake=lake), expect=None)
            assert result.code in (0, 1), result
            if result.code == 0:
                check_finished(out, expected)
            else:
                assert "spuna: error: " in result.err
                run(*sample.score(out, "--overwrite", lake=lake))
                check_finished(out, expected)
            shutil.rmtree(out)
            shutil.rmtree(state_of(out))
        if number >= 3:
            break


# --- kill -9 at any moment


def stages(arguments):
    """The lines that an undisturbed run says, with the seconds from each to the next."""
    running = Running(arguments)
    times, begin = {}, running.begin
    while not running.poll():
        for line in running.said().splitlines(keepends=True):
            if line.startswith("spuna: ") and line.endswith("\n"):
                times.setdefault(line.strip(), time.perf_counter() - begin)
        time.sleep(0.001)
    assert running.wait().code == 0, running.said()
    ends = [*list(times.values())[1:], running.seconds]
    found = {"": next(iter(times.values()))}
    found.update({line: end - start for (line, start), end in zip(times.items(), ends)})
    return found


@pytest.mark.parametrize("seed", [0])
def test_kill_at_fifty_moments(sample, tmp_path, seed):
    """Starts, kills, starts again until it is finished, compares; until fifty kills have hit, in
    every stage that lasts long enough to be hit."""
    lake = make_lake(tmp_path / "lake", files=8, rows=300)

    def arguments(folder):
        return sample.clean(
            folder / "out", "--model", folder / "m.safetensors", "--labels", folder / "l.parquet",
            "--checkpoint-seconds", 0, lake=lake,
        )  # fmt: skip

    reference = tmp_path / "reference"
    reference.mkdir()
    lengths = stages(arguments(reference))
    assert len(lengths) >= 5, lengths
    expected = parquet_bytes(reference / "out")
    source = random.Random(seed)
    hits = dict.fromkeys(lengths, 0)
    long = [stage for stage, seconds in lengths.items() if seconds >= 0.02]
    assert len(long) >= 3, lengths
    history = []
    folder, runs, number = None, 0, 0
    while sum(hits.values()) < 50 or min(hits[stage] for stage in long) == 0:
        assert len(history) < 250, f"seed {seed}: stages that no kill has hit: {hits}"
        if folder is None:
            number += 1
            folder = tmp_path / f"run-{number}"
            folder.mkdir()
            runs = 0
        runs += 1
        # The stage that was hit least, or any; a run that goes on may not come to it any more.
        stage = min(hits, key=hits.get) if runs == 1 else source.choice(list(lengths))
        delay = source.uniform(0, lengths[stage])
        running = Running(arguments(folder))
        if running.wait_until(lambda: stage in running.said()):
            time.sleep(delay)
        said = [line for line in lengths if line in running.said()]
        if running.kill():
            hits[said[-1]] += 1
            history.append((number, stage, round(delay, 4), "killed"))
            continue
        context = f"seed {seed}, history of this output: {[h for h in history if h[0] == number]}"
        assert running.status == 0, f"{context}\n{running.said()}"
        assert parquet_bytes(folder / "out") == expected, context
        for name in ("m.safetensors", "l.parquet"):
            assert (folder / name).read_bytes() == (reference / name).read_bytes(), f"{name}; {context}"
        assert hidden_files(folder) == [], context
        check_finished(folder / "out", expected)
        history.append((number, stage, round(delay, 4), "finished"))
        shutil.rmtree(folder)
        folder = None
    if folder is not None:
        run(*arguments(folder))
        assert parquet_bytes(folder / "out") == expected, history
        assert tensors(folder / "m.safetensors") == tensors(reference / "m.safetensors")
    print(f"seed {seed}: {sum(hits.values())} kills, {hits}")
