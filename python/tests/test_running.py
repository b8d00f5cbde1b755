import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import spuna


def test_progress_is_told_and_can_stop(quick):
    options, trusted, pool = quick
    told = []
    spuna.fit(trusted, pool, progress=lambda *args: told.append(args), **options)
    assert [stage for stage, _ in told][-1] == "distill"
    assert all(isinstance(done, float) for _, done in told)

    def stop(stage, done):
        if stage == "distill":
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        spuna.fit(trusted, pool, progress=stop, **{**options, "recipe": "paper", "epochs": 10**6})


def test_progress_with_tqdm(quick, capsys):
    options, trusted, pool = quick
    spuna.fit(trusted, pool, progress=True, **options)
    assert "distill" in capsys.readouterr().err


def test_the_gil_is_released(quick):
    options, trusted, pool = quick
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    before = len(ticks)
    spuna.fit(trusted, pool, **{**options, "epochs": 300})
    during = len(ticks) - before
    done.set()
    thread.join()
    assert during > 20


def test_several_threads_fit_and_score_at_once(quick):
    options, trusted, pool = quick
    expected = spuna.fit(trusted, pool, **options).scores(pool)
    results = []

    def work():
        results.append(spuna.fit(trusted, pool, **options).scores(pool))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(np.array_equal(result, expected) for result in results)


def test_ctrl_c_ends_a_fit():
    script = (
        "import numpy as np, spuna\n"
        "rng = np.random.default_rng(0)\n"
        "try:\n"
        "    spuna.fit(rng.normal(size=(200, 4)), rng.normal(size=(300, 4)), epochs=10**6, recipe='paper',\n"
        "              progress=lambda stage, done: print(stage, flush=True))\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    while process.stdout.readline() != "distill\n":
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert out.splitlines()[-1] == "interrupted"
    assert process.returncode == 0


def test_ctrl_c_is_heard_between_batches():
    script = (
        "import numpy as np, spuna, signal\n"
        "rng = np.random.default_rng(0)\n"
        "model = spuna.fit(rng.normal(size=(200, 64)), rng.normal(size=(300, 64)), epochs=1)\n"
        "rows = np.zeros((3_000_000, 64), np.float32)\n"
        "try:\n"
        "    print('ready', flush=True)\n"
        "    while True: model.scores(rows, threads=1)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert out == "interrupted\n"
