"""What the charts draw, and what they say of a point."""

import pytest
from support import CANVASES, full_report, points, render


@pytest.mark.parametrize("name", ["full", "large"])
@pytest.mark.parametrize("width", [1000, 360])
def test_no_chart_is_blank(browser, pages, name, width):
    browser.show(pages[name], width=width)
    empty = browser.run(
        """
        return Array.from(document.querySelectorAll("canvas"), (canvas) => {
          const other = document.createElement("canvas");
          other.width = canvas.width;
          other.height = canvas.height;
          return canvas.toDataURL() === other.toDataURL() || canvas.width < 250 || canvas.height < 200;
        });
        """
    )
    assert empty == [False] * len(CANVASES)
    for canvas in CANVASES:
        assert sum(browser.colors(canvas).values()) > 500, canvas


def test_colors_tell_trusted_kept_and_shifted_apart(browser, pages):
    browser.show(pages["full"])
    for canvas in ("scores-chart", "plane-chart"):
        found = browser.colors(canvas)
        for color in ("0,103,177", "130,139,150", "201,79,0"):
            assert found.get(color, 0) > 100, (canvas, color)


@pytest.mark.parametrize("width", [1000, 360])
@pytest.mark.parametrize("kind, index", [("trusted", 3), ("kept", 5), ("dropped", 0), ("dropped", 40)])
def test_a_point_of_the_plane_tells_its_id(browser, pages, width, kind, index):
    browser.show(pages["full"], width=width)
    point = [one for one in full_report()["plane"]["points"] if one["kind"] == kind][index]
    tooltip = browser.hover("plane-chart", kind, index)
    assert tooltip["shown"]
    score = f", score {point['score']:.3g}" if point["score"] is not None else ""
    assert f" {point['id']} ({kind}{score})" in tooltip["text"].split("\n")


def test_a_point_among_thousands_tells_its_id(browser, pages):
    browser.show(pages["large"])
    dropped = [one for one in points(5000) if one["kind"] == "dropped"]
    index = max(range(len(dropped)), key=lambda number: dropped[number]["x"])
    assert browser.run("return Chart.getChart('plane-chart').data.datasets.map((set) => set.data.length)") == [
        1666,
        1667,
        1667,
    ]
    assert dropped[index]["id"] in browser.hover("plane-chart", "dropped", index)["text"]
    assert browser.texts("#plane .picked")[0].startswith(dropped[index]["id"] + ", dropped, score ")


def test_rows_at_one_place_are_told_together(browser, tmp_path):
    report = full_report()
    same = [{"x": 0, "y": 0, "kind": "kept", "id": f"same-{number}", "score": 0.25} for number in range(7)]
    report["plane"]["points"] = [*same, {"x": 1, "y": 1, "kind": "kept", "id": "other", "score": 0.5}]
    browser.show(render(report, tmp_path))
    assert browser.hover("plane-chart", "kept", 0)["text"].split("\n") == [
        f" same-{number} (kept, score 0.25)" for number in range(4)
    ]
    assert browser.hover("plane-chart", "kept", 7)["text"] == " other (kept, score 0.5)"


def test_a_long_id_is_shortened_in_the_tooltip_and_whole_below(browser, tmp_path):
    report = full_report()
    name = "s3://lake/" + "x" * 300 + "/end.png"
    report["plane"]["points"] = [{"x": 0, "y": 0, "kind": "kept", "id": name, "score": 0.25}]
    browser.show(render(report, tmp_path), width=360)
    text = browser.hover("plane-chart", "kept", 0)["text"]
    assert text.startswith(" s3://lake/x") and "…" in text and len(text) < 60
    assert browser.texts("#plane .picked") == [name + ", kept, score 0.25"]
    assert not browser.scrolls_sideways()


def test_the_legend_hides_a_group(browser, pages):
    browser.show(pages["full"])
    browser.run("document.getElementById('plane-chart').scrollIntoView({block: 'center'})")
    before = browser.colors("plane-chart")
    place = browser.run(
        """
        const chart = Chart.getChart("plane-chart");
        const box = chart.canvas.getBoundingClientRect();
        const hit = chart.legend.legendHitBoxes[0];
        return {x: box.left + hit.left + hit.width / 2, y: box.top + hit.top + hit.height / 2};
        """
    )
    for kind in ("mousePressed", "mouseReleased"):
        browser.command("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)
    browser.settle()
    after = browser.colors("plane-chart")
    assert before["201,79,0"] > 1000
    assert after.get("201,79,0", 0) < 100  # what the legend itself shows
    assert after["0,103,177"] > 1000


def test_the_histogram_shows_shares_of_each_total(browser, pages):
    browser.show(pages["full"])
    scores = full_report()["scores"]
    data = browser.run("return Chart.getChart('scores-chart').data.datasets.map((set) => set.data.map((bar) => bar.y))")
    assert sum(data[0]) == pytest.approx(1)
    assert sum(data[1]) == pytest.approx(-1)
    assert data[0][3] == pytest.approx(scores["pool"][3] / sum(scores["pool"]))
    text = browser.hover("scores-chart", "pool", 2)["text"]
    assert text.split("\n")[0] == "score 0.04 to 0.06"
    assert f"{scores['pool'][2]} rows" in text and f"{scores['trusted'][2]} rows" in text


def marked(browser, canvas: str) -> list[dict]:
    return browser.run("return Chart.getChart(arguments[0]).config.options.plugins.markedLines.lines", canvas)


def test_thresholds_and_stops_are_marked(browser, pages):
    browser.show(pages["full"])
    assert marked(browser, "scores-chart") == [{"axis": "x", "value": 0.5, "text": "threshold 0.5"}]
    assert marked(browser, "entropy-chart") == [{"axis": "x", "value": 4, "text": "stop: entropy"}]
    assert marked(browser, "history-evidence-chart") == [{"axis": "y", "value": 20, "text": "needed: 20"}]
    # A column of dark pixels between the bars: the line is drawn, not only asked for.
    dark = browser.run(
        """
        const chart = Chart.getChart("scores-chart");
        const x = Math.round(chart.scales.x.getPixelForValue(0.5));
        const {top, bottom} = chart.chartArea;
        const {data} = chart.ctx.getImageData(x - 1, top, 3, bottom - top);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) count += data[i + 3] > 200 && data[i] < 80 ? 1 : 0;
        return count / (bottom - top);
        """
    )
    assert dark > 0.4


def test_batches_tell_share_and_finding(browser, pages):
    browser.show(pages["full"])
    text = browser.hover("history-share-chart", "share shifted", 7)["text"]
    assert text == "batch 8\n2026-01-08 00:00:00Z\n 19% (16% to 23%) of 200 rows"
    assert browser.hover("history-evidence-chart", "evidence", 8)["text"].endswith(" evidence 8,900")
    footer = "return Chart.getChart('history-evidence-chart').tooltip.footer"
    assert browser.run(footer) == ["shift found"]
    browser.hover("history-evidence-chart", "evidence", 0)
    assert browser.run(footer) == []
