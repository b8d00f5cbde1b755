"""Leads an expansion of labels over the parts of a pool, wherever they are.

The parts do what costs: they measure distances, with the same code as one machine does. Here the rows of
each round are chosen, and it is decided when to stop (docs/method.md says how).
"""

from __future__ import annotations

import dataclasses
import math
import time
from typing import Any, Protocol

import numpy as np

from . import _spuna

# The banks and the rankings of the extension.
CLEAN, SHIFTED = 0, 1
SEEDS, ROUND = 0, 1

# The paper's numbers; beta belongs to a pool of 14,000 rows.
ALPHA, BETA, K = 30, 1500, 100
BETA_POOL = 14_000


@dataclasses.dataclass
class Options:
    """Those of ``spuna fit --recipe paper``; `beta` None is scaled to the pool."""

    alpha: int = ALPHA
    beta: int | None = None
    k: int = K
    epsilon: float = 0.0
    on_stop: str = "keep"

    def check(self) -> None:
        """Raises what can be said against them before any data is seen."""
        for name in ("alpha", "beta", "k"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, (int, np.integer)) and value >= 1):
                raise ValueError(f"`{name}`: expected a whole number of 1 or more but found {value!r}")
        if not math.isfinite(self.epsilon):
            raise ValueError(f"`epsilon`: expected a finite number but found {self.epsilon!r}")
        if self.on_stop not in ("keep", "rollback"):
            raise ValueError(f"`on_stop`: expected one of keep, rollback but found {self.on_stop!r}")

    def beta_of(self, num_rows: int) -> int:
        if self.beta is not None:
            return self.beta
        return max(1, math.floor(num_rows * BETA / BETA_POOL + 0.5))


class Parts(Protocol):
    """The rows of a pool without a label."""

    def extremes(self, ranking: int, num_lowest: int, num_highest: int) -> tuple[Any, Any]:
        """The numbers of the lowest and of the highest rows by (score, number)."""

    def values(self, numbers: Any) -> Any:
        """The rows with these numbers, which are ascending, as a matrix of float32."""

    def label(self, clean: Any, clean_values: Any, shifted: Any, shifted_values: Any) -> None:
        """Takes rows out of the parts and into the banks."""


@dataclasses.dataclass
class Expansion:
    """The labeled rows by ascending number, and how it went."""

    numbers: Any
    is_shifted: Any
    rounds: Any
    entropy: list[float]
    num_rounds: int
    stopped_by: str
    #: How long each round took, from round 0 on.
    seconds: list[float]


def extremes(scores: Any, numbers: Any, num_lowest: int, num_highest: int) -> tuple[Any, Any]:
    """The places of the lowest and of the highest in one ascending order by (score, number)."""
    order = np.lexsort((numbers, scores))
    return order[:num_lowest], order[max(0, len(order) - num_highest):]


def expand(parts: Parts, num_rows: int, dimension: int, options: Options) -> Expansion:
    """Labels the rows of the parts, from the trusted rows that they know already outwards."""
    if 2 * options.alpha > num_rows:
        raise ValueError(
            "2 * `alpha` must not exceed the number of valid pool rows, but `alpha` is "
            f"{options.alpha} and the pool has {num_rows} valid rows; lower `alpha` or give a larger pool"
        )
    beta = options.beta_of(num_rows)
    spectrum = _spuna.Entropy(dimension)
    entropy: list[float] = []
    labeled: list[tuple[Any, Any]] = []
    stopped_by = "exhausted"
    seconds: list[float] = []
    started = time.perf_counter()

    def take(clean: Any, shifted: Any) -> tuple[Any, Any, Any, Any]:
        clean, shifted = np.sort(clean), np.sort(shifted)
        numbers = np.sort(np.concatenate([clean, shifted]))
        values = parts.values(numbers)
        clean_values = np.ascontiguousarray(values[np.searchsorted(numbers, clean)])
        shifted_values = np.ascontiguousarray(values[np.searchsorted(numbers, shifted)])
        labeled.append((clean, shifted))
        entropy.append(spectrum.add(shifted_values))
        seconds.append(time.perf_counter() - started - sum(seconds))
        return clean, clean_values, shifted, shifted_values

    lowest, highest = parts.extremes(SEEDS, options.alpha, options.alpha)
    added = take(lowest, highest)
    rest = num_rows - 2 * options.alpha
    while (count := min(beta, rest // 2)) > 0:
        parts.label(*added)
        lowest, highest = parts.extremes(ROUND, count, count)
        added = take(highest, lowest)
        rest -= 2 * count
        if entropy[-1] - entropy[-2] < options.epsilon:
            stopped_by = "entropy"
            break
    num_rounds = len(labeled) - 1
    if stopped_by == "entropy" and options.on_stop == "rollback":
        labeled.pop()
    numbers = np.concatenate([side for pair in labeled for side in pair])
    sizes = [len(side) for pair in labeled for side in pair]
    is_shifted = np.repeat(np.tile([False, True], len(labeled)), sizes)
    rounds = np.repeat(np.repeat(np.arange(len(labeled), dtype=np.int32), 2), sizes)
    order = np.argsort(numbers)
    return Expansion(
        numbers[order], is_shifted[order], rounds[order], entropy, num_rounds, stopped_by, seconds
    )
