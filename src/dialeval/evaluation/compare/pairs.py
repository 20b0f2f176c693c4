"""Pairing of the items of two results, and reasons why results cannot be compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dialeval.core import Integers, Result, Signature
from dialeval.display.wording import count
from dialeval.errors import Unsuitable
from dialeval.text.ids import TextColumn, count_distinct, text_hashes


def check_same_measure(a: Result, b: Result) -> None:
    """Refuse results of different measures, or of one measure that rests on different resources."""
    for result in (a, b):
        if not isinstance(result, Result):
            raise Unsuitable(
                f"Found {type(result).__name__}, expected a Result. score() returns one for each metric: "
                "compare them one by one, as in compare(new['rouge_l'], old['rouge_l'])."
            )
    if a.signature != b.signature:
        raise Unsuitable(_unlike(a.signature, b.signature))
    if a.provenance.resources != b.provenance.resources:
        raise Unsuitable(_unlike_resources(a, b))


class Paired(NamedTuple):
    """The items with a value from several results, sorted, and where each result has them."""

    items: Sequence[str]
    places: tuple[Integers, ...]


def paired(a: Result, b: Result) -> Paired:
    """The items with a value from both; there must be one."""
    if not are_aligned((a, b)) or not a.scored or not isinstance(a.items, TextColumn):
        items = paired_items(a, b)
        return Paired(items, (places_in(a, items), places_in(b, items)))
    places = valued_places(a)
    places = places[a.items.take(places).sorted_places()]
    return Paired(a.items.take(places), (places, places))


def are_aligned(results: Sequence[Result]) -> bool:
    """Whether these hold so many items that ids are packed, and have values of the same ones, each once, in one order.

    Then they can be paired without a dict of all ids.
    """
    first = results[0]
    return all(
        isinstance(result.items, TextColumn)
        and result.items == first.items
        and result.reasons.keys() == first.reasons.keys()
        for result in results
    ) and count_distinct(text_hashes(first.items)) == len(first)


def valued_places(result: Result) -> Integers:
    """Where the items with a value stand."""
    valued = np.ones(len(result), dtype=bool)
    valued[list(result.reasons)] = False
    return np.flatnonzero(valued)


def places_in(result: Result, items: Iterable[str]) -> Integers:
    """Where these items, all of which have a value, stand in the result."""
    places = places_of_values(result)
    return np.array([places[item] for item in items], dtype=np.int64)


def same_answers(a: Result, b: Result, places_a: Integers, places_b: Integers) -> bool:
    """Whether both systems are known to have given the same answers to the items at these places.

    They have not if only one left items unanswered that the measure cannot count: the places lack these.
    """
    if a.answers is None or b.answers is None or a.uncounted != b.uncounted:
        return False
    return bool(np.array_equal(a.answers[places_a], b.answers[places_b]))


def paired_items(a: Result, b: Result) -> list[str]:
    """Ids of the items with a value from both, sorted; there must be one."""
    items = shared_items(a, b)
    if not items:
        raise Unsuitable(
            f"{system_of(a)} and {system_of(b)} share no item with a value from both under {a.signature.call}: "
            f"{a.scored} of {len(a)} and {b.scored} of {len(b)} items have one, and "
            f"{len(set(a.items) & set(b.items))} ids are in both. {_unpaired(a, b)}"
        )
    return items


def _unpaired(a: Result, b: Result) -> str:
    """Advice if two results share no item with a value: about ids, or about what keeps items from a value."""
    reasons = Counter(reason for result in (a, b) for reason in result.reasons.values())
    if (a.scored and b.scored) or not reasons:
        return "Score both systems on the same items."
    reason, times = reasons.most_common(1)[0]
    return f"The others have none because of: {reason} ({count(times, 'time')})."


def share_items(a: Result, b: Result) -> bool:
    """Whether an item has a value from both."""
    if are_aligned((a, b)):
        return a.scored > 0
    return not places_of_values(a).keys().isdisjoint(places_of_values(b).keys())


def shared_items(a: Result, b: Result) -> list[str]:
    """Ids of the items with a value from both, sorted."""
    return sorted(places_of_values(a).keys() & places_of_values(b).keys())


def places_of_values(result: Result) -> dict[str, int]:
    """Where each item with a value stands."""
    if len(set(result.items)) < len(result):
        twice = next(item for item, times in Counter(result.items).items() if times > 1)
        raise Unsuitable(
            f"{system_of(result)} has several values for one item (first: {twice!r}) under {result.signature.call}, "
            "so items cannot be paired. Give every item of the data its own id."
        )
    return {item: index for index, item in enumerate(result.items) if index not in result.reasons}


def system_of(result: Result) -> str:
    """The one system a result is about."""
    names = list(dict.fromkeys(result.systems))
    if len(names) != 1:
        given = f"{len(names)} systems ({', '.join(names[:5])})" if names else "no items"
        raise Unsuitable(
            f"A comparison needs results of one system each, but found one with {given} under "
            f"{result.signature.call}. Evaluate each system on its own."
        )
    return names[0]


def _unlike(a: Signature, b: Signature) -> str:
    parts = " and ".join(f"{key} ({first} and {second})" for key, first, second in _differing(a, b))
    return (
        f"These results come from different measures and cannot be compared: {a} and {b} differ in {parts}. "
        "Score both systems with the same measure."
    )


def _unlike_resources(a: Result, b: Result) -> str:
    first, second = dict(a.provenance.resources), dict(b.provenance.resources)
    names = sorted(name for name in first | second if first.get(name) != second.get(name))
    return (
        f"These results under {a.signature.call} rest on different resources and cannot be compared: {system_of(a)} "
        f"and {system_of(b)} differ in {' and '.join(names)}. Score both systems on the same items in one study."
    )


def _differing(a: Signature, b: Signature) -> Iterator[tuple[str, str, str]]:
    first, second = (
        {"name": sig.name, **dict(sig.parameters), **dict(sig.facts), "version": sig.version}
        for sig in (a, b)
    )
    for key in dict.fromkeys([*first, *second]):
        if first.get(key, "unset") != second.get(key, "unset"):
            yield key, str(first.get(key, "unset")), str(second.get(key, "unset"))
