"""User-supplied classes and functions: their signatures and options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from dialeval.core.signature import Signature
from dialeval.errors import DialevalError, UnknownName
from dialeval.files.custom_code import CustomCode, load_code
from dialeval.text.calls import Scalar


@lru_cache(maxsize=64)
def with_source(code: CustomCode, parameters: tuple[tuple[str, Scalar], ...]) -> type[Any]:
    """The class at that place, the digest of its source added to its signature.

    A class without a signature is given one, with the ``parameters`` of its constructor.
    """

    def signature(self: Any) -> Signature:
        bare = Signature(code.place, parameters)
        given: Signature = super(own, self).signature if hasattr(code.thing, "signature") else bare
        facts = [fact for fact in given.facts if fact[0] != "source"]
        return Signature(code.place, given.parameters, (*facts, ("source", code.source)), given.version)

    def reduce(self: Any, protocol: int) -> tuple[Any, ...]:
        """For worker processes, which have to load the code before they can make its objects."""
        _, arguments, *state = super(own, self).__reduce_ex__(protocol)
        return (_new, (code.full_place, parameters, *arguments[1:]), *state)

    members = {
        "signature": property(signature),
        "__reduce_ex__": reduce,
        "__slots__": (),
        "__doc__": code.thing.__doc__,
    }
    own: type[Any] = type(code.thing.__name__, (code.thing,), members)
    return own


def _new(place: str, parameters: tuple[tuple[str, Scalar], ...], *arguments: Any) -> Any:
    own = with_source(load_code(place, Path()), parameters)
    return own.__new__(own, *arguments)


def options_of(maker: Callable[..., Any], taken: tuple[str, ...] = ()) -> dict[str, inspect.Parameter]:
    """The parameters that a study or a name in brackets may give, by name."""
    return {
        name: parameter
        for name, parameter in inspect.signature(maker).parameters.items()
        if name not in taken and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }


def checked_options(
    place: str, options: Mapping[str, inspect.Parameter], given: Mapping[str, Any]
) -> dict[str, Any]:
    """The values that were given, with the defaults of those that were not."""
    for name in given:
        if name not in options:
            allowed = f"It takes {', '.join(options)}." if options else "It takes none."
            raise UnknownName(f"parameter of {place}", name, options, todo=allowed)
    missing = [
        name
        for name, parameter in options.items()
        if name not in given and parameter.default is inspect.Parameter.empty
    ]
    if missing:
        raise DialevalError(f"{place} requires {', '.join(missing)}, as in {place}({missing[0]}=...).")
    return {name: given.get(name, parameter.default) for name, parameter in options.items()}


def plain(values: Mapping[str, Any]) -> tuple[tuple[str, Scalar], ...]:
    """The values that a signature can hold; the others as they print."""
    return tuple(
        (name, value if isinstance(value, str | int | float | bool | None) else repr(value))
        for name, value in values.items()
    )
