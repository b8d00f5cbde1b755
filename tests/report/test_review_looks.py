"""A review on a phone, in the dark, by keyboard alone, with a screen reader, and with many rows."""

import base64
import random
import re

import pytest
from review_support import other, review, row
from selenium.webdriver.common.keys import Keys

MOST_BYTES = 10_000_000
MOST_MILLISECONDS = 2000


def luminance(color: str) -> float:
    red, green, blue = (int(part) for part in re.findall(r"\d+", color)[:3])
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255


def rows_of_every_look() -> list[dict]:
    long = "word " * 80 + "x" * 400
    return [
        row(0),
        row(1, id="i" * 300, picture=None, text=long, nearest_trusted=other("t" * 300, text=long),
            neighbors=[other("n" * 200, 0.5, text=long)] * 3),
        row(2, picture=None, values=[["n" * 90, "v" * 300], ["short", long]],
            nearest_trusted=other("t", values=[["n" * 90, "v"]]), neighbors=[other("n", values=[["a" * 99, "b" * 99]])]),
        row(3, why="w" * 300, file="f" * 300),
    ]  # fmt: skip


@pytest.mark.parametrize("width", [320, 360, 768, 1400])
def test_the_page_scrolls_only_downwards(person, width):
    contents = review(rows_of_every_look(), title="t" * 200, next="spuna " + "x" * 300, about=["a" * 300])
    person.open(contents, width=width, height=740)
    for _ in range(len(contents["rows"])):
        assert not person.browser.scrolls_sideways(), person.place
        person.click("show-score")
        assert not person.browser.scrolls_sideways(), person.place
        person.press(Keys.ARROW_RIGHT)
    assert person.sees("#end")
    assert not person.browser.scrolls_sideways()


def test_buttons_are_large_enough_for_a_thumb(person):
    person.open(review(3), width=360, height=740)
    person.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    sizes = []
    for _ in range(2):  # the last row, then the end
        sizes += person.browser.run(
            """
            return Array.from(document.querySelectorAll("button, summary"))
              .filter((one) => one.checkVisibility())
              .map((one) => [one.textContent, one.offsetWidth, one.offsetHeight]);
            """
        )
        person.press(Keys.ARROW_RIGHT)
    assert len(sizes) > 15
    assert [size for size in sizes if min(size[1:]) < 44] == []


def test_on_a_phone_the_row_and_the_buttons_are_in_sight_together(person):
    person.open(review(5), width=360, height=740)
    person.click("clean")
    boxes = person.browser.run(
        """
        return ["#progress", "#pair", "#actions"].map((one) => {
          const box = document.querySelector(one).getBoundingClientRect();
          return [box.top, box.bottom];
        });
        """
    )
    assert boxes[0][0] >= 0
    assert boxes[1][1] <= boxes[2][0]
    assert boxes[2][1] <= 740
    left = person.browser.run("return Array.from(document.querySelectorAll('#pair img'), (one) => one.offsetLeft)")
    assert left[1] - left[0] > 100  # side by side


def test_two_pictures_are_at_the_same_height_whatever_their_captions(person):
    person.open(review([row(0, id="a long id " * 20)]))
    person.click("show-score")
    tops = person.browser.run("return Array.from(document.querySelectorAll('#pair img'), (one) => one.offsetTop)")
    assert len(tops) == 2 and tops[0] == tops[1]


def test_dark_is_dark(person):
    person.open(review(3))
    assert person.browser.background() == "rgb(255, 255, 255)"
    person.browser.emulate(dark=True)
    assert luminance(person.browser.background()) < 0.15
    assert luminance(person.browser.run("return getComputedStyle(document.body).color")) > 0.8


@pytest.mark.parametrize("dark", [False, True])
def test_answers_can_be_read_pressed_or_not(person, dark):
    person.open(review(3), dark=dark)
    person.browser.command(
        "Emulation.setEmulatedMedia",
        features=[
            {"name": "prefers-reduced-motion", "value": "reduce"},
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
        ],
    )
    person.mark("shifted", "clean", "unsure")

    def linear(color: str) -> float:
        parts = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
        parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    for _ in range(3):
        person.press("b")
        buttons = person.browser.run(
            """
            return Array.from(document.querySelectorAll("#verdicts button"), (one) => {
              const {color, backgroundColor} = getComputedStyle(one);
              return [color, backgroundColor, getComputedStyle(one).transitionDuration];
            });
            """
        )
        for color, ground, duration in buttons:
            low, high = sorted((linear(color), linear(ground)))
            assert (high + 0.05) / (low + 0.05) > 4.5, (color, ground)
            assert duration == "0s"


def test_a_screen_reader_hears_of_answers_and_counts(person):
    person.open(review(3))
    live = "return Array.from(document.querySelectorAll('[aria-live=polite]'), (one) => [one.id, one.textContent])"
    assert person.browser.run(live) == [["counts", "0 shifted, 0 clean, 0 unsure, 3 open"], ["said", ""]]
    person.mark("clean")
    assert person.browser.run(live) == [
        ["counts", "0 shifted, 1 clean, 0 unsure, 2 open"],
        ["said", "img-0: clean. Now row 2 of 3."],
    ]
    bar = person.browser.run(
        "return ['role', 'aria-valuenow', 'aria-valuemax', 'aria-valuetext', 'aria-label']"
        ".map((name) => document.getElementById('progress').getAttribute(name))"
    )
    assert bar == ["progressbar", "1", "3", "1 of 3 rows answered", "Rows answered"]


def test_everything_has_a_name(person):
    person.open(review(rows_of_every_look()))
    for _ in range(5):
        nodes = person.browser.command("Accessibility.getFullAXTree")["nodes"]
        roles = ("button", "image", "progressbar", "region", "heading")
        named = [node for node in nodes if not node["ignored"] and node["role"]["value"] in roles]
        assert len(named) > 10
        assert [node for node in named if not node.get("name", {}).get("value")] == []
        assert person.browser.all("[role=group]:not([aria-label])") == []
        person.press(Keys.ARROW_RIGHT)


def test_tab_goes_through_the_page_and_out(person):
    person.open(review([row(0, picture=None, text="a text", nearest_trusted=other("t", text="another"))]))
    seen = []
    for _ in range(40):
        person.press(Keys.TAB)
        name = "return document.activeElement.dataset.do || document.activeElement.getAttribute('aria-label') || "
        seen.append(person.browser.run(name + "document.activeElement.tagName"))
        if seen[-1] == "BODY" or seen.count(seen[0]) > 1:
            break
    order = [
        "save-csv", "save-json", "SUMMARY", "This row, img-0", "Nearest trusted row, t", "show-score", "shifted",
        "clean", "unsure", "back", "undo", "forward", "keys",
    ]  # fmt: skip
    assert seen[: len(order)] == order
    assert len(seen) == len(order) + 1  # and then out, or around


def test_focus_stays_on_the_button_that_was_pressed(person):
    person.open(review(3))
    for _ in range(2):
        person.click("clean")
        assert person.browser.run("return document.activeElement.dataset.do") == "clean"
    person.click("clean")
    assert person.browser.run("return document.activeElement.id") == "end-title"


def test_another_tab_shares_the_answers(person):
    person.open(review(3))
    driver = person.browser.driver
    first = driver.current_window_handle
    driver.switch_to.new_window("tab")
    try:
        driver.get(person.page.as_uri())
        person.mark("shifted")
    finally:
        driver.close()
        driver.switch_to.window(first)
    person.browser.settle()
    assert person.counts == "1 shifted, 0 clean, 0 unsure, 2 open"
    assert (person.place, person.pressed) == ("1 of 3", ["shifted"])
    person.press(Keys.ARROW_RIGHT)
    person.mark("clean")
    assert person.counts == "1 shifted, 1 clean, 0 unsure, 1 open"


def test_two_hundred_rows_are_small_and_ready_soon(person):
    chance = random.Random(1)

    def picture() -> str:
        return "data:image/jpeg;base64," + base64.b64encode(chance.randbytes(14_983)).decode()  # 20,000 characters

    rows = [row(n, picture=picture(), nearest_trusted=other("t", picture=picture()), neighbors=[]) for n in range(200)]
    page = person.open(review(rows))
    assert page.stat().st_size < MOST_BYTES
    ready = person.browser.run(
        "const [entry] = performance.getEntriesByType('navigation'); return entry.domContentLoadedEventEnd"
    )
    assert 0 < ready < MOST_MILLISECONDS
    person.mark(*["clean"] * 5)
    assert person.place == "6 of 200"
