"""spuna beside other libraries, and in an empty environment."""

import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pyarrow
import pytest
from conftest import SAMPLE

USE_SPUNA = f"""
import spuna
model = spuna.fit({str(SAMPLE / "trusted.parquet")!r}, {str(SAMPLE / "pool.parquet")!r}, epochs=2)
metrics = spuna.evaluate(model.score({str(SAMPLE / "pool.parquet")!r}), truth="shifted")
assert metrics["rows"] == 1500
"""
USE_PYARROW = f"""
import pyarrow as pa, pyarrow.parquet as pq, pyarrow.dataset, pyarrow.compute as pc
table = pq.read_table({str(SAMPLE / "pool.parquet")!r})
assert pc.sum(pc.cast(table["shifted"], pa.int64())).as_py() == 500
"""
EXCHANGE = """
scored = pa.table(model.score(table))
assert scored.num_rows == 1500 and scored["spuna_keep"].null_count == 0
"""


def run(script, **environment):
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True,
        env={**os.environ, **environment},
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("script", [USE_PYARROW + USE_SPUNA, USE_SPUNA + USE_PYARROW])
def test_pyarrow_of_another_version_before_and_after(script):
    other = os.environ["SPUNA_OTHER_PYARROW"]
    check = f"import pyarrow; assert pyarrow.__version__ != {pyarrow.__version__!r}\n"
    run(script + EXCHANGE + check, PYTHONPATH=other)


@pytest.mark.parametrize("script", [USE_PYARROW + USE_SPUNA, USE_SPUNA + USE_PYARROW])
def test_pyarrow_whose_symbols_everyone_sees(script):
    everyone = "import sys, os; sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)\n"
    run(everyone + script + EXCHANGE, PYTHONPATH=os.environ["SPUNA_OTHER_PYARROW"])


def test_the_plugin_wants_its_own_pyarrow():
    run(
        "import spuna\n"
        "try:\n"
        "    spuna.acero.load()\n"
        "except ImportError as error:\n"
        "    assert 'was built for pyarrow' in str(error), error\n"
        "else:\n"
        "    raise AssertionError\n",
        PYTHONPATH=os.environ["SPUNA_OTHER_PYARROW"],
    )


def test_numpys_blas_keeps_its_threads():
    run(
        "import numpy as np, spuna, threadpoolctl\n"
        "threads = lambda: [i['num_threads'] for i in threadpoolctl.threadpool_info()]\n"
        "threadpoolctl.threadpool_limits(2)\n"
        "assert threads() and set(threads()) == {2}, threads()\n"
        "seen = []\n"
        "rng = np.random.default_rng(0)\n"
        "spuna.fit(rng.normal(size=(200, 8)), rng.normal(size=(300, 8)), epochs=2,\n"
        "          progress=lambda *_: seen.append(threads()))\n"
        "assert seen and all(set(s) == {2} for s in seen), seen\n"
        "assert set(threads()) == {2}\n"
    )


def test_a_preloaded_malloc_is_used_by_all(tmp_path):
    library = tmp_path / "other_malloc.so"
    source = Path(__file__).with_name("other_malloc.c")
    command = ["cc", "-O1", "-fno-builtin", "-shared", "-fPIC", source, "-o", library]
    subprocess.run(command, check=True)
    run(USE_SPUNA, LD_PRELOAD=str(library))


def test_the_wheel_works_in_an_empty_environment(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    install = ["-m", "pip", "install", "--quiet", "--no-index", os.environ["SPUNA_WHEEL"]]
    subprocess.run([python, *install], check=True)
    subprocess.run([python, "-c", USE_SPUNA], check=True, cwd=tmp_path)


def test_the_wheel_holds_what_it_needs_and_no_path_of_this_machine(tmp_path):
    with zipfile.ZipFile(os.environ["SPUNA_WHEEL"]) as wheel:
        names = set(wheel.namelist())
        wheel.extractall(tmp_path)
    libraries = {name.rsplit("/", 1)[1].split(".so")[0] for name in names if ".so" in name}
    assert libraries >= {"libspuna_arrow", "libspuna_parquet", "libspuna_acero", "libspuna_c"}
    assert {"spuna/py.typed", "spuna/_bin/spuna"} <= names
    for name in names:
        if ".so" not in name and "/_bin/" not in name:
            continue
        dynamic = subprocess.run(
            ["readelf", "-d", tmp_path / name], check=True, capture_output=True, text=True
        ).stdout
        paths = [line.split("[")[1] for line in dynamic.splitlines() if "RUNPATH" in line or "RPATH" in line]
        assert all(path.startswith("$ORIGIN") for path in paths), (name, paths)


def test_plain_arrow_names_are_not_loaded():
    run(
        "import spuna\n"
        "maps = open('/proc/self/maps').read()\n"
        "assert 'libspuna_arrow.so' in maps\n"
        "assert '/libarrow.so' not in maps\n"
    )


def test_ctrl_c_ends_a_pipe_that_is_silent(sample):
    command = [os.environ["SPUNA_PROGRAM"], "score", "--model", sample / "model.safetensors",
               "--input", "-", "--out", "-"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=10) == 130
    assert b"interrupted" in process.stderr.read()
