"""Names of the systems in a comparison: their own, those that the caller gives, or their place."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import Final

from dialeval.core import Result
from dialeval.errors import Unsuitable

_ORDINALS: Final = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
)


def with_names(results: Sequence[Result], names: Sequence[str] | None = None) -> list[Result]:
    """The results, each of a system with a name of its own.

    Without ``names``, a system that has none is called by its place, as in "the second"; systems of the same name get
    their place before it.
    """
    if names is None:
        own = [_own_name(result) for result in results]
        shared = {name for name, times in Counter(own).items() if times > 1}
        return [
            result
            if name is None or (name and name not in shared)
            else renamed(result, _by_place(number, name))
            for number, (result, name) in enumerate(zip(results, own, strict=True), start=1)
        ]
    given = [names] if isinstance(names, str) else list(names)
    if len(given) != len(results) or len(set(given)) < len(given) or not all(name.strip() for name in given):
        raise Unsuitable(
            f"Found {given!r} as the names of {len(results)} systems, expected a different one for each, as in "
            "names=('new', 'old')."
        )
    return [renamed(result, name) for result, name in zip(results, given, strict=True)]


def renamed(result: Result, name: str) -> Result:
    """The result under another name of its system; one that is not about a single system as it is."""
    if _own_name(result) is None:
        return result  # refused later, with what is wrong
    return dataclasses.replace(result, systems=(name,) * len(result))


def begins_by_place(name: str) -> bool:
    """Whether the name begins as those by place do, which take a capital letter at the beginning of a sentence."""
    return name.startswith(tuple(f"the {ordinal}" for ordinal in _ORDINALS))


def _by_place(number: int, name: str) -> str:
    place = f"the {_ORDINALS[number - 1]}" if number <= len(_ORDINALS) else f"number {number}"
    return f"{place} {name}".rstrip()


def _own_name(result: Result) -> str | None:
    """The name of the one system that a result is about; None if that is not what it is about."""
    names = set(result.systems) if isinstance(result, Result) else set()
    return names.pop() if len(names) == 1 else None
