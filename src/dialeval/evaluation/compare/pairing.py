"""Pairing of the items of two results, and reasons why results cannot be compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from dialeval.core import CorpusResult, Outcome, Result, Signature
from dialeval.display.wording import count
from dialeval.errors import Unsuitable


def check_same_measure(a: Outcome, b: Outcome) -> None:
    """Refuse results of different measures, or of one measure that rests on different resources."""
    for result in (a, b):
        if not isinstance(result, Result | CorpusResult):
            raise Unsuitable(
                f"Found {type(result).__name__}, expected a Result. score() returns one for each metric: "
                "compare them one by one, as in compare(new['rouge_l'], old['rouge_l'])."
            )
    if a.signature != b.signature:
        raise Unsuitable(_unlike(a.signature, b.signature))
    if a.provenance.resources != b.provenance.resources:
        raise Unsuitable(_unlike_resources(a, b))


def paired_items(a: Outcome, b: Outcome) -> list[str]:
    """Ids of the items with a value from both, sorted; there must be one."""
    items = shared_items(a, b)
    if not items:
        raise Unsuitable(
            f"{system_of(a)} and {system_of(b)} share no item with a value from both under {a.signature.call}: "
            f"{a.scored} of {len(a)} and {b.scored} of {len(b)} items have one, and "
            f"{len(set(a.items) & set(b.items))} ids are in both. {_unpaired(a, b)}"
        )
    return items


def _unpaired(a: Outcome, b: Outcome) -> str:
    """What to do where two results share no item with a value: about ids, or about what keeps items from a value."""
    reasons = Counter(reason for result in (a, b) for reason in result.reasons.values())
    if (a.scored and b.scored) or not reasons:
        return "Score both systems on the same items."
    reason, times = reasons.most_common(1)[0]
    return f"The others have none because of: {reason} ({count(times, 'time')})."


def shared_items(a: Outcome, b: Outcome) -> list[str]:
    """Ids of the items with a value from both, sorted."""
    return sorted(places_of_values(a).keys() & places_of_values(b).keys())


def places_of_values(result: Outcome) -> dict[str, int]:
    """Where each item with a value stands."""
    if len(set(result.items)) < len(result):
        twice = next(item for item, times in Counter(result.items).items() if times > 1)
        raise Unsuitable(
            f"{system_of(result)} has several values for one item (first: {twice!r}) under {result.signature.call}, "
            "so items cannot be paired. Give every item of the data its own id."
        )
    return {item: index for index, item in enumerate(result.items) if index not in result.reasons}


def system_of(result: Outcome) -> str:
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


def _unlike_resources(a: Outcome, b: Outcome) -> str:
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
