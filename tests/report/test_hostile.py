"""Ids that hold markup or code are shown as they are and do nothing."""

import pytest
from selenium.common.exceptions import NoAlertPresentException
from support import CANVASES, HOSTILE, SECTIONS, full_report, hostile_report, render


def elements(browser) -> dict[str, int]:
    """How often each kind of element occurs."""
    return browser.run(
        """
        const found = {};
        for (const one of document.querySelectorAll("*")) found[one.tagName] = (found[one.tagName] || 0) + 1;
        return found;
        """
    )


def check_unharmed(browser) -> None:
    assert browser.run("return typeof window.harmed") == "undefined"
    with pytest.raises(NoAlertPresentException):
        browser.driver.switch_to.alert.accept()


def harmless(report):
    """The same report with every hostile text replaced; it has the same elements."""
    if isinstance(report, dict):
        return {
            key if key not in HOSTILE else f"key {HOSTILE.index(key)}": harmless(value) for key, value in report.items()
        }
    if isinstance(report, list):
        return [harmless(value) for value in report]
    return "harmless" if isinstance(report, str) and any(text in report for text in HOSTILE) else report


def test_nothing_happens_and_no_element_is_added(browser, pages, tmp_path):
    browser.show(render(harmless(hostile_report()), tmp_path))
    expected = elements(browser)
    browser.show(pages["hostile"])
    assert elements(browser) == expected
    assert browser.ids("section") == SECTIONS
    assert browser.ids("canvas") == CANVASES
    assert browser.all("main script, main img, main b") == []
    attributes = "return Array.from(document.querySelectorAll('*')).flatMap((one) => one.getAttributeNames())"
    assert [name for name in browser.run(attributes) if name.startswith("on")] == []
    assert browser.log() == []
    check_unharmed(browser)


def test_text_is_shown_literally(browser, pages):
    browser.show(pages["hostile"])
    assert browser.driver.title.split() == " ".join(HOSTILE).split()
    for selector in ("#summary p", "#warnings li", "#facts th", "#facts td", "#kinds .id", "#groups tbody th"):
        assert browser.texts(selector) == HOSTILE, selector
    assert browser.texts("#kinds h3") == [f"Kind {text}, 3 rows" for text in HOSTILE]
    assert browser.texts("#groups h3") == [f"By {text}" for text in HOSTILE]
    assert browser.texts("#plane .note") == [" ".join(HOSTILE)]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_a_hostile_id_under_the_mouse_is_only_text(browser, tmp_path, number):
    report = full_report()
    report["plane"]["points"] = [{"x": 0, "y": 0, "kind": "dropped", "id": HOSTILE[number], "score": None}]
    browser.show(render(report, tmp_path))
    before = elements(browser)
    tooltip = browser.hover("plane-chart", "dropped", 0)
    assert tooltip == {"shown": True, "text": f" {HOSTILE[number]} (dropped)"}
    assert browser.texts("#plane .picked") == [f"{HOSTILE[number]}, dropped"]
    assert elements(browser) == before
    assert browser.log() == []
    check_unharmed(browser)


def test_only_pictures_in_the_data_are_shown(browser, tmp_path):
    report = full_report()
    images = [
        "http://127.0.0.1:9/x.png",
        "javascript:window.harmed=1",
        "data:text/html,<script>window.harmed=1</script>",
        "x.png",
        7,
    ]
    report["kinds"] = [
        {"name": "1", "rows": 5, "typical": [{"id": "a", "score": 1, "image": image} for image in images]}
    ]
    browser.show(render(report, tmp_path))
    assert browser.all("main img") == []
    assert browser.texts("#kinds .id") == ["a"] * 5
    check_unharmed(browser)


def test_code_in_a_picture_does_not_run(browser, tmp_path):
    report = full_report()
    image = (
        "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='8' height='8' onload='parent.harmed=1'>"
        "<script>parent.harmed=1</script></svg>"
    )
    report["kinds"] = [{"name": "1", "rows": 1, "typical": [{"id": "a", "score": 1, "image": image}]}]
    page = render(report, tmp_path)
    browser.show(page)
    assert len(browser.all("main img")) == 1
    assert browser.requests() == [page.as_uri()]
    check_unharmed(browser)
