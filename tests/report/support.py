"""Reports to test with, their pages, and a browser to open them in."""

from __future__ import annotations

import base64
import json
import os
import random
import struct
import subprocess
import zlib
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By

PROGRAM = os.environ["SPUNA_PROGRAM"]
RENDERER = os.environ["SPUNA_REPORT_RENDERER"]
SAMPLE = Path(__file__).parents[2] / "examples" / "quickstart"

CANVASES = {
    "history-share-chart", "history-evidence-chart", "scores-chart", "plane-chart", "reliability-chart",
    "rounds-chart", "entropy-chart",
}  # fmt: skip
SECTIONS = {
    "warnings", "facts", "history", "scores", "plane", "kinds", "highest", "groups", "reliability", "rounds", "entropy",
    "making",
}  # fmt: skip

# Ids that would do something if a page took them for markup or code.
HOSTILE = [
    "</script><script>window.harmed = 1</script>",
    '<img src=x onerror="window.harmed = 2">',
    "<!--<script>",
    '" onmouseover="window.harmed = 3" x="',
    "javascript:window.harmed=4",
    "${window.harmed = 5}",
    "{{script}}",
    "\u2028window.harmed = 6\u2029",
    "&lt;b&gt; &amp; <b>",
    "__proto__",
]


# --- reports


def tiny_png(red: int, green: int, blue: int) -> str:
    """A PNG of 8 x 8 pixels of one color, as a data: URI."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = (b"\0" + bytes([red, green, blue]) * 8) * 8
    header = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(data).decode()


def points(count: int, seed: int = 1) -> list[dict]:
    """Points of all three kinds, in turns; dropped ones lie apart."""
    chance = random.Random(seed)
    made = []
    for number in range(count):
        kind = ("trusted", "kept", "dropped")[number % 3]
        x = chance.gauss(4 if kind == "dropped" else 0, 1)
        score = {"trusted": None, "kept": chance.uniform(0, 0.4), "dropped": chance.uniform(0.6, 1)}[kind]
        made.append({"x": x, "y": chance.gauss(0, 1), "kind": kind, "id": f"img-{number}", "score": score})
    return made


def group(value: str, rows: int, share: float) -> dict:
    return {
        "value": value, "rows": rows, "dropped": round(rows * share), "share": share,
        "low": max(0.0, share - 0.08), "high": min(1.0, share + 0.09),
    }  # fmt: skip


def typical(number: int) -> dict:
    return {"id": f"img-{number}", "score": 0.99 - number / 1000, "image": tiny_png(200, 20 * number % 256, 40)}


def full_report() -> dict:
    """A report with every part."""
    bins = 50
    pool = [round(400 * 0.75**i) for i in range(bins // 2)]
    return {
        "title": "spuna report",
        "subtitle": "pool.parquet, 1,500 rows",
        "summary": [
            "About 30% of the 1,500 rows of the pool are shifted: 452 rows were dropped and 1,048 kept.",
            "The shift is clear: trusted and dropped rows are told apart almost always.",
        ],
        "warnings": ["12 rows have no valid embedding; their score is null."],
        "facts": [
            ["rows in", "1,500"], ["rows kept", "1,048"], ["rows dropped", "452"],
            ["share shifted (estimate)", "30.1%"], ["rows without a score", "12"],
        ],
        "scores": {
            "edges": [i / bins for i in range(bins + 1)],
            "pool": pool + [round(0.45 * value) for value in reversed(pool)],
            "trusted": [round(0.6 * value) for value in pool] + [0] * (bins // 2),
            "threshold": 0.5,
        },
        "reliability": {
            "bins": [
                {"score": score / 100, "shifted": (score / 100) ** 1.3, "rows": 70 + 6 * abs(score - 50)}
                for score in range(5, 100, 10)
            ]
        },
        "entropy": {"values": [3.025, 4.206, 4.386, 4.389, 4.101], "stopped_by": "entropy", "stop_round": 4},
        "rounds": [
            {"round": 0, "clean": 30, "shifted": 30, "purity_clean": 0.98, "purity_shifted": 0.97},
            {"round": 1, "clean": 210, "shifted": 90, "purity_clean": 0.97, "purity_shifted": 0.96},
            {"round": 2, "clean": 210, "shifted": 90, "purity_clean": 0.95, "purity_shifted": 0.93},
            {"round": 3, "clean": 210, "shifted": 90, "purity_clean": None, "purity_shifted": 0.9},
            {"round": 4, "clean": 210, "shifted": 90, "purity_clean": 0.93, "purity_shifted": 0.84},
        ],
        "plane": {
            "x": "discriminant direction", "y": "first principal direction",
            "note": "A sample of 600 rows; the plane shows 34% of the variance.", "points": points(600),
        },
        "kinds": [
            {"name": "1", "rows": 320, "typical": [typical(number) for number in range(6)]},
            {"name": "2", "rows": 1, "typical": [{"id": "a-row-without-a-picture", "score": 0.97, "image": None}]},
        ],
        "highest": [{"id": f"high-{number}", "score": 1 - number / 100, "image": None} for number in range(12)],
        "groups": [
            {
                "columns": "source",
                "rows": [group("camera 3", 200, 0.75), group("camera 1", 900, 0.26), group("camera 2", 400, 0.02)],
            },
            {
                "columns": "source, day",
                "rows": [group(f"camera {n % 3}, day {n}", 60 + n, 0.9 / (n + 1)) for n in range(120)],
            },
        ],
        "history": [
            {
                "batch": n, "time": f"2026-01-{n:02}T00:00:00Z", "rows": 200,
                "share": share, "low": max(0, share - 0.03), "high": share + 0.04, "evidence": evidence, "found": evidence > 20,
            }
            for n, (share, evidence) in enumerate(
                [(0.02, 1.3), (0.0, 0.8), (0.01, 0.6), (0.03, 1.1), (0.02, 0.9), (0.08, 3.2), (0.13, 17.0),
                 (0.19, 240.0), (0.22, 8900.0)], 1
            )
        ],
        "evidence_needed": 20,
        "settings": {"recipe": "robust", "seed": 7, "embedding": "embedding", "neighbors": {"k": 100}},
        "versions": {"spuna": "0.1.0", "arrow": "26.0.1"},
        "seconds": {"read": 0.1, "fit": 2.345, "score": 0.4},
        "peak_memory_bytes": 123456789,
    }  # fmt: skip


def minimal_report() -> dict:
    """Only what must be there; all else is null."""
    return {key: None for key in full_report()} | {"title": "small", "summary": ["Nothing is shifted."]}


def hostile_report() -> dict:
    """Hostile text in every place that takes text from the data."""
    report = full_report()
    every = " ".join(HOSTILE)
    report |= {"title": every, "subtitle": every, "summary": HOSTILE, "warnings": HOSTILE}
    report["facts"] = [[text, text] for text in HOSTILE]
    report["settings"] = {text: text for text in HOSTILE}
    report["versions"] = {text: [text] for text in HOSTILE}
    report["plane"] |= {"x": every, "y": every, "note": every}
    for point, text in zip(report["plane"]["points"], HOSTILE):
        point["id"] = text
    report["kinds"] = [
        {"name": text, "rows": 3, "typical": [{"id": text, "score": 0.9, "image": text}]} for text in HOSTILE
    ]
    report["groups"] = [{"columns": text, "rows": [group(text, 10, 0.5)]} for text in HOSTILE]
    for batch, text in zip(report["history"], HOSTILE):
        batch["time"] = text
    return report


def render(report: dict, folder: Path, name: str = "report.html", kind: str = "report") -> Path:
    """The page of a report or a review, by the renderer that the program uses."""
    page = folder / name
    command = [RENDERER, kind]
    done = subprocess.run(command, input=json.dumps(report).encode(), stdout=subprocess.PIPE, check=True, timeout=60)
    page.write_bytes(done.stdout)
    return page


# --- the browser


class Browser:
    """Headless Chromium on files."""

    def __init__(self, profile: Path):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for flag in (
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-dev-shm-usage", "--force-device-scale-factor=1", f"--user-data-dir={profile}",
        ):  # fmt: skip
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
        self.driver.set_page_load_timeout(60)

    def quit(self) -> None:
        self.driver.quit()

    def command(self, name: str, **parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    def show(self, page: Path, *, width: int = 1000, height: int = 900, dark: bool = False, media: str = "") -> None:
        """Opens a page in a window of this size, with the logs of earlier pages forgotten."""
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        phone = width < 600
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone
        )
        self.emulate(dark=dark, media=media)
        self.driver.get(page.as_uri())
        self.settle()

    def emulate(self, *, dark: bool = False, media: str = "") -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def settle(self) -> None:
        """Waits until what is pending has been drawn."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))"
        )

    def run(self, script: str, *arguments):
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        return self.run(
            "return Array.from(document.querySelectorAll(arguments[0]), (one) => one.textContent)", selector
        )

    def ids(self, selector: str) -> set[str]:
        return set(self.run("return Array.from(document.querySelectorAll(arguments[0]), (one) => one.id)", selector))

    def log(self) -> list[str]:
        """All that the console has received since the page was opened."""
        return [f"{entry['level']}: {entry['message']}" for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """The addresses that the page asked for since it was opened, but not the data: ones."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return [url for url in found if not url.startswith(("data:", "about:"))]

    def scrolls_sideways(self) -> bool:
        return self.run("const page = document.documentElement; return page.scrollWidth > page.clientWidth")

    def background(self) -> str:
        return self.run("return getComputedStyle(document.body).backgroundColor")

    def colors(self, canvas: str) -> dict[str, int]:
        """How many opaque pixels of each color a canvas has, by "r,g,b"."""
        return self.run(
            """
            const canvas = document.getElementById(arguments[0]);
            const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            const found = {};
            for (let i = 0; i < data.length; i += 4) {
              if (data[i + 3] < 250) continue;
              const color = `${data[i]},${data[i + 1]},${data[i + 2]}`;
              found[color] = (found[color] || 0) + 1;
            }
            return found;
            """,
            canvas,
        )

    def hover(self, canvas: str, dataset: str, index: int) -> dict:
        """Moves the mouse to a point of a chart; what the tooltip says then."""
        place = self.run(
            """
            const canvas = document.getElementById(arguments[0]);
            canvas.scrollIntoView({block: "center"});
            const chart = Chart.getChart(canvas);
            const number = chart.data.datasets.findIndex((set) => set.label === arguments[1]);
            const point = chart.getDatasetMeta(number).data[arguments[2]].getCenterPoint();
            const box = canvas.getBoundingClientRect();
            return {x: box.left + point.x, y: box.top + point.y};
            """,
            canvas, dataset, index,
        )  # fmt: skip
        self.command("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
        self.command("Input.dispatchMouseEvent", type="mouseMoved", **place)
        self.settle()
        return self.run(
            """
            const {tooltip} = Chart.getChart(document.getElementById(arguments[0]));
            const lines = [...tooltip.title, ...tooltip.body.flatMap((part) => part.lines)];
            return {shown: tooltip.opacity > 0, text: lines.join("\\n")};
            """,
            canvas,
        )
