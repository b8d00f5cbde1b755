"""What calls return that the command prints."""

from __future__ import annotations

import json
from typing import Any

from ._html import card, lines_of


class Result:
    """The result of a call: :meth:`summary` is what the command prints, :meth:`to_dict` what it prints
    with ``--json``."""

    _title = "result"

    def __init__(self, described: str, text: str):
        self._described = described
        self._text = text.rstrip("\n").replace("=true`", "=True`")

    def summary(self) -> str:
        """A few aligned lines for people."""
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """Everything, by the keys of the command's JSON."""
        return json.loads(self._described)

    def _repr_html_(self) -> str:
        return card(self._title, lines_of(self._text))


class Plan(Result):
    """What a clean would do, and what it would take: made by :func:`spuna.plan`."""

    _title = "spuna.Plan"

    def __repr__(self) -> str:
        plan = self.to_dict()
        return f"<spuna.Plan: {plan['rows']} rows in {plan['files']} file{'' if plan['files'] == 1 else 's'}>"


class Monitored(Result):
    """A batch of new rows that was watched for shift: made by :func:`spuna.monitor`."""

    _title = "spuna.Monitored"

    @property
    def found(self) -> bool:
        """Whether a shift was detected in the batches up to now."""
        return bool(self.to_dict()["shift_found"])

    @property
    def p_value(self) -> float:
        """How likely so much evidence of shift is where there is none."""
        return float(self.to_dict()["p_value"])

    def __repr__(self) -> str:
        seen = self.to_dict()
        invalid = f"{seen['rows_invalid']} invalid, " if seen["rows_invalid"] else ""
        return (
            f"<spuna.Monitored: batch {seen['batch']}, {seen['rows_in']} rows, {seen['rows_dropped']} to drop, "
            f"{invalid}shift {'detected' if self.found else 'not detected'} (p = {self.p_value:.2g})>"
        )
