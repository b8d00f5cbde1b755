"""A whole fit against what a person would write instead, part of performance.py."""

import statistics
import time

import numpy as np
import pyarrow.parquet
from lake import Source
from performance_rounds import ROOT, alternate, peers, run_spuna, seconds, verdict
from performance_rows import write_parquet, write_rows

DIMENSION = 768


class Rows:
    """Real rows: those of the shipped sample in 768 dimensions by a random projection, repeated with a little
    noise. About half of the pool is shifted."""

    def __init__(self, setup):
        sample = ROOT / "examples/quickstart"
        source = Source(sample)
        counts = {"trusted": 1000, "pool": setup.pool_rows}
        self.files, self.raw = {}, {}
        for part, count in counts.items():
            values = source.block(part, 0, count).column(1).flatten().to_numpy().reshape(count, DIMENSION)
            self.files[part] = write_parquet(setup.folder / f"{part}.parquet", values, "none", 65_536)
            self.raw[part] = write_rows(setup.folder / part, values)
        shifted = pyarrow.parquet.read_table(sample / "pool.parquet")["shifted"].to_numpy()
        truth = np.resize(shifted, counts["pool"]).astype(np.float32)
        self.truth = write_rows(setup.folder / "truth", truth)
        self.names = (self.raw["trusted"], self.raw["pool"], self.truth, DIMENSION)


class Fit:
    """The program, from Parquet files to a model file."""

    def __init__(self, setup, rows, recipe):
        self.rows, self.recipe = rows, recipe
        self.model, self.scored = (setup.folder / name for name in ("fit.safetensors", "fit.parquet"))

    def run(self):
        return run_spuna(
            "fit", "--trusted", self.rows.files["trusted"], "--pool", self.rows.files["pool"],
            "--recipe", self.recipe, "--model", self.model, "--overwrite",
        )[0]  # fmt: skip

    def auroc(self):
        self.run()
        run_spuna(
            "score", "--model", self.model, "--input", self.rows.files["pool"], "--out", self.scored, "--overwrite"
        )
        from sklearn.metrics import roc_auc_score

        scores = pyarrow.parquet.read_table(self.scored)["spuna_score"].to_numpy()
        return roc_auc_score(np.fromfile(self.rows.truth, np.float32), scores)


def from_its_start(command, rows):
    begin = time.perf_counter()
    with peers() as peer:
        answer = peer.ask(command, *rows.names)
    return answer | {"seconds": time.perf_counter() - begin}


def measure_fit(setup):
    rows = Rows(setup)
    lines = [
        f"### A whole fit, 1,000 + {setup.pool_rows:,} × {DIMENSION}",
        "",
        "| ours | | AUROC | instead | | AUROC | peer ÷ ours | at least |",
        "|---|---|---|---|---|---|---|---|",
    ]
    logistic = "scikit-learn, 5-fold logistic regression"
    with peers() as warm:
        instead = {
            logistic: (lambda: warm.ask("sklearn_logistic", *rows.names), setup.repeats),
            f"{logistic}, from the start of its program": (
                lambda: from_its_start("sklearn_logistic", rows),
                setup.few,
            ),
            "scikit-learn, 5-fold MLP of 512": (lambda: warm.ask("sklearn_network", *rows.names), setup.few),
            "torch, 5-fold network of 512": (lambda: warm.ask("torch_network", *rows.names), setup.few),
            "faiss, distance to the 100 nearest trusted": (
                lambda: warm.ask("faiss_neighbors", *rows.names),
                setup.few,
            ),
        }
        least = {("robust", logistic): 0.5, ("paper", logistic): 1 / 1.3}
        for recipe, label in (("robust", "the default"), ("paper", "the paper's recipe")):
            fit = Fit(setup, rows, recipe)
            auroc = fit.auroc()
            for name, (ask, repeats) in instead.items():
                if recipe == "paper" and not name.startswith(logistic):
                    continue
                aurocs = []

                def peer_run(ask=ask, aurocs=aurocs):
                    answer = ask()
                    aurocs.append(answer["auroc"])
                    return answer["seconds"]

                ratios = alternate(repeats, fit.run, peer_run)
                wanted = least.get((recipe, name))
                lines.append(
                    f"| {label} | {seconds(ratios.ours)} | {auroc:.3f} | {name} | {seconds(ratios.peer)} | "
                    f"{statistics.median(aurocs):.3f} | {ratios.text()} | "
                    f"{verdict(ratios.ratio, round(wanted, 2)) if wanted else ''} |"
                )
                setup.say(lines[-1])
    return lines + [
        "",
        "Ours is the program, from Parquet files to a model file; the others are calls on rows in memory, warm,",
        "but for the line that says so. AUROC: of the pool's scores against the truth. Real rows: the sample's, in",
        "768 dimensions by a random projection and repeated with a little noise.",
        "",
    ]
