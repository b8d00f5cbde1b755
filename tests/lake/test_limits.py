"""Little memory and few CPUs: a run works, or ends at once with a message; it never hangs."""

import json
import os
import resource

import pytest
from support import manifest, run

# Of any of these runs: each works for a second, on a slow machine for some. One that hangs reaches it.
PATIENCE = 60
MEGABYTE = 1 << 20


def limited(megabytes):
    """What sets the limit of addresses in a process that is started."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTE, megabytes * MEGABYTE))


def check(result):
    """It worked, or it said why not: the program itself or, where not even that starts, the system's loader."""
    if result.code == 0:
        return True
    assert result.code > 0, f"ended by a signal: {result}"
    assert "spuna: error: " in result.err or "error while loading shared libraries" in result.err, result
    return False


@pytest.mark.parametrize("megabytes", [90, 100, 115, 150, 195, 250, 390, 490, 610, 630, 880, 910, 1000, 3000])
def test_little_address_space_is_an_error_or_enough(sample, tmp_path, megabytes):
    jobs = {
        "version": ["--version"],
        "inspect": ["inspect", sample.model],
        "score": sample.score(tmp_path / "scored", "--threads", "2"),
        "fit": sample.fit(tmp_path / "model.safetensors", "--threads", "2"),
    }
    worked = [
        name
        for name, arguments in jobs.items()
        if check(run(*arguments, expect=None, timeout=PATIENCE, preexec=limited(megabytes)))
    ]
    if megabytes >= 195:
        assert "version" in worked
    if megabytes >= 1000:
        assert worked == list(jobs)
        assert (tmp_path / "model.safetensors").read_bytes() == sample.model.read_bytes()


def test_the_error_has_the_numbers_and_the_way_out(sample, tmp_path):
    arguments = sample.score(tmp_path / "scored", "--threads", "32")
    result = run(*arguments, expect=1, timeout=PATIENCE, preexec=limited(2000))
    assert "expected 8960 MB of address space for 32 threads" in result.err
    assert "or use fewer `--threads`" in result.err
    assert not (tmp_path / "scored").exists()
    arguments[-1] = "4"
    run(*arguments, timeout=PATIENCE, preexec=limited(2000))


def test_a_run_has_no_more_threads_than_cpus(sample, tmp_path):
    """By default: on one CPU it is one, and the error says so."""
    cpu = min(os.sched_getaffinity(0))

    def alone(megabytes):
        def set_up():
            os.sched_setaffinity(0, {cpu})
            limited(megabytes)()

        return set_up

    result = run(*sample.score(tmp_path / "scored"), expect=1, timeout=PATIENCE, preexec=alone(210))
    assert "expected 528 MB of address space for 1 thread, but" in result.err


def test_a_model_with_any_byte_damaged_is_refused(sample, tmp_path):
    data = sample.model.read_bytes()
    damaged = tmp_path / "damaged.safetensors"
    for place in range(3, len(data), len(data) // 40):
        damaged.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        result = run("inspect", damaged, expect=1)
        assert "can't be used" in result.err
    # The last one was in the weights.
    assert "it is damaged: its checksum is" in result.err
    assert "fit again or take a backup" in result.err


def test_inspect_names_the_model_as_the_manifest_does(sample):
    told = json.loads(run("inspect", sample.model, "--json").out)["hash"]
    assert manifest(sample.scored)["model_hash"] == told
    assert told in run("inspect", sample.model).out
