"""What a run would do, without doing it."""

import pytest
from support import everything, make_lake, parquet_files, run

ROWS = sum(250 + 7 * number for number in range(6))


def check_plan(plan, sample, command):
    for key in ("files", "rows", "bytes", "outputs", "memory_bytes", "seconds"):
        assert key in plan, key
    assert plan["files"] == 6
    assert plan["rows"] == ROWS
    assert plan["bytes"] == sum(path.stat().st_size for path in parquet_files(sample.lake).values())
    if command != "score":
        assert plan["memory_bytes"]["fit"] > 0
        assert plan["seconds"]["fit"] > 0
    if command != "fit":
        assert plan["memory_bytes"]["score"] > 0
        assert plan["seconds"]["score"] > 0
    assert 0 < plan["seconds"]["total"] < 100


@pytest.mark.parametrize("command", ["fit", "score", "clean"])
def test_nothing_is_written(sample, tmp_path, command):
    arguments = getattr(sample, command)(tmp_path / "out")
    before = everything(sample.folder)
    plan = run(*arguments, "--dry-run", "--json").json
    check_plan(plan, sample, command)
    text = run(*arguments, "--dry-run").out
    assert f"{ROWS:,}" in text
    assert str(tmp_path / "out") in text
    assert everything(tmp_path) == {}
    assert everything(sample.folder) == before
    # Then it does what was said, in no more memory than was said.
    report = run(*arguments, "--json").json
    assert {output["path"] for output in plan["outputs"]} == {str(tmp_path / "out")}
    assert all(output["kind"] for output in plan["outputs"])
    planned = max(value for value in plan["memory_bytes"].values() if value is not None)
    assert report["peak_memory_bytes"] <= planned
    assert report.get("rows_in", ROWS) == ROWS


def test_plan_is_the_dry_run_of_clean(sample, tmp_path):
    options = sample.clean(
        tmp_path / "out", "--model", tmp_path / "m.safetensors", "--labels", tmp_path / "l.parquet",
        "--drop", "--dropped", tmp_path / "gone", "--fit-rows", 500, "--json",
    )[1:]  # fmt: skip
    dry = run("clean", *options, "--dry-run").json
    plan = run("plan", *options).json
    check_plan(plan, sample, "clean")
    assert plan["fit_rows"] == dry["fit_rows"] == 500
    assert plan["outputs"] == dry["outputs"]
    expected = {str(tmp_path / name) for name in ("out", "m.safetensors", "l.parquet", "gone")}
    assert {output["path"] for output in plan["outputs"]} == expected
    assert everything(tmp_path) == {}


def test_fit_rows_are_no_more_than_there_are(sample, tmp_path):
    assert run(*sample.fit(tmp_path / "m", "--fit-rows", 10**6, "--dry-run", "--json")).json["fit_rows"] == ROWS
    assert run(*sample.fit(tmp_path / "m", "--fit-rows", 321, "--dry-run", "--json")).json["fit_rows"] == 321


def test_a_fit_of_more_rows_is_expected_to_cost_more(sample, tmp_path):
    lake = make_lake(tmp_path / "lake", files=6, rows=8000)
    small, large = (
        run(*sample.fit(tmp_path / "m", "--fit-rows", rows, "--dry-run", "--json", lake=lake)).json
        for rows in (500, 40_000)
    )
    assert small["memory_bytes"]["fit"] < large["memory_bytes"]["fit"]
    assert small["seconds"]["fit"] < large["seconds"]["fit"]


@pytest.mark.parametrize("command", ["fit", "score", "clean"])
def test_errors_come_before_the_work(sample, tmp_path, command):
    """What would stop the run stops its plan too."""
    missing = getattr(sample, command)(tmp_path / "out", "--dry-run", lake=tmp_path / "none")
    assert "none" in run(*missing, expect=5).err
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "precious").write_text("precious")
    result = run(*getattr(sample, command)(taken, "--dry-run"), expect=1)
    assert str(taken) in result.err
