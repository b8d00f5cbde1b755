"""How far a fit has come, for those who wait for it."""

from __future__ import annotations

import logging
import time
from typing import Any, Callable, Union

# The stages of calls, at the level INFO.
LOGGER = logging.getLogger("spuna")

Progress = Union[None, bool, Callable[[str, float], Any]]


class _Bar:
    """One tqdm bar, a stage at a time."""

    def __init__(self, tqdm: Any):
        self._bar = tqdm(total=1.0, bar_format="{desc:<16}{percentage:3.0f}%|{bar}| {elapsed}")

    def __call__(self, stage: str, done: float) -> None:
        self._bar.set_description_str(stage, refresh=False)
        self._bar.n = max(done, 0.0)
        self._bar.refresh()

    def close(self) -> None:
        self._bar.close()


class listener:
    """The callable that the extension calls, for ``with``: `progress` itself, a tqdm bar for True (if
    tqdm is installed), or nothing. Stages go to the log of the call as well."""

    def __init__(self, progress: Progress, call: str):
        self._bar: Any = None
        self._call = call
        self._stage = ""
        self._started = time.monotonic()
        if progress is True:
            try:
                from tqdm.auto import tqdm

                self._bar = _Bar(tqdm)
            except ImportError:
                pass
            progress = self._bar
        elif progress is False:
            progress = None
        elif progress is not None and not callable(progress):
            raise TypeError(
                "progress: expected None, True or a callable of a stage and a share, but found "
                f"{type(progress).__name__}"
            )
        self._progress: Any = progress
        self._logs = LOGGER.isEnabledFor(logging.INFO)

    def _tell(self, stage: str, done: float) -> None:
        if stage != self._stage:
            LOGGER.info("%s: %s", self._call, stage)
            self._stage = stage
        if self._progress is not None:
            self._progress(stage, done)

    def __enter__(self) -> Any:
        return self._tell if self._logs else self._progress

    def __exit__(self, kind: Any, *exception: Any) -> None:
        if self._bar is not None:
            self._bar.close()
        if self._logs:
            seconds = time.monotonic() - self._started
            ended = "done" if kind is None else f"ended by {kind.__name__}"
            LOGGER.info("%s: %s after %.1f seconds", self._call, ended, seconds)
