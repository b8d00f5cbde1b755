"""The command that the wheel brings, and the wheel on every Python: the same program, the same bytes."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import sysconfig
import time
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import ROOT
from test_process import USE_SPUNA

PROGRAM = [os.environ["SPUNA_PROGRAM"]]
SCRIPT = [str(Path(sys.executable).with_name("spuna"))]
MODULE = [sys.executable, "-m", "spuna"]
VERSIONS = ("3.10", "3.11", "3.12", "3.13")


def outcome(command, *arguments, **options):
    """Exit code and all that a command prints."""
    result = subprocess.run([*command, *arguments], check=False, capture_output=True, **options)
    return result.returncode, result.stdout, result.stderr


def clean(command, sample, folder):
    """The bytes of the output and of the model, of the quickstart cleaned by a command."""
    out, model = folder / "out.parquet", folder / "model.safetensors"
    data = ["--trusted", sample / "trusted.parquet", "--pool", sample / "pool.parquet"]
    files = ["--out", out, "--model", model, "--overwrite"]
    subprocess.run([*command, "clean", *data, *files, "--quiet"], check=True)
    return out.read_bytes(), model.read_bytes()


def by_program(sample):
    """The same bytes as the program itself wrote them."""
    return (sample / "command.parquet").read_bytes(), (sample / "model.safetensors").read_bytes()


def score_a_pipe(sample):
    """The arguments that score a stream from standard input to standard output."""
    return "score", "--model", str(sample / "model.safetensors"), "--input", "-", "--out", "-"


@contextlib.contextmanager
def silent_pipe(command, sample, **environment):
    """A command that waits for a stream nobody sends, once it has caught Ctrl-C."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    environment = {**os.environ, **environment}
    with subprocess.Popen([*command, *score_a_pipe(sample)], env=environment, **pipes) as process:
        deadline = time.monotonic() + 20
        while not (is_the_program(process) and signals(process, "SigCgt") & 1 << signal.SIGINT - 1):
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.02)
        try:
            yield process
        finally:
            process.kill()


def is_the_program(process):
    return os.path.basename(os.readlink(f"/proc/{process.pid}/exe")) == "spuna"


def signals(process, field):
    """A set of signals of a running process, as bits."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(rf"{field}:\s*(\w+)", status)[1], 16)


@pytest.fixture(params=[SCRIPT, MODULE], ids=["script", "module"])
def command(request):
    return request.param


def test_exit_codes_and_messages(command, tmp_path):
    calls = {
        ("--version",): 0,
        ("clean", "--help"): 0,
        ("inspect", str(tmp_path / "none.safetensors")): 1,
        ("claen",): 2,
        (): 2,
    }
    for arguments, code in calls.items():
        expected = outcome(PROGRAM, *arguments)
        assert expected[0] == code, (arguments, expected)
        assert outcome(command, *arguments) == expected


def test_a_stream_through_a_pipe(command, sample):
    stream = pa.BufferOutputStream()
    pool = pq.read_table(sample / "pool.parquet")
    with pa.ipc.new_stream(stream, pool.schema) as writer:
        writer.write_table(pool)
    data = stream.getvalue().to_pybytes()
    expected = outcome(PROGRAM, *score_a_pipe(sample), input=data)
    assert expected[0] == 0 and "spuna_keep" in pa.ipc.open_stream(expected[1]).schema.names
    code, rows, _ = outcome(command, *score_a_pipe(sample), input=data)
    assert (code, rows) == expected[:2]


def test_ctrl_c(command, sample):
    with silent_pipe(command, sample) as process:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) == 130
        assert b"interrupted" in process.stderr.read()


def test_signals_that_python_ignores(command, sample):
    with silent_pipe(PROGRAM, sample) as program, silent_pipe(command, sample) as process:
        assert signals(process, "SigIgn") == signals(program, "SigIgn")


def test_other_arrows_do_not_disturb_it(command, sample):
    other = os.environ["SPUNA_OTHER_PYARROW"]
    paths = {"LD_LIBRARY_PATH": f"{other}/pyarrow:{Path(pa.__file__).parent}", "PYTHONPATH": other}
    with silent_pipe(command, sample, **paths) as process:
        maps = Path(f"/proc/{process.pid}/maps").read_text()
    libraries = {Path(line.split()[-1]) for line in maps.splitlines() if ".so" in line}
    arrow = {path.name.split(".so")[0]: path.parent.name for path in libraries if "arrow" in path.name}
    assert arrow == {"libspuna_arrow": "_lib"}


def test_it_has_the_client_of_s3(command):
    # The client itself refuses this URI, so no store is needed. It must end before the process does.
    call = ("evaluate", "--input", "s3://bucket/lake?no_such_option=1", "--truth", "shifted")
    expected = outcome(PROGRAM, *call)
    assert expected[0] == 1 and expected[2].endswith(b"Unexpected query parameter in S3 URI: 'no_such_option'\n")
    assert outcome(command, *call) == expected


def test_it_needs_no_library_beyond_the_compilers():
    listed = outcome(["readelf", "-d", Path(sys.modules["spuna"].__file__).parent / "_bin" / "spuna"])[1]
    needed = set(re.findall(r"NEEDED.*\[lib(\w+\+*)", listed.decode()))
    assert needed - {"spuna_arrow", "spuna_parquet"} <= {"c", "m", "gcc_s", "stdc++"}


def test_the_same_bytes(command, sample, tmp_path):
    assert clean(command, sample, tmp_path) == by_program(sample)


@pytest.fixture(scope="session")
def interpreters():
    """The interpreters that scripts/wheels detects, by version."""
    paths = subprocess.run([ROOT / "scripts" / "wheels", "--list"], check=True, capture_output=True, text=True)
    version = "import sysconfig; print(sysconfig.get_python_version())"
    return {outcome([path, "-c", version])[1].decode().strip(): path for path in paths.stdout.splitlines()}


@pytest.fixture(scope="session")
def wheel_of_all(interpreters):
    """The wheel for every Python, or None where an interpreter that it needs is not there."""
    if not {"3.10", "3.11"} <= interpreters.keys() or not {"3.12", "3.13"} & interpreters.keys():
        return None
    command = [ROOT / "scripts" / "wheels", *interpreters.values()]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def choose_wheel(version, wheel_of_all):
    """The wheel to test on a version; without the one for all, that of the Python that runs the tests."""
    if wheel_of_all:
        return wheel_of_all
    if version == sysconfig.get_python_version():
        return os.environ["SPUNA_WHEEL"]
    pytest.skip("scripts/wheels needs Python 3.10, 3.11 and one of 3.12 or newer; SPUNA_PYTHONS can name them")


@pytest.mark.parametrize("version", VERSIONS)
def test_every_python(version, interpreters, wheel_of_all, sample, tmp_path):
    if version not in interpreters:
        pytest.skip(f"there is no Python {version} with headers here; SPUNA_PYTHONS can name one")
    wheel = choose_wheel(version, wheel_of_all)
    venv = tmp_path / "venv"
    subprocess.run([interpreters[version], "-m", "venv", "--without-pip", venv], check=True)
    python = venv / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python]
    subprocess.run([*pip, "install", "--quiet", "--no-index", wheel], check=True)

    assert clean([venv / "bin" / "spuna"], sample, tmp_path) == by_program(sample)
    assert clean([python, "-m", "spuna"], sample, tmp_path) == by_program(sample)
    subprocess.run([python, "-c", USE_SPUNA], check=True, cwd=tmp_path)


def test_one_wheel_serves_all(wheel_of_all):
    if not wheel_of_all:
        pytest.skip("scripts/wheels needs Python 3.10, 3.11 and one of 3.12 or newer")
    assert "-cp310-abi3-" in wheel_of_all
    with zipfile.ZipFile(wheel_of_all) as wheel:
        extensions = re.findall(r"/_spuna\.(abi3|cpython-\d+)", "\n".join(wheel.namelist()))
    assert sorted(extensions) == ["abi3", "cpython-310", "cpython-311"]
