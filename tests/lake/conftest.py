import pytest
from support import make_lake, parquet_bytes, run, write_file


class Sample:
    """A lake, trusted rows, a model, and what undisturbed runs make of them. Only to be read."""

    def __init__(self, folder):
        self.folder = folder
        self.trusted = write_file(folder / "trusted.parquet", 300, 1, share=0.0)
        self.lake = make_lake(folder / "lake")
        self.model = folder / "model.safetensors"
        run("fit", "--trusted", self.trusted, "--pool", self.lake, "--model", self.model)
        self.scored = folder / "scored"
        run(*self.score(self.scored))
        self.scored_bytes = parquet_bytes(self.scored)

    def score(self, out, *more, lake=None):
        """The arguments of `score`."""
        return ["score", "--model", self.model, "--input", lake or self.lake, "--out", out, *more]

    def fit(self, model, *more, lake=None):
        pool = lake or self.lake
        return ["fit", "--trusted", self.trusted, "--pool", pool, "--model", model, *more]

    def clean(self, out, *more, lake=None):
        return ["clean", "--trusted", self.trusted, "--pool", lake or self.lake, "--out", out, *more]


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    return Sample(tmp_path_factory.mktemp("sample"))


@pytest.fixture
def lake(tmp_path):
    """A lake that a test may change."""
    return make_lake(tmp_path / "lake")


@pytest.fixture
def scored(sample, lake, tmp_path):
    """The lake and an output that is up to date."""
    run(*sample.score(tmp_path / "out", lake=lake))
    return lake, tmp_path / "out"
