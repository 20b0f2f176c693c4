"""Blind items from records: examples, dialogues, questions, n-best lists and probes."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final, NamedTuple

from dialeval.annotation.forms import candidate_ids
from dialeval.annotation.items import Item, Role, Shown, Source
from dialeval.annotation.kinds.kind import Ask, Shows
from dialeval.data.types import Context, Dialogue, Example, Judgement, NBest, Prompt, Question, Record, Turn
from dialeval.errors import Unsuitable

_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without letters and digits that look alike."""


class Blind(NamedTuple):
    """An item, and where it came from."""

    item: Item
    source: Source


class Said(NamedTuple):
    """One response in one context, whatever record it came from."""

    item: str
    context: Context
    system: str
    text: str


def random_id(prefix: str) -> str:
    """A name that nobody can guess and that says nothing."""
    return prefix + "".join(secrets.choice(_ALPHABET) for _ in range(12))


def blind(records: Iterable[Record], shows: Shows) -> list[Blind]:
    """The blind items of records: of each response, or of all responses to an item where they are compared."""
    given = list(records)
    dialogues = [record for record in given if isinstance(record, Dialogue)]
    if dialogues and shows not in ("dialogue", "any"):
        raise Unsuitable(
            "Whole dialogues hold no response to judge. Ask about dialogues, or give examples, questions or n-best "
            "lists."
        )
    if dialogues:
        return [_whole(dialogue.item, dialogue.turns, dialogue.system) for dialogue in dialogues]
    said = [response for record in given for response in _responses(record)]
    if not said:
        raise Unsuitable("Nothing to ask about: the file holds no response and no dialogue.")
    if shows in ("pair", "candidates"):
        return _compared(said, pairs=shows == "pair")
    return [_single(response) for response in said]


def blind_prompts(prompts: Iterable[Prompt], systems: Sequence[str]) -> list[Blind]:
    """Items of talks that raters will have: each prompt begins one with each of the systems."""
    return [_whole(prompt.item, prompt.context, system) for prompt in prompts for system in systems]


def with_gold(blinded: Iterable[Blind], gold: Iterable[Judgement]) -> list[Blind]:
    """The items, each with the values that are known of its systems."""
    known: dict[tuple[str, str], dict[str, float | None]] = {}
    for judgement in gold:
        known.setdefault((judgement.item, judgement.system), {})[judgement.criterion] = judgement.value
    return [_golden(item, known) for item in blinded]


def roles(blinded: Sequence[Blind], asks: Sequence[Ask], *, qualify: int, checks: bool) -> list[Blind]:
    """The items with what each is for: those whose values are all known test raters, the first ``qualify`` to qualify.

    Without checks, the others with known values are rated like any item.
    """
    criteria = {ask.criterion for ask in asks}
    found: list[Blind] = []
    tests = 0
    for item, source in blinded:
        role: Role = "rating"
        if criteria & source.gold.keys():
            role = "qualification" if tests < qualify else "check" if checks else "rating"
            tests += role == "qualification"
        found.append(Blind(item, replace(source, role=role)))
    if tests < qualify:
        raise Unsuitable(
            f"Found {tests} items with known values of {', '.join(sorted(criteria))}, but the test needs {qualify}. "
            "Give more known values with --gold, or a shorter test with --qualify."
        )
    if checks and not any(one.source.role == "check" for one in found):
        raise Unsuitable(
            "No items with known values are left to check attention with. Give more with --gold."
        )
    return found


def _golden(blinded: Blind, known: Mapping[tuple[str, str], Mapping[str, float | None]]) -> Blind:
    source = blinded.source
    gold: dict[str, dict[str, float | None]] = {}
    for system in {source.system, *source.systems.values()}:
        for criterion, value in known.get((source.item, system), {}).items():
            gold.setdefault(criterion, {})[system] = value
    return Blind(blinded.item, replace(source, gold=gold)) if gold else blinded


def _responses(record: Record) -> Iterator[Said]:
    if isinstance(record, Example) and record.response.missing is None:
        yield Said(record.item, record.context, record.system, record.response.text)
    elif isinstance(record, Question):
        for name, candidate in zip(candidate_ids(record), record.candidates, strict=True):
            yield Said(record.item, record.context, name, candidate.text)
    elif isinstance(record, NBest):
        for rank, response in enumerate(record.responses, start=1):
            yield Said(f"{record.item}/{rank}", record.context, record.system, response.text)
    elif isinstance(record, Prompt | Judgement):
        raise Unsuitable(
            "A file of prompts or judgements holds no response to judge. Give a run folder, examples, dialogues, "
            "questions or n-best lists; or let raters talk with systems first, with --chat."
        )


def _single(said: Said) -> Blind:
    name, candidate = random_id("i"), random_id("c")
    item = Item(name, _nameless(said.context), (Shown(candidate, said.text),))
    return Blind(item, Source(name, said.item, system=said.system, systems={candidate: said.system}))


def _whole(item: str, turns: Context, system: str) -> Blind:
    name = random_id("i")
    return Blind(Item(name, _nameless(turns)), Source(name, item, system=system))


def _compared(said: Iterable[Said], *, pairs: bool) -> list[Blind]:
    groups: dict[tuple[str, Context], list[Said]] = {}
    for response in said:
        # The n best of one context differ in their rank alone, and are compared with each other.
        item = response.item.rpartition("/")[0] or response.item if _ranked(response.item) else response.item
        groups.setdefault((item, response.context), []).append(response)
    several = {key: group for key, group in groups.items() if len(group) > 1}
    if not several:
        raise Unsuitable(
            f"Nothing to compare: none of the {len(groups):,} items has two responses. Give responses of several "
            "systems."
        )
    split: Callable[[list[Said]], Iterable[Sequence[Said]]] = (
        (lambda group: combinations(group, 2)) if pairs else (lambda group: (group,))
    )
    return [_group(item, chosen) for (item, _), group in several.items() for chosen in split(group)]


def _group(item: str, group: Sequence[Said]) -> Blind:
    name = random_id("i")
    shown = tuple(Shown(random_id("c"), response.text) for response in group)
    alone = len({response.system for response in group}) == 1
    systems = {
        candidate.id: _place(response) if alone else response.system
        for candidate, response in zip(shown, group, strict=True)
    }
    return Blind(Item(name, _nameless(group[0].context), shown), Source(name, item, systems=systems))


def _place(response: Said) -> str:
    return f"{response.system}/{response.item.rpartition('/')[2]}"


def _ranked(item: str) -> bool:
    return item.rpartition("/")[2].isdigit()


def _nameless(turns: Context) -> Context:
    """The turns with their roles alone: a name may be the system's. Several of one role get letters."""
    names: dict[str, list[str]] = {}
    for turn in turns:
        known = names.setdefault(turn.speaker, [])
        if (turn.name or "") not in known:
            known.append(turn.name or "")

    def letter(turn: Turn) -> str | None:
        known = names[turn.speaker]
        return chr(ord("A") + known.index(turn.name or "") % 26) if len(known) > 1 else None

    return tuple(Turn(turn.speaker, turn.text, letter(turn)) for turn in turns)
