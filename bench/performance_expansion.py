"""The steps of a fit, part of performance.py: expansion and distillation."""

import statistics

import numpy as np
from performance_rounds import alternate, ours, peers, seconds, verdict
from performance_rows import clustered, write_rows


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
        f"faiss + numpy | {ratios.text()} | {verdict(ratios.ratio, 6)} |",
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
