"""Reviews to test with, their pages, and a person who answers them."""

from __future__ import annotations

import csv
import io
import json
import time
from pathlib import Path

from support import HOSTILE, Browser, render, tiny_png

COLUMNS = ["id", "file", "row", "score", "why", "drawn", "probability", "input", "verdict"]
KEYS = {"shifted": "s", "clean": "c", "unsure": "u"}
VERDICTS = list(KEYS)
# Ids that a careless writer of CSV or JSON would change.
AWKWARD = [
    "plain", "a,b", 'say "yes"', '"', "two\nlines", "two\r\nlines", "\r", " leads and trails ", "\ttab", "", "ünï 😀",
    "007", "1e5", "NaN", "null", "=1+1", "a;b|c", "'", "\\", "\\n", *HOSTILE,
]  # fmt: skip


def other(name: str, distance: float | None = None, **parts) -> dict:
    return {"id": name, "distance": distance, "picture": None, "text": None, "values": []} | parts


def row(number: int, **parts) -> dict:
    """A row with pictures all around."""
    made = {
        "id": f"img-{number}",
        "file": "lake/part-0.parquet",
        "row": number,
        "score": 0.91 - number / 100,
        "why": "score near the threshold",
        "drawn": "near",
        "probability": 0.25,
        "input": "pool",
        "keep": number % 2 == 0,
        "picture": tiny_png(200, 20 * number % 256, 40),
        "text": None,
        "values": [["camera", "3"], ["day", "Monday"]],
        "neighbors": [other(f"near-{number}-{n}", 0.1 * n, picture=tiny_png(180, 60 * n, 90)) for n in range(1, 5)],
        "nearest_trusted": other(f"trusted-{number}", 0.7, picture=tiny_png(40, 90, 200)),
        "nearest_trusted_distance": 0.7,
    }
    return made | parts


def review(rows: list[dict] | int = 5, **parts) -> dict:
    made = {
        "title": "spuna review",
        "subtitle": "lake/, 1,500 rows",
        "about": ["Does each row belong to the trusted ones?", "Answer by what you see."],
        "next": "spuna check review.csv --model model.safetensors",
        "key": "test",
        "columns": COLUMNS,
        "rows": [row(number) for number in range(rows)] if isinstance(rows, int) else rows,
        "answered": [],
    }
    return made | parts


class Person:
    """Someone at a page, with the marks of earlier pages forgotten."""

    def __init__(self, browser: Browser, folder: Path):
        self.browser = browser
        self.folder = folder
        self.page: Path | None = None

    def open(self, contents: dict, name: str = "review.html", *, fresh: bool = True, **window) -> Path:
        self.page = render(contents, self.folder, name, "review")
        if fresh:
            self.browser.show(self.page)
            self.browser.run("localStorage.clear()")
        self.browser.show(self.page, **window)
        return self.page

    def again(self) -> None:
        """The same page, opened anew."""
        self.browser.show(self.page)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.browser.driver.switch_to.active_element.send_keys(key)

    def click(self, action: str, place: str = "") -> None:
        button = self.browser.all(f'{place} button[data-do="{action}"]')[0]
        # The answers stay in sight and lie over the rest: who wants a button below them scrolls.
        scroll = "if (!arguments[0].closest('#actions')) arguments[0].scrollIntoView({block: 'center'})"
        self.browser.driver.execute_script(scroll, button)
        button.click()

    def mark(self, *verdicts: str) -> None:
        self.press(*(KEYS[verdict] for verdict in verdicts))

    def text(self, selector: str) -> str:
        (text,) = self.browser.texts(selector)
        return text

    @property
    def place(self) -> str:
        return self.text("#place")

    @property
    def id(self) -> str:
        return self.text(".this .id")

    @property
    def counts(self) -> str:
        return self.text("#counts")

    @property
    def said(self) -> str:
        return self.text("#said")

    @property
    def pressed(self) -> list[str]:
        return self.browser.run(
            "return Array.from(document.querySelectorAll('#verdicts [aria-pressed=true]'), (one) => one.dataset.do)"
        )

    def sees(self, selector: str) -> bool:
        return any(one.is_displayed() for one in self.browser.all(selector))

    def warned_on_leaving(self) -> bool:
        return self.browser.run(
            "const event = new Event('beforeunload', {cancelable: true}); return !dispatchEvent(event)"
        )

    # --- saved files

    def save(self, action: str = "save-csv", place: str = "header") -> str:
        """Clicks a button and reads the downloaded file, as it is."""
        name = {"save-csv": "review.csv", "save-json": "review.jsonl"}[action]
        target = self.folder / name
        target.unlink(missing_ok=True)
        self.browser.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.folder))
        self.click(action, place)
        end = time.monotonic() + 20
        while not target.exists() or list(self.folder.glob("*.crdownload")):
            assert time.monotonic() < end, f"no {name} in {list(self.folder.iterdir())}"
            time.sleep(0.02)
        return target.read_bytes().decode()

    def saved_csv(self, place: str = "header") -> list[dict]:
        return list(csv.DictReader(io.StringIO(self.save("save-csv", place), newline=""), strict=True))

    def saved_json(self, place: str = "header") -> list[dict]:
        return [json.loads(line) for line in self.save("save-json", place).split("\n")[:-1]]


def saved_row(shown: dict, verdict: str) -> dict:
    """What JSON lines should have of a row."""
    return {column: shown.get(column) for column in COLUMNS} | {"verdict": verdict}


def as_csv(saved: dict) -> dict:
    """The same as CSV has it: all text, null as nothing."""
    return {column: "" if value is None else str(value) for column, value in saved.items()}
