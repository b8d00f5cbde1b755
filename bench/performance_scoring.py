"""Reading and scoring, part of performance.py: from memory and from file to file."""

import os
import statistics
import subprocess
import time

from performance_rounds import alternate, ours, peers, run_spuna, seconds, verdict
from performance_rows import clustered, write_parquet, write_rows

DIMENSION = 768


def fit_model(setup, trusted, pool, name):
    model = setup.folder / name
    options = ("--recipe", "paper", "--epochs", 1, "--overwrite")
    run_spuna("fit", "--trusted", trusted, "--pool", pool, "--model", model, *options)
    return model


def score_files(setup, own, peer, model, raw, files, per_group):
    """From file to file, against what one would write and against what it takes at least."""
    lines = []
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
    # What file to file takes at least: the scores, and the bytes of the file once more.
    def parts_run():
        begin = time.perf_counter()
        subprocess.run(["cp", files["uncompressed"], setup.folder / "copy.parquet"], check=True)
        return time.perf_counter() - begin + own.ask("score", model, raw, DIMENSION)["seconds"]

    whole = alternate(
        setup.repeats,
        lambda: run_spuna(
            "score", "--model", model, "--input", files["uncompressed"],
            "--out", setup.folder / "scored.parquet", "--overwrite",
        )[0],
        parts_run,
    )  # fmt: skip
    lines.append(
        f"| the same, uncompressed | {seconds(whole.ours)} | scoring from memory, and `cp` | "
        f"{whole.text()} | {verdict(whole.ratio, 0.5)} |"
    )
    return lines


def measure_scoring(setup):
    dimension, count = DIMENSION, setup.score_rows
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
                1 if setup.quick else 9,
                lambda: own.ask("read", path)["seconds"],
                lambda: peer.ask("pyarrow_read", path)["seconds"],
            )
            lines.append(
                f"| reading, {name} | {seconds(reading.ours)} | pyarrow.parquet.read_table, to numpy | "
                f"{reading.text()} | {verdict(reading.ratio, 1.5)} |"
            )
        lines += score_files(setup, own, peer, model, raw, files, per_group)
    for line in lines:
        setup.say(line)
    return lines + [""]
