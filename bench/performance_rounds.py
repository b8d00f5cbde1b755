"""Runs spuna and its peers in turn and compares their times. Part of performance.py."""

import json
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPUNA = ROOT / "build/release/spuna"
WORKER = ROOT / "build/bench/bench/performance_worker"


class Worker:
    """A process that answers a line with a line of JSON."""

    def __init__(self, *command):
        self.process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, *words):
        self.process.stdin.write(" ".join(str(word) for word in words) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"no answer to {words}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


def ours():
    return Worker(WORKER)


def peers():
    return Worker(sys.executable, ROOT / "bench/peers.py")


def run_spuna(*arguments):
    """Seconds and peak memory in MB of the program, which tells the latter itself."""
    begin = time.perf_counter()
    process = subprocess.run(
        [str(SPUNA), *map(str, arguments), "--json"], capture_output=True, check=True
    )
    elapsed = time.perf_counter() - begin
    return elapsed, json.loads(process.stdout)["peak_memory_bytes"] / 1e6


class Ratios:
    """Peer's time over ours, pair by pair; the two of a pair ran one after the other."""

    def __init__(self):
        self.ours = []
        self.peer = []

    def add(self, own, peer):
        self.ours.append(own)
        self.peer.append(peer)

    @property
    def ratios(self):
        return [b / a for a, b in zip(self.ours, self.peer)]

    @property
    def ratio(self):
        return statistics.median(self.peer) / statistics.median(self.ours)

    def text(self):
        return f"{self.ratio:.2f} ({min(self.ratios):.2f}–{max(self.ratios):.2f})"


def alternate(repeats, own, peer):
    """One round to warm up, then `repeats` rounds of one after the other."""
    ratios = Ratios()
    for round_number in range(repeats + 1):
        pair = (own(), peer()) if round_number % 2 else (peer(), own())[::-1]
        if round_number > 0:
            ratios.add(*pair)
    return ratios


def seconds(values):
    value = statistics.median(values)
    return f"{value:.2f} s" if value >= 0.1 else f"{value * 1e3:.1f} ms"


def verdict(value, least):
    return f"{least:g}" if value >= least else f"{least:g} **missed**"
