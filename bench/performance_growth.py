"""Time and memory of the program against the number of rows, part of performance.py."""

import os

import numpy as np
import pyarrow
import pyarrow.parquet
from lake import Source
from performance_rounds import ROOT, run_spuna
from performance_rows import clustered, write_parquet

MOST_FOR_SLOPE = 224_000


def slope(sizes, values):
    return np.polyfit(np.log(sizes), np.log(values), 1)[0]


def write_pool(setup, source, count):
    """Real rows, a block at a time: the largest pool is 3 GB."""
    path = setup.folder / "lp.parquet"
    block = 16_384
    with pyarrow.parquet.ParquetWriter(path, source.block("pool", 0, 1).schema, compression="none") as writer:
        for first in range(0, count, block):
            writer.write_batch(source.block("pool", first, min(block, count - first)))
    return path


def measure_large(setup):
    """Fits that learn from all rows, however many."""
    source = Source(ROOT / "examples/quickstart")
    dimension = 768
    trusted = setup.folder / "lt.parquet"
    pyarrow.parquet.write_table(pyarrow.table(source.block("trusted", 0, 1000)), trusted)
    lines = [
        f"### Without a sample (`--fit-rows 0`), 1,000 trusted rows, d = {dimension}",
        "",
        "| pool rows | `--recipe fast` | the default | peak | limit by the formula |",
        "|---|---|---|---|---|",
    ]
    fast = []
    for count in setup.large_sizes:
        pool = write_pool(setup, source, count)
        os.sync()

        def fit(recipe):
            return run_spuna(
                "fit", "--trusted", trusted, "--pool", pool, "--recipe", recipe, "--fit-rows", 0,
                "--embedding", "embedding", "--model", setup.folder / "large.safetensors", "--overwrite",
            )  # fmt: skip

        cell = ""
        if count <= MOST_FOR_SLOPE:
            fast.append(fit("fast")[0])
            cell = f"{fast[-1]:.1f} s"
        elapsed, peak = fit("robust")
        limit = 2.3 * 4 * dimension * (1000 + count) / 1e6 + 2 * 8 * 100 * count / 1e6 + 150
        mark = "" if peak <= limit else " **missed**"
        lines.append(f"| {count:,} | {cell} | {elapsed:.1f} s | {peak:,.0f} MB{mark} | {limit:,.0f} MB |")
        setup.say(lines[-1])
    steepness = slope(setup.large_sizes[: len(fast)], fast)
    lines += [
        "",
        f"Slope of `--recipe fast` on the log scale, to {setup.large_sizes[len(fast) - 1]:,} rows: {steepness:.2f}"
        f" (at most 1.15{'' if steepness <= 1.15 else ' **missed**'}).",
        "",
    ]
    return lines


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
