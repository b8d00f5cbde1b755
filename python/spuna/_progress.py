"""How far a fit has come, for those who wait for it."""

from __future__ import annotations

from typing import Any, Callable, Union

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
    tqdm is installed), or nothing."""

    def __init__(self, progress: Progress):
        self._bar: Any = None
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
        self._progress = progress

    def __enter__(self) -> Any:
        return self._progress

    def __exit__(self, *exception: Any) -> None:
        if self._bar is not None:
            self._bar.close()
