"""A fit on a sample of the lake: which rows it takes depends on the lake and the seed alone."""

import shutil
from collections import Counter

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support import parquet_files, run, tensors, write_file


@pytest.fixture(scope="module")
def sampled(sample, tmp_path_factory):
    """The bytes of a model of 600 rows."""
    model = tmp_path_factory.mktemp("sampled") / "m.safetensors"
    report = run(*sample.fit(model, "--fit-rows", 600, "--threads", 2, "--json")).json
    assert report["rows_pool"] == 600
    assert report["rows_trusted"] == 300
    return model.read_bytes()


def fitted(sample, tmp_path, *more, **where):
    run(*sample.fit(tmp_path / "m.safetensors", "--fit-rows", 600, *more, **where))
    return (tmp_path / "m.safetensors").read_bytes()


def test_the_number_of_threads_changes_nothing(sample, tmp_path, sampled):
    assert fitted(sample, tmp_path, "--threads", 1) == sampled


@pytest.mark.parametrize("order", ["forwards", "backwards"])
def test_the_order_of_the_paths_changes_nothing(sample, tmp_path, sampled, order):
    files = list(parquet_files(sample.lake).values())
    if order == "backwards":
        files.reverse()
    run(
        "fit", "--trusted", sample.trusted, "--pool", *files, "--model", tmp_path / "m.safetensors",
        "--fit-rows", 600,
    )  # fmt: skip
    assert (tmp_path / "m.safetensors").read_bytes() == sampled


def test_where_the_lake_lies_changes_nothing(sample, tmp_path, sampled):
    shutil.copytree(sample.lake, tmp_path / "elsewhere/other")
    assert fitted(sample, tmp_path, lake=tmp_path / "elsewhere/other") == sampled


def test_the_sample_is_not_the_first_rows(sample, tmp_path, sampled):
    # With other rows in the last file the model must be another: the sample reaches it.
    shutil.copytree(sample.lake, tmp_path / "lake")
    write_file(tmp_path / "lake/day=2/part-005.parquet", 285, 999, rows_per_group=1000, codec="none")
    assert fitted(sample, tmp_path, lake=tmp_path / "lake") != sampled


def test_a_sample_of_all_rows_is_no_sample(sample, tmp_path):
    for rows in (1_000_000, 0):
        report = run(*sample.fit(tmp_path / f"{rows}", "--fit-rows", rows, "--json")).json
        assert report["rows_pool"] == sum(250 + 7 * number for number in range(6))
        assert tensors(tmp_path / f"{rows}") == tensors(sample.model)


def test_another_seed_takes_other_rows(sample, tmp_path):
    # The paper's recipe has no folds, so that but for the sample the seed changes the network alone.
    options = ("--recipe", "paper", "--alpha", 10, "--k", 5, "--epochs", 1, "--hidden", 8, "--fit-rows", 200)
    first = run(*sample.fit(tmp_path / "a", *options, "--seed", 1, "--json")).json
    same = run(*sample.fit(tmp_path / "b", *options, "--seed", 1, "--json")).json
    other = run(*sample.fit(tmp_path / "c", *options, "--seed", 2, "--json")).json
    assert first["entropy"] == same["entropy"]
    assert first["entropy"] != other["entropy"]


def test_clean_scores_every_row_of_the_lake(sample, tmp_path):
    report = run(*sample.clean(tmp_path / "out", "--fit-rows", 600, "--json")).json
    assert report["rows_in"] == sum(250 + 7 * number for number in range(6))
    assert report["rows_pool"] == 600


def taken(sample, tmp_path, *more, **where):
    """The ids of the rows that a fit looked at: those to which its labels file gives a score."""
    labels = tmp_path / "labels.parquet"
    run(*sample.fit(tmp_path / "m.safetensors", "--labels", labels, "--overwrite", *more, **where))
    table = pq.read_table(labels, columns=["id", "spuna_neighbor_score"])
    return set(table.filter(pc.is_valid(table["spuna_neighbor_score"]))["id"].to_pylist())


def test_a_larger_sample_holds_the_smaller(sample, tmp_path):
    few, many = (taken(sample, tmp_path, "--fit-rows", count) for count in (400, 800))
    assert (len(few), len(many)) == (400, 800)
    assert few < many
    # Every file has its part: a quarter of the rows of each, give or take five deviations.
    for number in range(6):
        rows = 250 + 7 * number
        found = sum(name.startswith(f"part-{number:03}") for name in few)
        assert abs(found - rows * 400 / 1605) < 5 * (rows * 0.25 * 0.75) ** 0.5


def test_by_partition_takes_rows_of_every_partition(sample, tmp_path):
    """Each in proportion to its rows, and at least one row of the smallest."""
    write_file(tmp_path / "lake/source=large/large.parquet", 3000, 50, rows_per_group=2000)
    write_file(tmp_path / "lake/source=half/half.parquet", 1500, 51)
    for number in range(20):
        write_file(tmp_path / f"lake/source=tiny{number}/tiny{number}.parquet", 3, 60 + number)
    counts = {}
    for kind in ("uniform", "by-partition"):
        options = ("--fit-rows", 456, "--fit-sample", kind)
        found = taken(sample, tmp_path, *options, lake=tmp_path / "lake")
        # Rows that make a tiny partition's share a whole row may come on top.
        assert 456 <= len(found) <= 456 + 20
        counts[kind] = Counter(name.rpartition("-")[0] for name in found)
    tiny = {f"tiny{number}" for number in range(20)}
    assert not tiny <= set(counts["uniform"])
    assert tiny <= set(counts["by-partition"])
    assert abs(counts["by-partition"]["large"] - 2 * counts["by-partition"]["half"]) <= 4


@pytest.mark.parametrize("wrong", [("--fit-rows", -5), ("--fit-rows", "few"), ("--fit-sample", "some")])
def test_wrong_samples_are_refused(sample, tmp_path, wrong):
    result = run(*sample.fit(tmp_path / "m.safetensors", *wrong), expect=2)
    assert wrong[0].removeprefix("--") in result.err
