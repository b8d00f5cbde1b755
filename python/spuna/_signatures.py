"""Calls that show their options to help(), editors and notebooks."""

from __future__ import annotations

import inspect
from typing import Any, Callable, TypeVar

from ._options import CALLS, Option

_Call = TypeVar("_Call", bound=Callable[..., Any])


def takes_options(command: str) -> Callable[[_Call], _Call]:
    """Gives a call with ``**options`` the signature and the help text of the command's options."""

    def decorate(call: _Call) -> _Call:
        options = CALLS[command]
        signature = inspect.signature(call)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        keywords = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=option.annotation
            )
            for name, option in options.items()
        ]
        call.__signature__ = signature.replace(parameters=[*own, *keywords])  # type: ignore[attr-defined]
        text, _, examples = inspect.cleandoc(call.__doc__ or "").partition("\n>>> ")
        call.__doc__ = text.rstrip() + "\n\nOptions:\n\n" + _list_of(options)
        if examples:
            call.__doc__ += "\n\n>>> " + examples
        return call

    return decorate


def _list_of(options: dict[str, Option]) -> str:
    return "\n".join(
        f"{name} : {option.annotation}, default {option.rule or repr(option.default)}\n    {option.help}"
        for name, option in options.items()
    )
