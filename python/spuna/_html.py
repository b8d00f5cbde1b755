"""Small cards for notebooks, light and dark."""

from __future__ import annotations

from html import escape
from typing import Iterable, Sequence

# Colors of the page are inherited, and grays are transparent: they fit any theme.
_CARD = (
    "display:inline-block;border:1px solid rgba(128,128,128,.4);border-radius:6px;padding:.6em .9em;"
    "font:13px/1.5 system-ui,sans-serif;color:inherit;background:transparent"
)
_NAME = "padding:0 1.2em 0 0;text-align:left;opacity:.7;font-weight:normal;vertical-align:top"
_VALUE = "padding:0;text-align:left;font-variant-numeric:tabular-nums"
_BAR = "height:8px;border-radius:4px;overflow:hidden;background:rgba(128,128,128,.3);margin:.4em 0"


def card(
    title: str, lines: Iterable[tuple[str, str]], bar: float | None = None, notes: Sequence[str] = ()
) -> str:
    """A title, a table of names and values, a bar that is filled so far (0 to 1), and notes. All texts
    are escaped."""
    rows = "".join(
        f'<tr style="background:transparent"><th scope="row" style="{_NAME}">{escape(name)}</th>'
        f'<td style="{_VALUE}">{escape(value)}</td></tr>'
        for name, value in lines
    )
    filled = ""
    if bar is not None:
        percent = round(100 * min(max(bar, 0.0), 1.0), 1)
        filled = (
            f'<div style="{_BAR}" role="img" aria-label="{percent} %">'
            f'<div style="height:100%;width:{percent}%;background:#3b82c4"></div></div>'
        )
    told = "".join(f'<div style="margin-top:.3em">⚠ {escape(note)}</div>' for note in notes)
    return (
        f'<div style="{_CARD}"><strong>{escape(title)}</strong>{filled}'
        f'<table style="border-collapse:collapse;margin:.2em 0">{rows}</table>{told}</div>'
    )


def lines_of(summary: str) -> list[tuple[str, str]]:
    """The lines of a summary as names and values."""
    lines: list[tuple[str, str]] = []
    for line in summary.splitlines():
        name, _, value = line.partition("  ")
        lines.append((name.strip(), value.strip()))
    return lines
