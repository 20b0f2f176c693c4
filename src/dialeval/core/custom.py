"""User-supplied classes and functions: their signatures and options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import copy
from functools import lru_cache
from pathlib import Path
from typing import Any

from dialeval.core.metric import Metric
from dialeval.core.signature import Signature
from dialeval.errors import DialevalError, UnknownName, Unsuitable
from dialeval.files.custom_code import CustomCode, load_code
from dialeval.text.calls import Scalar


@lru_cache(maxsize=64)
def with_source(
    code: CustomCode, parameters: tuple[tuple[str, Scalar], ...], *, metric: bool = False
) -> type[Any]:
    """The class at that place, the digest of its source added to its signature.

    A class without a signature is given one, with the ``parameters`` of its constructor; that of a ``metric`` inherits
    everything else that it lacks.
    """
    thing = code.thing

    def signature(self: Any) -> Signature:
        if getattr(thing, "signature", Metric.signature) is not Metric.signature:
            given: Signature = super(own, self).signature
        elif issubclass(thing, Metric):
            given = Signature(code.place, parameters, self.facts, self.version)
        else:
            given = Signature(code.place, parameters)
        facts = [fact for fact in given.facts if fact[0] != "source"]
        return Signature(code.place, given.parameters, (*facts, ("source", code.source)), given.version)

    def reduce(self: Any, protocol: int) -> tuple[Any, ...]:
        """For worker processes, which have to load the code before they can make its objects."""
        _, arguments, *state = super(own, self).__reduce_ex__(protocol)
        return (_new, (code.full_place, parameters, metric, *arguments[1:]), *state)

    members = {"signature": property(signature), "__reduce_ex__": reduce}
    own: type[Any] = _derived(thing, Metric if metric else object, members)
    return own


def _new(place: str, parameters: tuple[tuple[str, Scalar], ...], metric: bool, *arguments: Any) -> Any:
    own = with_source(load_code(place, Path()), parameters, metric=metric)
    return own.__new__(own, *arguments)


class _Default:
    """A member of `Metric`, which an object may replace by an attribute of its own."""

    def __init__(self, member: property) -> None:
        self._member = member

    def __get__(self, thing: object, owner: type[Any] | None = None) -> Any:
        return self if thing is None else self._member.__get__(thing, owner)


def _derived(thing: type[Any], base: type[Any], members: Mapping[str, Any]) -> type[Any]:
    """A class of that name with these members, and with those of the base that it lacks."""
    own: dict[str, Any] = {"__slots__": (), "__doc__": thing.__doc__}
    bases: tuple[type[Any], ...] = (thing,)
    if not issubclass(thing, base):
        bases = (thing, base)
        lacking = {name: value for name, value in vars(base).items() if not hasattr(thing, name)}
        own |= {name: _Default(value) for name, value in lacking.items() if isinstance(value, property)}
    return type(thing.__name__, bases, own | dict(members))


def as_metric(thing: object, name: str = "") -> Metric[Any]:
    """The object as a metric: itself, or a copy of an object of another class that has the members of one.

    One that lacks members is refused, saying which and what they are for.
    """
    _check_members(thing, name or type(thing).__name__)
    if isinstance(thing, Metric):
        return thing
    own: Any = type(thing)
    made: Metric[Any] = recast(thing, _metric_class(own))
    return made


def recast(thing: object, own: type[Any]) -> Any:
    """A copy of the object as one of a class that is derived from its own."""
    other = copy(thing)
    object.__setattr__(other, "__class__", own)  # past the check of frozen dataclasses
    return other


@lru_cache(maxsize=64)
def _metric_class(thing: Any) -> type[Any]:
    def reduce(self: Any, protocol: int) -> tuple[Any, ...]:
        """By the class that it was derived from, which other processes can import."""
        make, arguments, *state = super(own, self).__reduce_ex__(protocol)
        return (_again, (make, *(thing if each is own else each for each in arguments)), *state)

    own: type[Any] = _derived(thing, Metric, {"__reduce_ex__": reduce})
    return own


def _again(make: Callable[..., Any], *arguments: Any) -> Any:
    made = make(*arguments)
    own: Any = type(made)
    object.__setattr__(made, "__class__", _metric_class(own))
    return made


def _check_members(thing: object, name: str) -> None:
    """Refuse what lacks members that no metric has by default, saying which."""
    needed = ("statistics", "aggregate") if getattr(thing, "per_item", True) else ("without",)
    defaults = [getattr(Metric, key) for key in needed]
    lacking = [
        f"  {key}: {(default.__doc__ or '').strip().splitlines()[0]}"
        for key, default in zip(needed, defaults, strict=True)
        if getattr(type(thing), key, getattr(thing, key, default)) is default
    ]
    if lacking:
        lines = [f"{name} is not a Metric: it lacks", *lacking, "See 'dialeval docs own' for examples."]
        raise Unsuitable("\n".join(lines))


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
