"""What looks bring: oracle verdicts on the rows that `spuna review` chooses, in rounds of 25; what wrong ones cost; and
whether the interval of the precision covers the truth."""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from quality import header, make_rare, row
from review_cases import make_cases

CASES = ("ti_jpeg_s2", "ti_contrast_near", "ti_mixed", "pacs_photo_cartoon")
SHARE = 0.05
ROUNDS = 4
ROWS = 25


def run(program: str, *arguments: object) -> dict:
    command = [program, *map(str, arguments), "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


class Loop:
    """Clean, look, say, clean again, on one case."""

    def __init__(self, program: str, folder: Path, scratch: Path, seed: int):
        self.program, self.folder, self.scratch, self.seed = program, folder, scratch, seed
        self.truth = np.array(pq.read_table(folder / "pool.parquet", columns=["shifted"])["shifted"].to_pylist(), bool)
        trusted, pool = folder / "trusted.parquet", folder / "pool.parquet"
        self.inputs = ("--trusted", trusted, "--pool", pool, "--embedding", "embedding")
        self.files: list[Path] = []
        self.num_looks = 0

    def reviewed(self) -> list:
        return [word for file in self.files for word in ("--reviewed", file)]

    def look(self, rows: int, *options: object, wrong: frozenset = frozenset()) -> None:
        """A round: choose rows, and say what they are; wrongly of those with these numbers, over all rounds."""
        chosen = self.scratch / "list.parquet"
        run(self.program, "review", *self.inputs, "--list", chosen, "--rows", rows,
            "--seed", self.seed, "--overwrite", *options, *self.reviewed())
        table = pq.read_table(chosen)
        said = []
        for place, verdict in zip(table["row"].to_pylist(), table["verdict"].to_pylist()):
            is_shifted = self.truth[place] != (self.num_looks in wrong)
            self.num_looks += verdict is None
            said.append(verdict or ("shifted" if is_shifted else "clean"))
        self.files.append(self.scratch / f"{self.seed}-{len(self.files)}.parquet")
        verdicts = table.set_column(table.schema.get_field_index("verdict"), "verdict", pa.array(said))
        pq.write_table(verdicts, self.files[-1])

    def auroc(self) -> float:
        """Of the test rows, by a fit with what was said so far."""
        model, scored = (self.scratch / name for name in ("m.safetensors", "s.parquet"))
        run(self.program, "fit", *self.inputs, "--model", model, "--seed", self.seed, "--overwrite", *self.reviewed())
        test = self.folder / "test.parquet"
        run(self.program, "score", "--model", model, "--input", test, "--out", scored, "--overwrite")
        return run(self.program, "evaluate", "--input", scored, "--truth", "shifted")["auroc"]

    def clean(self, *options: object) -> tuple[dict, np.ndarray]:
        """The report of a clean, and which rows it keeps."""
        report = run(self.program, "clean", *self.inputs, "--out", f"{self.scratch}/out/", *options, *self.reviewed())
        kept = pq.read_table(self.scratch / "out/pool.parquet", columns=["spuna_keep"])
        return report, np.array(kept["spuna_keep"].to_pylist(), bool)


def gain(program: str, folders: list[Path], seeds: tuple, num_wrong: int) -> None:
    """Test AUROC after 0, 25, 50, … looks."""
    header("case", *[f"{ROWS * i} looks" for i in range(ROUNDS + 1)])
    means = []
    for folder in folders:
        runs = []
        for seed in seeds:
            with tempfile.TemporaryDirectory() as scratch:
                loop = Loop(program, folder, Path(scratch), seed)
                found = [loop.auroc()]
                wrong = np.random.default_rng(seed).choice(ROUNDS * ROWS, num_wrong, replace=False)
                for _ in range(ROUNDS):
                    loop.look(ROWS, wrong=frozenset(wrong.tolist()))
                    found.append(loop.auroc())
                runs.append(found)
        means.append(np.mean(runs, 0))
        row(folder.name, *map(float, means[-1]))
    row("mean", *map(float, np.mean(means, 0)))
    print(flush=True)


def coverage(program: str, folder: Path, draws: int, rounds: int) -> None:
    """How often the interval of the precision covers the truth, with about 30 looks among the drops: in one review
    by the model that is there, without a refit, or in several with a refit after the last."""
    covered, widths = 0, []
    with tempfile.TemporaryDirectory() as scratch:
        loop = Loop(program, folder, Path(scratch), 0)
        model = Path(scratch) / "kept.safetensors"
        loop.clean("--model", model)
        for seed in range(draws):
            loop.seed, loop.files = seed, []
            for _ in range(rounds):
                by = ("--model", model) if rounds == 1 else ()
                loop.look(80 // rounds, "--random-share", 0.75, *by)
            report, keep = loop.clean(*(("--refit",) if rounds > 1 else ()))
            precision = report["review"]["estimates"]["precision"]
            truth = loop.truth[~keep].mean()
            covered += precision["low"] - 1e-9 <= truth <= precision["high"] + 1e-9
            widths.append(precision["high"] - precision["low"])
    row(folder.name, rounds, f"{covered} of {draws}", float(np.mean(widths)), float(np.max(widths)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("directory", type=Path, nargs="?")
    parser.add_argument("--part", choices=("gain", "wrong", "coverage", "other"), default="gain")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        if given.part == "other":
            cases = make_cases(Path(scratch) / "cases")
        elif given.directory is None:
            parser.error("the directory of the cases is required")
        else:
            cases = [given.directory / name for name in CASES]
        folders = [make_rare(case, SHARE, Path(scratch)) for case in cases]
        if given.part == "coverage":
            header("case", "rounds", "covered", "mean width", "largest width")
            for folder in folders:
                coverage(given.program, folder, given.draws, rounds=1)
            coverage(given.program, folders[-1], given.draws, rounds=3)
        else:
            gain(given.program, folders, tuple(range(given.seeds)), 10 if given.part == "wrong" else 0)


if __name__ == "__main__":
    main()
