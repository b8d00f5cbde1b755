"""Light and dark, phone and paper."""

import base64
import re

import pytest
from support import CANVASES

WHITE = "rgb(255, 255, 255)"


def luminance(color: str) -> float:
    red, green, blue = (int(part) for part in re.findall(r"\d+", color)[:3])
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255


def pictures(browser) -> dict[str, str]:
    return browser.run(
        "return Object.fromEntries(Array.from(document.querySelectorAll('canvas'), (one) => [one.id, one.toDataURL()]))"
    )


def chart_colors(browser) -> list:
    """What the charts draw with: text, grid and the dropped points of the plane."""
    return browser.run(
        """
        const chart = Chart.getChart("plane-chart");
        const {ticks, grid} = chart.scales.x.options;
        return [ticks.color, grid.color, chart.getDatasetMeta(0).data[0].options.backgroundColor];
        """
    )


def test_dark_is_dark_from_the_start(browser, pages):
    browser.show(pages["full"], dark=True)
    assert luminance(browser.background()) < 0.15
    assert luminance(browser.run("return getComputedStyle(document.body).color")) > 0.8
    assert chart_colors(browser) == ["#a0a9b4", "#363d45", "#ff9a4d"]


def test_the_page_follows_from_light_to_dark_and_back(browser, pages):
    browser.show(pages["full"])
    assert browser.background() == WHITE
    light = pictures(browser)
    assert chart_colors(browser) == ["#59616b", "#d9dde2", "#c94f00"]
    browser.emulate(dark=True)
    browser.settle()
    assert luminance(browser.background()) < 0.15
    dark = pictures(browser)
    assert chart_colors(browser) == ["#a0a9b4", "#363d45", "#ff9a4d"]
    assert [name for name in CANVASES if dark[name] == light[name]] == []
    assert "201,79,0" not in browser.colors("plane-chart")
    browser.emulate()
    browser.settle()
    assert pictures(browser) == light
    assert browser.log() == []


def test_a_hidden_group_stays_hidden_in_the_dark(browser, pages):
    browser.show(pages["full"])
    browser.run("const chart = Chart.getChart('plane-chart'); chart.hide(0)")
    browser.emulate(dark=True)
    browser.settle()
    assert not browser.run("return Chart.getChart('plane-chart').isDatasetVisible(0)")


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_contrast(browser, pages, dark):
    browser.show(pages["full"], dark=dark)
    values = browser.run(
        """
        const style = getComputedStyle(document.documentElement);
        const names = ["paper", "ink", "soft", "trusted", "shifted", "kept", "warning-paper"];
        return Object.fromEntries(names.map((name) => [name, style.getPropertyValue("--" + name).trim()]));
        """
    )

    def linear(color: str) -> float:
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    def contrast(one: str, other: str) -> float:
        low, high = sorted((linear(values[one]), linear(values[other])))
        return (high + 0.05) / (low + 0.05)

    # The bounds of the Web Content Accessibility Guidelines for text, and for graphics.
    assert contrast("ink", "paper") > 7
    assert contrast("ink", "warning-paper") > 7
    assert contrast("soft", "paper") > 4.5
    for name in ("trusted", "shifted", "kept"):
        assert contrast(name, "paper") > 3, name


@pytest.mark.parametrize("name", ["full", "minimal", "hostile", "large"])
@pytest.mark.parametrize("width", [320, 360, 768])
def test_a_phone_scrolls_only_downwards(browser, pages, name, width):
    browser.show(pages[name], width=width, height=740)
    assert not browser.scrolls_sideways()
    # Nothing sticks out, but inside a box that scrolls by itself.
    wide = browser.run(
        """
        const edge = document.documentElement.clientWidth + 0.5;
        return Array.from(document.querySelectorAll("main *"))
          .filter((one) => one.closest(".scroll") === null && one.getBoundingClientRect().right > edge)
          .map((one) => one.outerHTML.slice(0, 100));
        """
    )
    assert wide == []
    if name == "full" and width <= 360:
        assert browser.run(
            "const box = document.querySelector('#groups .scroll'); return box.scrollWidth > box.clientWidth"
        )


def test_charts_follow_the_width_of_the_window(browser, pages):
    browser.show(pages["full"], width=1000)
    wide = browser.run("return document.getElementById('scores-chart').clientWidth")
    browser.command("Emulation.setDeviceMetricsOverride", width=500, height=900, deviceScaleFactor=1, mobile=False)
    browser.settle()
    browser.settle()
    assert wide > 700
    assert 300 < browser.run("return document.getElementById('scores-chart').clientWidth") < 500
    assert not browser.scrolls_sideways()


@pytest.mark.parametrize("dark", [False, True])
def test_paper_is_white_and_ink_dark(browser, pages, dark):
    browser.show(pages["full"], dark=dark)
    screen = pictures(browser)
    browser.emulate(dark=dark, media="print")
    browser.settle()
    assert browser.background() == WHITE
    assert luminance(browser.run("return getComputedStyle(document.body).color")) < 0.2
    assert chart_colors(browser) == ["#59616b", "#d9dde2", "#c94f00"]
    assert browser.run("return getComputedStyle(document.querySelector('#groups button')).display") == "none"
    sizes = browser.run(
        "return Array.from(document.querySelectorAll('canvas'), (one) => Math.min(one.clientWidth, one.clientHeight))"
    )
    assert min(sizes) > 100
    browser.emulate(dark=dark)
    browser.settle()
    browser.settle()
    assert pictures(browser) == screen


def test_printing_from_the_dark_recolors_before_and_after(browser, pages):
    browser.show(pages["full"], dark=True)
    browser.run(
        """
        window.seen = [];
        const look = () => window.seen.push(Chart.getChart("plane-chart").scales.x.options.ticks.color);
        addEventListener("beforeprint", look);
        addEventListener("afterprint", look);
        """
    )
    pdf = base64.b64decode(browser.command("Page.printToPDF", printBackground=True)["data"])
    browser.settle()
    assert pdf.startswith(b"%PDF") and len(pdf) > 50_000
    assert browser.run("return window.seen") == ["#59616b", "#a0a9b4"]
    assert chart_colors(browser)[0] == "#a0a9b4"
