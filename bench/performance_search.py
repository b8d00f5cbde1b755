"""The neighbor searches, part of performance.py: against the peers, and the tree against the product."""

import statistics

import numpy as np
from performance_rounds import Ratios, alternate, ours, peers, seconds, verdict
from performance_rows import clustered, write_rows


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
