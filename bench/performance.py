"""Measures spuna against its peers and writes docs/performance.md. Run by scripts/bench."""

import argparse
import math
import pathlib
import platform
import subprocess
import sys
import tempfile
import time
from importlib import metadata

from performance_expansion import measure_expansion
from performance_fit import measure_fit
from performance_growth import measure_growth, measure_large
from performance_rounds import ROOT, SPUNA
from performance_scoring import measure_scoring
from performance_search import measure_search, measure_tree

PARTS = {
    "fit": measure_fit,
    "search": measure_search,
    "expansion": measure_expansion,
    "scoring": measure_scoring,
    "tree": measure_tree,
    "growth": measure_growth,
    "large": measure_large,
}


class Setup:
    def __init__(self, folder, quick):
        self.folder = pathlib.Path(folder)
        self.quick = quick
        self.repeats = 1 if quick else 5
        self.few = 1 if quick else 3
        self.search_rows = 4000 if quick else 16_000
        self.pool_rows = 6000 if quick else 14_000
        self.score_rows = 20_000 if quick else 200_000
        self.tree_rows = 20_000 if quick else 100_000
        self.tree_queries = 2000 if quick else 20_000
        self.fit_sizes = [1000, 4000] if quick else [4000, 16_000, 64_000]
        self.large_sizes = [4000, 16_000] if quick else [14_000, 56_000, 224_000, 500_000, 1_000_000]
        self.score_sizes = [100_000, 200_000] if quick else [100_000, 400_000, 1_600_000]

    def say(self, line):
        print(line, file=sys.stderr, flush=True)


def machine():
    model = "unknown CPU"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":")[1].strip()
            break
    memory = int(pathlib.Path("/proc/meminfo").read_text().split()[1]) / 2**20
    names = ("faiss-cpu", "numpy", "scikit-learn", "torch", "onnxruntime", "pyarrow")
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in names)
    spuna = subprocess.run([SPUNA, "--version"], capture_output=True, text=True, check=True)
    return [
        f"{model}, 2 threads, {memory:.0f} GiB, {platform.system()}. {spuna.stdout.strip()};",
        f"{versions}; Python {platform.python_version()}.",
        "",
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller, under three minutes, printed")
    parser.add_argument("--only", choices=PARTS, help="one part, printed")
    arguments = parser.parse_args()
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="spuna-bench-") as folder:
        setup = Setup(folder, arguments.quick)
        parts = [arguments.only] if arguments.only else PARTS
        lines = [line for part in parts for line in PARTS[part](setup)]
    minutes = (time.perf_counter() - begin) / 60
    page = ROOT / "docs/performance.md"
    before, marker, _ = page.read_text().partition("## Measured\n")
    measured = [
        marker.strip(),
        "",
        f"By `scripts/bench{' --quick' if setup.quick else ''}`, in {math.ceil(minutes)} minutes. Times are medians; "
        "a ratio is that of the medians, and in brackets the smallest and",
        "largest of the rounds, in each of which both sides ran one after the other.",
        "",
        *machine(),
        *lines,
    ]
    text = "\n".join(measured).rstrip() + "\n"
    if arguments.quick or arguments.only:
        print(text)
    else:
        page.write_text(before + text)
        print(f"wrote {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
