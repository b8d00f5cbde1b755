"""The page that the program writes."""

import subprocess

import pytest
from support import PROGRAM, SAMPLE


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("program")
    report = folder / "report.html"
    subprocess.run(
        [PROGRAM, "clean", "--trusted", SAMPLE / "trusted.parquet", "--pool", SAMPLE / "pool.parquet",
         "--out", folder / "out.parquet", "--report", report],
        check=True, timeout=120, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return report


@pytest.mark.parametrize("width", [1000, 360])
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_of_the_sample_opens(browser, page, width, dark):
    browser.show(page, width=width, dark=dark)
    assert browser.log() == []
    assert browser.requests() == [page.as_uri()]
    assert not browser.scrolls_sideways()
    assert browser.texts("#summary p") != []
    charts = browser.ids("canvas")
    assert {"scores-chart", "plane-chart"} <= charts
    for chart in charts:
        assert sum(browser.colors(chart).values()) > 500, chart
