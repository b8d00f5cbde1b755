"""Measures spuna against its peers and writes docs/performance.md. Run by scripts/bench."""

import argparse
import json
import math
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from importlib import metadata

import numpy as np

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


def clustered(count, dimension, seed, shift=0.0):
    """Rows with the spread of real embeddings: variances that fall off, and clusters."""
    random = np.random.default_rng(seed)
    scale = (1 + np.arange(dimension)) ** -0.25
    centers = np.random.default_rng(7).standard_normal((20, dimension)) * 0.5
    rows = random.standard_normal((count, dimension)) + centers[random.integers(0, 20, count)]
    rows[: count // 2, : dimension // 8 + 1] += shift
    return (rows * scale).astype(np.float32)


def write_rows(path, rows):
    rows.tofile(path)
    return path


def write_parquet(path, rows, compression, rows_per_group, split=False):
    import pyarrow
    import pyarrow.parquet

    values = pyarrow.array(rows.ravel())
    table = pyarrow.table(
        {
            "id": np.arange(len(rows)),
            "embedding": pyarrow.FixedSizeListArray.from_arrays(values, rows.shape[1]),
        }
    )
    encoding = {"embedding.list.element": "BYTE_STREAM_SPLIT"} if split else None
    pyarrow.parquet.write_table(
        table,
        path,
        compression=compression,
        row_group_size=rows_per_group,
        use_dictionary=["id"],
        column_encoding=encoding,
    )
    return path


def run_spuna(*arguments):
    """Seconds and peak memory in MB of the program, which tells the latter itself."""
    begin = time.perf_counter()
    process = subprocess.run(
        [str(SPUNA), *map(str, arguments), "--json"], capture_output=True, check=True
    )
    elapsed = time.perf_counter() - begin
    return elapsed, json.loads(process.stdout)["peak_memory_bytes"] / 1e6


def measure_search(setup):
    lines = [
        f"### Exact nearest neighbors, {setup.search_rows:,} × {setup.search_rows:,}",
        "",
        "Both build the index and search once. Ours keeps the distances of a direct search in float64;",
        "faiss and scikit-learn keep float32 products. The limit is the time of the bare sgemm.",
        "",
        "| d | k | ours | of the limit | faiss ÷ ours | at least | scikit-learn ÷ ours | at least |",
        "|---|---|---|---|---|---|---|---|",
    ]
    n = setup.search_rows
    for dimension in (64, 256, 768, 1024):
        bank = write_rows(setup.folder / "bank", clustered(n, dimension, 1))
        queries = write_rows(setup.folder / "queries", clustered(n, dimension, 2))
        with ours() as own, peers() as peer:
            for k in (1, 10, 100, 500):
                gemm = []

                def own_run():
                    gemm.append(own.ask("gemm", n // 8, n // 4, dimension)["flops"])
                    return own.ask("search", bank, queries, dimension, k, "product")["seconds"]

                def peer_run():
                    return peer.ask("faiss_search", bank, queries, dimension, k)["seconds"]

                faiss = alternate(setup.repeats, own_run, peer_run)
                sklearn = Ratios()
                if not setup.quick or k in (1, 100):
                    for _ in range(setup.few):
                        sklearn.add(
                            own_run(),
                            peer.ask("sklearn_search", bank, queries, dimension, k)["seconds"],
                        )
                least = 1.0 if k <= 10 else 2.0 if dimension == 64 else 1.15
                limit = 2 * n * n * dimension / statistics.median(gemm)
                part = limit / statistics.median(faiss.ours)
                other = sklearn.text() if sklearn.ours else ""
                other_least = verdict(sklearn.ratio, 2) if sklearn.ours else ""
                lines.append(
                    f"| {dimension} | {k} | {seconds(faiss.ours)} | {part:.2f} | {faiss.text()} | "
                    f"{verdict(faiss.ratio, least)} | {other} | {other_least} |"
                )
                setup.say(lines[-1])
    return lines + [""]


def measure_expansion(setup):
    dimension, num_trusted, num_pool = 768, 1000, setup.pool_rows
    trusted = write_rows(setup.folder / "trusted", clustered(num_trusted, dimension, 3))
    pool = write_rows(setup.folder / "pool", clustered(num_pool, dimension, 4, 0.3))
    flops = []
    with ours() as own, peers() as peer:
        answers = {}

        def own_run():
            flops.append(own.ask("gemm", 2048, 4096, dimension)["flops"])
            answers["ours"] = own.ask("expand", trusted, pool, dimension)
            return answers["ours"]["seconds"]

        def peer_run():
            answers["peer"] = peer.ask("faiss_expand", trusted, pool, dimension)
            return answers["peer"]["seconds"]

        ratios = alternate(setup.repeats, own_run, peer_run)
        epoch = alternate(
            setup.repeats,
            lambda: (
                own.ask("epochs", trusted, pool, dimension, 3)["seconds"]
                - own.ask("epochs", trusted, pool, dimension, 1)["seconds"]
            )
            / 2,
            lambda: peer.ask("torch_epochs", trusted, pool, dimension, 2)["seconds"] / 2,
        )
    # Every row without label against the rows added last, the covariance's half, the eigenvalues.
    needed = 2.0 * num_trusted * num_pool * dimension
    rest, added, shifted = num_pool - 60, 30, 30
    needed += shifted * dimension**2
    eigenvalues = 4 / 3 * min(shifted, dimension) ** 3
    while rest > 1:
        needed += 2.0 * rest * 2 * added * dimension
        added = min(1500, rest // 2)
        rest -= 2 * added
        shifted += added
        needed += added * dimension**2
        eigenvalues += 4 / 3 * min(shifted, dimension) ** 3
    needed += eigenvalues
    limit = needed / statistics.median(flops)
    part = limit / statistics.median(ratios.ours)
    same = np.mean(np.array(answers["ours"]["labels"]) == np.array(answers["peer"]["labels"]))
    lines = [
        f"### Expansion and distillation, {num_trusted:,} + {num_pool:,} × {dimension}",
        "",
        "| work | ours | peer | peer ÷ ours | at least |",
        "|---|---|---|---|---|",
        f"| expansion, all {answers['ours']['rounds']} rounds, with entropy | {seconds(ratios.ours)} | "
        f"faiss + numpy | {ratios.text()} | {verdict(ratios.ratio, 2.5)} |",
        f"| the same, of the limit of {limit:.2f} s | | sgemm | {part:.2f} | {verdict(part, 0.6)} |",
        f"| one epoch, hidden 512, batch 128, Adam | {seconds(epoch.ours)} | torch | {epoch.text()} | "
        f"{verdict(epoch.ratio, 0.7)} |",
        "",
        f"The limit counts {needed / 1e9:.0f} GFlop: each row without a label against the rows added last,",
        "half of the covariance, and the eigenvalues. Rows that got the same round from both sides:",
        f"{100 * same:.2f} % (faiss's distances are rounded, and so are its ties).",
        "",
    ]
    for line in lines:
        setup.say(line)
    return lines


def fit_model(setup, trusted, pool, name):
    model = setup.folder / name
    options = ("--recipe", "paper", "--epochs", 1, "--overwrite")
    run_spuna("fit", "--trusted", trusted, "--pool", pool, "--model", model, *options)
    return model


def measure_scoring(setup):
    dimension, count = 768, setup.score_rows
    rows = clustered(count, dimension, 5)
    raw = write_rows(setup.folder / "rows", rows)
    per_group = max(count // 4, 1)
    files = {
        "uncompressed": write_parquet(setup.folder / "none.parquet", rows, "none", per_group),
        "snappy": write_parquet(setup.folder / "snappy.parquet", rows, "snappy", per_group),
        "zstd + byte-stream split": write_parquet(
            setup.folder / "zstd.parquet", rows, "zstd", per_group, split=True
        ),
    }
    trusted = write_parquet(setup.folder / "t.parquet", rows[:1000], "none", 1000)
    pool = write_parquet(setup.folder / "p.parquet", rows[1000:5000] + 0.1, "none", 5000)
    model = fit_model(setup, trusted, pool, "scoring.safetensors")
    del rows
    os.sync()  # The system must not be writing these files while they are read.
    flops = []
    hidden = 512
    lines = [
        f"### Reading and scoring, {count:,} × {dimension}",
        "",
        "| work | ours | peer | peer ÷ ours | at least |",
        "|---|---|---|---|---|",
    ]
    with ours() as own, peers() as peer:

        def own_run():
            flops.append(own.ask("gemm", 2048, 4096, dimension)["flops"])
            return own.ask("score", model, raw, dimension)["seconds"]

        def peer_run():
            return min(
                peer.ask(name, model, raw, dimension)["seconds"]
                for name in ("onnx_score", "torch_score")
            )

        scoring = alternate(setup.repeats, own_run, peer_run)
        part = 2 * count * dimension * hidden / statistics.median(flops)
        part /= statistics.median(scoring.ours)
        lines.append(
            f"| scoring from memory | {seconds(scoring.ours)} | the better of onnxruntime and torch | "
            f"{scoring.text()} | {verdict(scoring.ratio, 1)} |"
        )
        lines.append(f"| the same, of the limit | | sgemm | {part:.2f} | {verdict(part, 0.75)} |")
        for name, path in files.items():
            reading = alternate(
                setup.repeats,
                lambda: own.ask("read", path)["seconds"],
                lambda: peer.ask("pyarrow_read", path)["seconds"],
            )
            lines.append(
                f"| reading, {name} | {seconds(reading.ours)} | pyarrow.parquet.read_table, to numpy | "
                f"{reading.text()} | {verdict(reading.ratio, 1.5)} |"
            )
        for name, codec in (("uncompressed", "none"), ("snappy", "snappy")):
            out = setup.folder / "scored.parquet"
            scored = alternate(
                setup.repeats,
                lambda: run_spuna(
                    "score", "--model", model, "--input", files[name], "--out", out, "--overwrite"
                )[0],
                lambda: peer.ask(
                    "pyarrow_score", model, files[name], setup.folder / "peer.parquet", codec, per_group
                )["seconds"],
            )
            lines.append(
                f"| `spuna score`, file to file, {name} | {seconds(scored.ours)} | "
                f"pyarrow + onnxruntime + pyarrow | {scored.text()} | {verdict(scored.ratio, 1.5)} |"
            )
    for line in lines:
        setup.say(line)
    return lines + [""]


def measure_tree(setup):
    lines = [
        f"### KD-tree or product, {setup.tree_rows:,} bank rows, {setup.tree_queries:,} queries",
        "",
        "| d | k | KD-tree | product | product ÷ tree | `auto` takes | its time ÷ the better's |",
        "|---|---|---|---|---|---|---|",
    ]
    with ours() as own:
        for k in (10, 100):
            for dimension in (2, 4, 6, 8, 16):
                random = np.random.default_rng(dimension)
                bank = random.standard_normal((setup.tree_rows, dimension)).astype(np.float32)
                queries = random.standard_normal((setup.tree_queries, dimension)).astype(np.float32)
                bank = write_rows(setup.folder / f"tree{k}.{dimension}", bank)
                queries = write_rows(setup.folder / f"treeq{k}.{dimension}", queries)

                def run(kind):
                    return own.ask("search", bank, queries, dimension, k, kind)

                tree, product = [], []
                for _ in range(setup.few):
                    tree.append(run("kd-tree")["seconds"])
                    product.append(run("product")["seconds"])
                tree, product = statistics.median(tree), statistics.median(product)
                kind = run("auto")["kind"]
                worse = (tree if kind == "kd-tree" else product) / min(tree, product)
                mark = " **missed**" if worse > 1.25 else ""
                lines.append(
                    f"| {dimension} | {k} | {tree:.2f} s | {product:.2f} s | {product / tree:.2f} | "
                    f"{kind} | {worse:.2f}{mark} |"
                )
                setup.say(lines[-1])
    return lines + [""]


def slope(sizes, values):
    return np.polyfit(np.log(sizes), np.log(values), 1)[0]


def measure_growth(setup):
    dimension = 256
    trusted = write_parquet(
        setup.folder / "gt.parquet", clustered(1000, dimension, 8), "none", 65_536
    )
    fits = {"robust": ([], []), "paper": ([], [])}
    lines = [
        f"### Growth, d = {dimension}",
        "",
        "| pool rows | matrices | limit by the formula | robust: fit | peak | paper: fit | peak |",
        "|---|---|---|---|---|---|---|",
    ]
    for count in setup.fit_sizes:
        pool = write_parquet(
            setup.folder / "gp.parquet", clustered(count, dimension, 9, 0.3), "none", 65_536
        )
        matrices = 4 * dimension * (1000 + count) / 1e6
        limit = 2.3 * matrices + 2 * 8 * 100 * count / 1e6 + 150
        cells = []
        for recipe, (times, peaks) in fits.items():
            elapsed, peak = run_spuna(
                "fit", "--trusted", trusted, "--pool", pool, "--recipe", recipe,
                "--model", setup.folder / "growth.safetensors", "--overwrite",
            )  # fmt: skip
            times.append(elapsed)
            peaks.append(peak)
            mark = "" if peak <= limit else " **missed**"
            cells += [f"{elapsed:.1f} s", f"{peak:.0f} MB{mark}"]
        lines.append(f"| {count:,} | {matrices:.0f} MB | {limit:.0f} MB | {' | '.join(cells)} |")
        setup.say(lines[-1])
    model = setup.folder / "growth.safetensors"
    lines += ["", "| rows scored | file to file | rows a second | peak |", "|---|---|---|---|"]
    times, peaks = [], []
    for count in setup.score_sizes:
        source = setup.folder / "gs"
        source.mkdir(exist_ok=True)
        for part in range(count // 100_000):
            write_parquet(
                source / f"{part:02}.parquet", clustered(100_000, dimension, part), "none", 25_000
            )
        elapsed, peak = run_spuna(
            "score", "--model", model, "--input", source, "--out", setup.folder / "gso", "--overwrite"
        )
        times.append(elapsed)
        peaks.append(peak)
        lines.append(f"| {count:,} | {elapsed:.2f} s | {count / elapsed:,.0f} | {peak:.0f} MB |")
        setup.say(lines[-1])
    slopes = {recipe: slope(setup.fit_sizes, values[0]) for recipe, values in fits.items()}
    lines += [
        "",
        f"Slopes on the log scale: fit {slopes['robust']:.2f} (robust), {slopes['paper']:.2f} (paper); "
        f"scoring {slope(setup.score_sizes, times):.2f}.",
        "The neighbor search is quadratic in the pool, everything else is linear. Scoring is linear, in",
        "memory that does not grow.",
        "",
    ]
    if not setup.quick:
        plot_growth(setup, fits, times)
        lines += ["![Fit and score time against rows](growth.svg)", ""]
    return lines


def plot_growth(setup, fits, score_times):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "spuna"
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4))
    for recipe, (times, _) in fits.items():
        label = f"fit, {recipe}: slope {slope(setup.fit_sizes, times):.2f}"
        axes.loglog(setup.fit_sizes, times, "o-", label=label)
    label = f"score: slope {slope(setup.score_sizes, score_times):.2f}"
    axes.loglog(setup.score_sizes, score_times, "s-", label=label)
    axes.set_xlabel("rows")
    axes.set_ylabel("seconds")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(ROOT / "docs/growth.svg", metadata={"Date": None})


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
        self.score_sizes = [100_000, 200_000] if quick else [100_000, 400_000, 1_600_000]

    def say(self, line):
        print(line, file=sys.stderr, flush=True)


PARTS = {
    "search": measure_search,
    "expansion": measure_expansion,
    "scoring": measure_scoring,
    "tree": measure_tree,
    "growth": measure_growth,
}


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
