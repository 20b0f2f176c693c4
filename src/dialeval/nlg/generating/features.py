"""Acts as networks read them: parts of an act fused with a slot, each with the words of its value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from dialeval.nlg.acts.types import Meaning, Slot


class Part(NamedTuple):
    """One part of a meaning."""

    feature: str
    """The act fused with the slot, such as ``inform-food``."""
    value: tuple[str, ...]
    """The words of the value, in lower case; none where there is no value."""


def parts_of(meaning: Meaning) -> list[Part]:
    """Every part of a meaning, in order; their features are the non-zero entries of its act vector.

    A slot that is said twice has two features (``inform-name``, ``inform-name#2``), and so has each special value
    (``inform-kidsallowed=yes``), since such values never stand in a sentence as they are (as in Wen et al., 2015b). An
    act without slots is one part.
    """
    return list(_parts(meaning))


def _parts(meaning: Meaning) -> Iterator[Part]:
    times: Counter[str] = Counter()
    for act in meaning:
        if not act.slots:
            yield Part(act.act, ())
        for slot in act.slots:
            name = f"{act.act}-{slot.name}{_ending(slot)}"
            times[name] += 1
            again = f"#{times[name]}" if times[name] > 1 else ""
            yield Part(name + again, tuple((slot.value or "").lower().split()))


def _ending(slot: Slot) -> str:
    if slot.value is None:
        return "?"
    return f"={slot.special}" if slot.special else ""


def special_slot(feature: str) -> Slot | None:
    """The slot with its special value in a feature such as ``inform-kidsallowed=yes``; None in other features."""
    name, equals, value = feature.partition("-")[2].rpartition("=")
    slot = Slot(name, value.partition("#")[0])
    return slot if equals and slot.special else None


def kind_of(meaning: Meaning) -> str:
    """What two meanings share that differ in values alone: acts and slots, whatever their order.

    The Random model of the paper ignores all values, special ones too.
    """
    return " ".join(
        sorted(f"{act.act}({','.join(sorted(slot.name for slot in act.slots))})" for act in meaning)
    )
