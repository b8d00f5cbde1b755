"""The page that the program writes."""

import subprocess

import pytest
from support import PROGRAM, SAMPLE


def run(*arguments):
    subprocess.run([PROGRAM, *arguments], check=True, timeout=120, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The page of a clean, and that of scoring the same pool with its model."""
    folder = tmp_path_factory.mktemp("program")
    clean, score, model = folder / "clean.html", folder / "score.html", folder / "model.safetensors"
    pool = SAMPLE / "pool.parquet"
    run("clean", "--trusted", SAMPLE / "trusted.parquet", "--pool", pool, "--out", folder / "cleaned.parquet",
        "--model", model, "--report", clean)  # fmt: skip
    run("score", "--model", model, "--input", pool, "--out", folder / "scored.parquet", "--report", score)
    return {"clean": clean, "score": score}


CHARTS = {"clean": {"scores-chart", "plane-chart"}, "score": {"scores-chart"}}


@pytest.mark.parametrize("command", ["clean", "score"])
@pytest.mark.parametrize("width", [1000, 360])
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_of_the_sample_opens(browser, pages, command, width, dark):
    page = pages[command]
    browser.show(page, width=width, dark=dark)
    assert browser.log() == []
    assert browser.requests() == [page.as_uri()]
    assert not browser.scrolls_sideways()
    assert browser.texts("#summary p") != []
    charts = browser.ids("canvas")
    assert CHARTS[command] <= charts
    assert command == "clean" or charts == CHARTS["score"]
    for chart in charts:
        assert sum(browser.colors(chart).values()) > 500, chart
