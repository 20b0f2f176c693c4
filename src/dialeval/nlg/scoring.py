"""Subjects of ``dialeval nlg score``: responses to acts with their references, and the slot metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dialeval.data.codec.bad import OnBad, refuse
from dialeval.data.codec.parts import NO_RESPONSE
from dialeval.data.codec.sources import Source, shown
from dialeval.data.types import UNNAMED, Example, Response
from dialeval.display.wording import count
from dialeval.errors import BadInput, Unsuitable
from dialeval.nlg.acts.forms import print_act
from dialeval.nlg.acts.reading import ActItem, read_acts
from dialeval.nlg.pooling import Pool, act_key, pooled
from dialeval.nlg.slots.counting import PARTS, Profile
from dialeval.nlg.slots.metric import SlotErrorRate
from dialeval.nlg.subjects import act_turn
from dialeval.text.calls import print_call


class Scored(NamedTuple):
    """Responses to acts, each with its references."""

    plain: list[Example]
    """With the references that the file has for each."""
    pooled: list[Example]
    """With the references of its pool."""


def read_scored(
    source: Source, references: Source | None = None, pool: Pool = "act", on_bad: OnBad = refuse
) -> Scored:
    """The responses of a file of acts; ``references`` is a file with references for the acts that have none."""
    items = _distinct(list(read_acts(source, on_bad)), source)
    if not items or all(item.response is None for item in items):
        found = "no act" if not items else f"{count(len(items), 'act')} and no response"
        todo = 'Write {"id", "system", "act", "response", "references"} on each line, or give e2e:FILE.tsv.'
        raise BadInput(shown(source), found, "responses to acts", todo)
    if references is not None:
        items = _with_references(items, list(read_acts(references, on_bad)), references)
    plain = [_example(item, item.references) for item in items]
    return Scored(
        plain, [_example(item, texts) for item, texts in zip(items, pooled(items, pool), strict=True)]
    )


def _distinct(items: Sequence[ActItem], source: Source) -> list[ActItem]:
    seen: set[tuple[str, str | None]] = set()
    for item in items:
        if (item.item, item.system) in seen:
            found = f"{item.item!r} a second time" + (f" for system {item.system!r}" if item.system else "")
            todo = "Give every item its own id, or drop the repeated line."
            raise BadInput(shown(source), found, "an id that is used once per system", todo, item.line, "id")
        seen.add((item.item, item.system))
    return list(items)


def _with_references(items: Sequence[ActItem], others: Sequence[ActItem], source: Source) -> list[ActItem]:
    """The items, those without references with those of the same act in the other file."""
    held: dict[object, tuple[str, ...]] = {}
    for other in others:
        held[act_key(other.meaning)] = (*held.get(act_key(other.meaning), ()), *other.references)
    filled = [
        item if item.references else _replaced(item, held.get(act_key(item.meaning), ())) for item in items
    ]
    if not any(item.references for item in filled):
        raise Unsuitable(
            f"{shown(source)} has no reference for any act of the file. Give the references of these acts."
        )
    return filled


def _replaced(item: ActItem, references: tuple[str, ...]) -> ActItem:
    return ActItem(item.item, item.meaning, references, item.system, item.response, written=item.written)


def _example(item: ActItem, references: tuple[str, ...]) -> Example:
    response = Response("", missing=NO_RESPONSE) if item.response is None else Response(item.response)
    written = item.written or print_act(item.meaning, "json")
    return Example(item.item, item.system or UNNAMED, (act_turn(written),), response, references)


def slot_metrics(profile: Profile = "dialeval", aliases: str = "") -> dict[str, SlotErrorRate]:
    """The slot error rate, its four parts, and that of the references, each by the name under which it is printed."""
    metrics = {"slot_error_rate": SlotErrorRate(profile=profile, aliases=aliases)}
    for part in PARTS:
        label = print_call("slot_error_rate", (("part", part),))
        metrics[label] = SlotErrorRate(part, profile, aliases=aliases)
    label = print_call("slot_error_rate", (("of", "references"),))
    metrics[label] = SlotErrorRate(profile=profile, of="references", aliases=aliases)
    return metrics
