"""A lake that changes night after night, by a seed, and what its output must look like."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from support import Running, parquet_bytes, parquet_files, run

DIMENSION = 8
# A fit of a tenth of a second: these nights test files, not scores.
FIT = ("--recipe", "paper", "--epochs", 1, "--hidden", 8, "--alpha", 5, "--beta", 20, "--k", 5, "--threads", 1)
SCORED = (0, 4)  # the exit codes of a run that wrote `_SUCCESS`
BUSY = 6


def write_version(path: Path, name: str, version: int, codec: str = "zstd") -> list[str]:
    """Writes a version of a file, under another name first. Returns its ids, which tell it from others."""
    source = np.random.default_rng([version, *name.encode()])
    rows = source.standard_normal((int(source.integers(30, 90)), DIMENSION)).astype(np.float32)
    rows[source.random(len(rows)) < 0.4, :3] += 1.5
    ids = [f"{name}#{version}#{row}" for row in range(len(rows))]
    embedding = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), DIMENSION)
    path.parent.mkdir(parents=True, exist_ok=True)
    hidden = path.with_name(f".{path.name}.new")
    pq.write_table(pa.table({"id": ids, "embedding": embedding}), hidden, row_group_size=40, compression=codec)
    os.replace(hidden, path)
    return ids


# --- what the program keeps beside the data


def state(out: Path) -> Path:
    return out.with_name(f".{out.name}.spuna")


def missing_outputs(found: dict, out: Path, except_for: frozenset[str]) -> list[str]:
    """What a manifest lists and is not there, or not whole."""
    outputs, missing = parquet_files(out), []
    for name, entry in [*found["files"].items(), *found["vanished"].items()]:
        path = outputs.get(name)
        if name in except_for:
            continue
        if path is None:
            missing.append(f"{name} is not there")
        elif path.stat().st_size != entry["bytes_out"]:
            missing.append(f"{name} has {path.stat().st_size} bytes and not {entry['bytes_out']}")
        elif pq.ParquetFile(path).metadata.num_rows != entry["rows_out"]:
            missing.append(f"{name} has not {entry['rows_out']} rows")
    return missing


def check_success(out: Path, except_for: frozenset[str] = frozenset()) -> dict | None:
    """Whether `_SUCCESS` stands over what its manifest lists. Returns the manifest; None without `_SUCCESS`."""
    if not (out / "_SUCCESS").exists():
        return None
    assert (out / "_SUCCESS").stat().st_size == 0, "Polars takes no directory with another file that is not empty"
    # While a new output takes the place of another, the manifest of either is the right one.
    told = []
    for path in (state(out) / "manifest.json", state(out) / "swap/manifest.json"):
        if path.exists():
            found = json.loads(path.read_text())
            told.append(missing_outputs(found, out, except_for))
            if told[-1] == []:
                return found
    raise AssertionError(f"`_SUCCESS` is there, but: {told}")


def check_counts(found: dict, said: dict) -> None:
    """The manifest and the JSON of the run: files and rows add up."""
    files, entries = said["file_counts"], found["files"]
    # A run that changes nothing leaves the manifest of the last one that did.
    assert found["file_counts"] == files or files["scored"] == files["pruned"] == 0, (found["file_counts"], files)
    assert found["file_counts"]["listed"] == files["listed"]
    assert files["listed"] == files["scored"] + files["unchanged"] + files["skipped"] + files["failed"], files
    assert files["failed"] == 0
    assert len(found["skipped"]) == files["skipped"]
    assert len(entries) == files["scored"] + files["unchanged"], files
    assert found["total"]["files"] == len(entries)
    for name, entry in entries.items():
        parts = ("rows_kept", "rows_dropped", "rows_invalid")
        assert entry["rows_in"] == sum(entry[part] for part in parts), name
    for key in ("rows_in", "rows_out", "rows_kept", "rows_dropped", "rows_invalid"):
        assert found["total"][key] == sum(entry[key] for entry in entries.values()), key


# --- the nights


class Lake:
    """Hive partitions by day that change at random; knows what a reader must see."""

    def __init__(self, folder: Path, seed: int):
        self.folder = folder
        self.random = random.Random(seed)
        self.number = 0
        self.good: dict[str, list[str]] = {}  # the ids in each
        self.bad: set[str] = set()
        self.changed: set[str] = set()  # since a run looked at them
        self.touched: set[str] = set()

    def path(self, name: str) -> Path:
        return self.folder / name

    def pick(self, names) -> str | None:
        return self.random.choice(sorted(names)) if len(names) > 0 else None

    def write(self, name: str) -> None:
        self.number += 1
        codec = self.random.choice(("zstd", "none"))
        self.good[name] = write_version(self.path(name), name, self.number, codec)
        self.bad.discard(name)
        self.changed.add(name)

    def arrive(self, day: int) -> None:
        self.write(f"day={day:02}/part-{self.number:04}.parquet")

    def repair(self, day: int) -> None:
        if (name := self.pick(self.good)) is not None:
            self.write(name)

    def mend(self, day: int) -> None:
        if (name := self.pick(self.bad)) is not None:
            self.write(name)

    def touch(self, day: int) -> None:
        if (name := self.pick(self.good)) is not None:
            os.utime(self.path(name))
            self.touched.add(name)

    def vanish(self, day: int) -> None:
        if len(self.good) > 4 and (name := self.pick([*self.good, *self.bad])) is not None:
            self.path(name).unlink()
            self.good.pop(name, None)
            self.bad.discard(name)
            self.changed.discard(name)
            self.touched.discard(name)

    def corrupt(self, day: int) -> None:
        if len(self.good) > 4 and (name := self.pick(self.good)) is not None:
            data = self.path(name).read_bytes()
            damaged = self.random.choice((b"", data[: len(data) // 2], data[:-40], b"noise" * 100))
            self.path(name).write_bytes(damaged)
            del self.good[name]
            self.bad.add(name)
            self.changed.discard(name)
            self.touched.discard(name)

    def one_night(self, day: int) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.arrive(day)
        rarer = ((self.arrive, 0.3), (self.repair, 0.3), (self.touch, 0.3), (self.vanish, 0.2),
                 (self.mend, 0.3), (self.corrupt, 0.25))  # fmt: skip
        for event, chance in rarer:
            if self.random.random() < chance:
                event(self.random.randint(0, day))


class Nights:
    """Runs `clean` on a lake every night, disturbs it, and checks what is there after each run."""

    def __init__(self, folder: Path, seed: int):
        self.random = random.Random(seed * 7919 + 1)
        self.folder = folder
        self.lake = Lake(folder / "lake", seed)
        self.out = folder / "out"
        self.trusted = folder / "trusted.parquet"
        write_version(self.trusted, "trusted", 0)
        self.ours = {"lake", "out", state(self.out).name, "trusted.parquet"}
        self.tampered: set[str] = set()  # outputs that were changed under the `_SUCCESS` known as below
        self.tampered_success = None
        self.ids: dict[str, tuple] = {}  # of outputs, by what their files looked like
        self.before: dict[str, tuple] = {}  # the outputs of the last success, and its `_SUCCESS`
        self.before_success = None
        self.was_tampered: set[str] = set()  # since the last success
        self.may_rewrite = False  # a refit, or a first `--verify`, which has nothing to compare with
        self.must_verify = False  # only `--verify` sees what was changed
        self.seconds = 0.3
        self.history: list[str] = []

    def arguments(self, *more) -> list:
        pool = ("--trusted", self.trusted, "--pool", self.lake.folder, "--out", self.out)
        return ["clean", *pool, "--on-bad-file", "skip", "--json", *FIT, *more]

    # --- what happens to the outputs behind our back

    def success_identity(self) -> tuple | None:
        return self.identity(self.out / "_SUCCESS")

    def tamper(self, is_verified: bool) -> None:
        names = sorted(set(parquet_files(self.out)) & set(self.lake.good))
        if not names:
            return
        name = self.random.choice(names)
        path = self.out / name
        data = path.read_bytes()
        kinds = ["delete", "truncate", "replace", "empty"] + ["same size and time"] * (is_verified and len(data) > 0)
        kind = self.random.choice(kinds)
        if kind == "delete":
            path.unlink()
        elif kind == "replace":
            path.write_bytes((self.out / self.random.choice(names)).read_bytes())
        elif kind == "same size and time":
            status = path.stat()
            place = len(data) // 3
            path.write_bytes(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
            self.must_verify = True
        else:
            path.write_bytes(data[: len(data) // 2] if kind == "truncate" else b"")
        self.tampered.add(name)
        self.was_tampered.add(name)
        self.tampered_success = self.success_identity()
        self.history.append(f"{kind} {name}")

    # --- runs

    def look(self) -> dict | None:
        """Whatever the run came to: `_SUCCESS` means complete, and goes before anything else changes."""
        success = self.success_identity()
        is_tampered = self.tampered if success == self.tampered_success else ()
        if success is not None and success == self.before_success:
            after = self.outputs()
            changed = {name for name, looks in self.before.items() if after.get(name) != looks}
            assert changed <= set(is_tampered), f"`_SUCCESS` is still there, but these changed: {sorted(changed)}"
        return check_success(self.out, frozenset(is_tampered))

    def stop(self, number: int, *more) -> None:
        """Starts a run and stops it at a random moment, or just when something happens."""
        success = self.success_identity()
        moment = self.random.choice(("any", "any", "success goes", "success comes", "output"))
        delay = self.random.uniform(0, self.seconds)
        expected = [self.out / name for name in sorted((self.lake.changed & set(self.lake.good)) | self.tampered)]
        found = [self.identity(path) for path in expected]
        conditions = {
            "success goes": lambda: self.success_identity() is None,
            "success comes": lambda: self.success_identity() not in (None, success),
            "output": lambda: [self.identity(path) for path in expected] != found,
        }
        running = Running(self.arguments(*more))
        if moment == "any":
            time.sleep(delay)
        elif running.wait_until(conditions[moment]) and moment != "success comes":
            time.sleep(delay / 10 * self.random.randint(0, 1))
        running.send(number)
        result = running.wait()
        self.history.append(f"signal {number} at {moment}, {delay:.4f} s: {result.code}")
        stopped = (-signal.SIGKILL,) if number == signal.SIGKILL else (130, -signal.SIGINT)
        assert result.code in (*stopped, *SCORED), result
        self.look()

    def without_space(self, *more) -> None:
        limit = self.random.choice((1000, 3000))
        result = run(
            *self.arguments(*more), expect=None,
            preexec=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )  # fmt: skip
        self.history.append(f"no file over {limit} bytes: {result.code}")
        assert result.code in (1, *SCORED), result
        self.look()

    def two_at_once(self, *more) -> None:
        both = [Running(self.arguments(*more)) for _ in range(2)]
        results = [running.wait() for running in both]
        codes = [result.code for result in results]
        self.history.append(f"two at once: {codes}")
        assert set(codes) <= {BUSY, *SCORED}, results
        assert set(codes) & set(SCORED), results
        self.look()

    def finish(self, *more) -> None:
        """A run that nobody disturbs: it must succeed, and all be as the lake has it."""
        result = run(*self.arguments(*more), expect=None)
        self.history.append(f"clean {' '.join(map(str, more))}: {result.code}")
        assert result.code == (4 if self.lake.bad else 0), result
        self.seconds = min(result.seconds, 1.0)
        self.tampered, self.tampered_success = set(), None
        found = self.look()
        assert found is not None
        check_counts(found, result.json)
        assert {entry["path"] for entry in found["skipped"]} == self.lake.bad
        self.check_outputs(is_pruned="--prune" in more)
        if not self.may_rewrite:
            self.check_unchanged(result.json["file_counts"])
        self.may_rewrite = self.must_verify = False
        self.was_tampered = set()
        self.before, self.before_success = self.outputs(), self.success_identity()
        self.lake.changed, self.lake.touched = set(), set()

    @staticmethod
    def identity(path: Path) -> tuple | None:
        try:
            status = path.stat()
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size

    def outputs(self) -> dict[str, tuple]:
        return {name: self.identity(path) for name, path in parquet_files(self.out).items()}

    def check_outputs(self, is_pruned: bool) -> None:
        """Each sound file of the lake has an output with all its rows, in order, and no other has one."""
        outputs = parquet_files(self.out)
        assert set(self.lake.good) <= set(outputs), sorted(set(self.lake.good) - set(outputs))
        assert not self.lake.bad & set(outputs), "the output of a file that is bad now"
        if is_pruned:
            assert set(outputs) == set(self.lake.good)
        for name, ids in self.lake.good.items():
            looks = self.identity(outputs[name])
            if self.ids.get(name, (None,))[0] != looks:
                self.ids[name] = (looks, pq.ParquetFile(outputs[name]).read(columns=["id"])["id"].to_pylist())
            assert self.ids[name][1] == ids, f"{name} has the rows of another version"
        leftovers = [path.name for path in self.folder.iterdir() if path.name not in self.ours]
        assert leftovers == []

    def check_unchanged(self, files: dict) -> None:
        """What did not change was not written again."""
        reasons = self.lake.changed | self.lake.touched | self.was_tampered
        after = self.outputs()
        again = [name for name in self.before.keys() & self.lake.good.keys() if after[name] != self.before[name]]
        assert set(again) <= reasons, f"written again without a reason: {sorted(set(again) - reasons)}"
        assert files["scored"] <= len(reasons & self.lake.good.keys()), files

    def one_night(self, day: int) -> None:
        self.lake.one_night(day)
        rolls = self.random.random
        more = ["--prune"] if rolls() < 0.2 else []
        if rolls() < 0.15 or self.must_verify:
            more.append("--verify")
        if day > 0 and rolls() < 0.04:
            more.append("--refit")
        self.may_rewrite |= "--refit" in more or "--verify" in more
        self.history.append(f"night {day} {more}")
        while day > 0 and rolls() < 0.35:
            self.tamper("--verify" in more)
        while rolls() < 0.5:
            self.stop(signal.SIGKILL, *more)
        if rolls() < 0.15:
            self.stop(signal.SIGINT, *more)
        if rolls() < 0.1:
            self.without_space(*more)
        if rolls() < 0.1:
            self.two_at_once(*more)
        if rolls() < 0.85:
            self.finish(*more)

    def check_the_end(self) -> None:
        """The last night, and one undisturbed run with the same model."""
        self.finish("--prune", *(["--verify"] if self.must_verify else []))
        model, expected = self.folder / "model.safetensors", self.folder / "expected"
        shutil.copy(state(self.out) / "model.safetensors", model)
        skip = ("--on-bad-file", "skip", "--threads", 1)
        inputs = ("--model", model, "--input", self.lake.folder)
        run("score", *inputs, "--out", expected, *skip, expect=4 if self.lake.bad else 0)
        found, wanted = parquet_bytes(self.out), parquet_bytes(expected)
        assert sorted(found) == sorted(wanted) == sorted(self.lake.good)
        assert [name for name in found if found[name] != wanted[name]] == []
