"""What a page shows, and that it asks nobody for anything."""

import re

import pytest
from support import CANVASES, SECTIONS, full_report, render, tiny_png

NAMES = ["full", "minimal", "hostile", "large"]


@pytest.mark.parametrize("name", NAMES)
def test_the_console_stays_empty(browser, pages, name):
    browser.show(pages[name])
    assert browser.log() == []


def test_the_console_is_heard(browser, tmp_path):
    report = full_report()
    report["scores"]["edges"] = 7
    browser.show(render(report, tmp_path))
    assert len(browser.log()) == 1
    assert browser.texts("#scores .note") == ["This part can't be shown: data.edges.slice is not a function"]
    assert browser.ids("canvas") == CANVASES  # the other parts are still there


@pytest.mark.parametrize("name", ["full", "large"])
def test_every_part_is_there(browser, pages, name):
    browser.show(pages[name])
    assert browser.ids("section") == SECTIONS
    assert browser.ids("canvas") == CANVASES
    report = full_report()
    assert browser.texts("h1") == [report["title"]]
    assert browser.driver.title == report["title"]
    assert browser.texts("#summary p") == report["summary"]
    assert browser.texts("#warnings li") == report["warnings"]
    assert [list(pair) for pair in zip(browser.texts("#facts th"), browser.texts("#facts td"))] == report["facts"]
    assert "peak memory123 MB" in browser.texts("#making tr")
    assert browser.texts("#kinds h3") == ["Kind 1, 320 rows", "Kind 2, 1 row"]


def test_the_summary_comes_first(browser, pages):
    browser.show(pages["full"])
    order = browser.run("return Array.from(document.querySelector('main').children, (one) => one.id || one.tagName)")
    assert order[:5] == ["H1", "DIV", "summary", "warnings", "facts"]
    size = "return parseFloat(getComputedStyle(document.querySelector(arguments[0])).fontSize)"
    assert browser.run(size, "#summary p") > browser.run(size, "#scores .how")


def test_parts_without_data_are_left_out(browser, pages):
    browser.show(pages["minimal"])
    assert browser.ids("section") == set()
    assert browser.ids("canvas") == set()
    assert browser.texts("main") == ["smallNothing is shifted."]


@pytest.mark.parametrize("part", sorted(SECTIONS - {"making"}))
def test_each_part_stands_alone(browser, tmp_path, part):
    report = full_report()
    alone = {"title": "one", "summary": ["One part."], part: report[part]}
    browser.show(render(alone, tmp_path))
    assert browser.ids("section") == {part}
    assert browser.log() == []


def test_values_inside_a_part_may_be_missing(browser, tmp_path):
    report = full_report()
    report["scores"] |= {"trusted": None, "threshold": None}
    report["entropy"] |= {"stop_round": None}
    report["plane"] |= {"note": None}
    report["evidence_needed"] = None
    for row in report["rounds"]:
        row |= {"purity_clean": None, "purity_shifted": None}
    for row in report["groups"][0]["rows"]:
        row |= {"value": None, "share": None, "low": None, "high": None}
    for batch in report["history"]:
        batch |= {"time": None, "low": None, "high": None}
    report["history"][2]["evidence"] = 0
    for kind in report["kinds"]:
        kind["typical"][0]["score"] = None
    browser.show(render(report, tmp_path))
    assert browser.log() == []
    assert browser.ids("canvas") == CANVASES
    assert browser.texts(".note") == []


def test_charts_are_described(browser, pages):
    browser.show(pages["full"])
    canvases = browser.all("canvas")
    assert len(canvases) == len(CANVASES)
    for canvas in canvases:
        assert canvas.get_attribute("role") == "img"
        assert len(canvas.get_attribute("aria-label")) > 20
    for section in SECTIONS - {"warnings", "facts", "making"}:
        assert len(browser.texts(f"#{section} h2 + .how")) == 1, section


def test_pictures_are_shown_where_there_are_some(browser, pages):
    browser.show(pages["full"])
    loaded = "return Array.from(document.images, (one) => [one.alt, one.naturalWidth])"
    assert browser.run(loaded) == [[f"img-{number}", 8] for number in range(6)]


def test_rows_of_highest_score_are_shown_in_their_order(browser, tmp_path):
    report = full_report()
    report["highest"][1]["image"] = tiny_png(1, 2, 3)
    browser.show(render(report, tmp_path))
    assert browser.texts("#highest .id") == [f"high-{number}" for number in range(12)]
    assert browser.texts("#highest .score")[:2] == ["score 1", "score 0.99"]
    assert len(browser.all("#highest img")) == 1


def test_scores_without_trusted_rows_are_not_said_to_have_some(browser, tmp_path):
    report = full_report()
    texts = []
    for trusted in (report["scores"]["trusted"], None):
        report["scores"]["trusted"] = trusted
        browser.show(render(report, tmp_path))
        label = browser.all("#scores-chart")[0].get_attribute("aria-label")
        texts.append(browser.texts("#scores .how")[0] + label)
    assert "trusted" in texts[0]
    assert "trusted" not in texts[1]


def test_long_tables_open_on_request(browser, pages):
    browser.show(pages["full"])
    tables = "return Array.from(document.querySelectorAll('#groups tbody'), (one) => one.rows.length)"
    assert browser.run(tables) == [3, 50]
    buttons = browser.all("#groups button")
    assert [button.text for button in buttons] == ["Show all 120"]
    browser.run("arguments[0].scrollIntoView({block: 'center'})", buttons[0])
    buttons[0].click()
    assert browser.run(tables) == [3, 120]
    assert browser.all("#groups button") == []
    # The order is the report's.
    first = [row["value"] for row in full_report()["groups"][1]["rows"]]
    assert browser.texts("#groups table.groups tbody th")[3:] == first


def test_bars_of_groups_have_the_length_of_the_share(browser, pages):
    browser.show(pages["full"])
    lengths = browser.run(
        """
        const bar = document.querySelector("#groups .bar");
        const box = bar.getBoundingClientRect();
        const fill = bar.querySelector(".fill").getBoundingClientRect();
        const interval = bar.querySelector(".interval").getBoundingClientRect();
        return [fill.width, interval.left - box.left, interval.right - box.left].map((value) => value / box.width);
        """
    )
    assert lengths == pytest.approx([0.75, 0.67, 0.84], abs=0.01)


@pytest.mark.parametrize("name", NAMES)
def test_no_request_leaves_the_page(browser, pages, name):
    browser.show(pages[name])
    assert browser.requests() == [pages[name].as_uri()]
    addresses = browser.run(
        """
        const address = (one) => one.getAttribute("src") || one.getAttribute("href");
        return Array.from(document.querySelectorAll("[src], [href]"), address);
        """
    )
    assert addresses != []
    assert [address for address in addresses if not address.startswith("data:")] == []


def test_the_page_may_not_ask_anybody(browser, pages):
    text = pages["minimal"].read_text()
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text).group(1)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules.pop("default-src") == "'none'"
    assert set(" ".join(rules.values()).split()) == {"'unsafe-inline'", "'none'", "data:"}
    browser.show(pages["minimal"])
    refused = browser.driver.execute_async_script(
        """
        const done = arguments[0];
        const image = new Image();
        image.onerror = () => fetch("http://127.0.0.1:9/").then(() => done("fetched"), () => done("refused"));
        image.onload = () => done("loaded");
        image.src = "http://127.0.0.1:9/x.png";
        """
    )
    assert refused == "refused"
    assert len([line for line in browser.log() if "Content Security Policy" in line]) >= 2


def test_the_license_of_the_charts_is_in_the_page(pages):
    text = pages["minimal"].read_text()
    assert re.search(
        r"Chart\.js v3\.\d+\.\d+\n.*\n \* \(c\) \d+ Chart\.js Contributors\n \* Released under the MIT License", text
    )
