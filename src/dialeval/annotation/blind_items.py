"""Blind items from records: examples, dialogues, questions, n-best lists and probes of a run folder or a file."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice
from pathlib import Path
from typing import Final, NamedTuple

from dialeval.annotation.items import Item, Role, Shown, Source, Utterance, utterances_of
from dialeval.annotation.kinds.kind import Ask, Shows
from dialeval.data.choices import shuffled_places
from dialeval.data.codec.dialects import tell
from dialeval.data.codec.rows import Row
from dialeval.data.reader import read_guessing
from dialeval.data.types import Context, Dialogue, Example, Judgement, NBest, Prompt, Question, Record, Turn
from dialeval.display.wording import listing
from dialeval.errors import BadInput, Unsuitable
from dialeval.files.digests import hash_file
from dialeval.version import __version__

_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without letters and digits that look alike."""


class Blind(NamedTuple):
    """An item, and where it came from."""

    item: Item
    source: Source


def random_id(prefix: str) -> str:
    """A name that nobody can guess and that says nothing."""
    return prefix + "".join(secrets.choice(_ALPHABET) for _ in range(12))


def blind(records: Iterable[Record], shows: Shows) -> list[Blind]:
    """The blind items of records: of each response, or of all responses to an item if they are compared."""
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
    return blind_utterances(said, shows)


def blind_utterances(said: Sequence[Utterance], shows: Shows) -> list[Blind]:
    """The blind items of responses: of each, or of all responses to an item if they are compared."""
    if shows in ("pair", "candidates"):
        return _compared(said, pairs=shows == "pair")
    return [_single(response) for response in said]


def blind_together(said: Iterable[Utterance]) -> list[Blind]:
    """One blind item for each context, with all responses to it; raters judge each of them."""
    groups: dict[str, list[Utterance]] = {}
    for response in said:
        groups.setdefault(response.item, []).append(response)
    found = []
    for item, group in groups.items():
        name = random_id("i")
        shown = tuple(Shown(random_id("c"), response.text) for response in group)
        systems = {one.id: response.system for one, response in zip(shown, group, strict=True)}
        context = _nameless(group[0].context)
        found.append(
            Blind(Item(name, context, shown, marked=group[0].marked), Source(name, item, systems=systems))
        )
    return found


def numbered(utterances: Iterable[Utterance], *, seed: int = 0) -> list[Blind]:
    """Blind items of responses, those to one item side by side in an order drawn by the seed.

    ``q12c3`` is the third response shown under the twelfth conversation: the same for the same seed, so that tasks can
    be made again.
    """
    groups: dict[str, list[Utterance]] = {}
    for utterance in utterances:
        groups.setdefault(utterance.item, []).append(utterance)
    found: list[Blind] = []
    for number, (item, group) in enumerate(groups.items(), start=1):
        places = shuffled_places([utterance.text for utterance in group], item=item, seed=seed)
        found += [_single(group[at], f"q{number}c{place}") for place, at in enumerate(places, start=1)]
    if not found:
        raise Unsuitable("No candidates to ask about. Give a file with one or more questions.")
    return found


def blind_prompts(prompts: Iterable[Prompt], systems: Sequence[str]) -> list[Blind]:
    """Items of talks that raters will have: each prompt begins one with each of the systems."""
    return [_whole(prompt.item, prompt.context, system) for prompt in prompts for system in systems]


def with_gold(blinded: Iterable[Blind], gold: Iterable[Judgement]) -> list[Blind]:
    """The items, each with the values that are known of its systems; those come first, in the order of the values."""
    known: dict[tuple[str, str], dict[str, float | None]] = {}
    for judgement in gold:
        known.setdefault((judgement.item, judgement.system), {})[judgement.criterion] = judgement.value
    places = {name: place for place, name in enumerate(known)}

    def place(one: Blind) -> int:
        names = ((one.source.item, system) for system in _systems(one.source))
        return min((places.get(name, len(places)) for name in names), default=len(places))

    return sorted((_golden(item, known) for item in blinded), key=place)


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
    for system in _systems(source):
        for criterion, value in known.get((source.item, system), {}).items():
            gold.setdefault(criterion, {})[system] = value
    return Blind(blinded.item, replace(source, gold=gold)) if gold else blinded


def _systems(source: Source) -> set[str]:
    return {source.system, *source.systems.values()}


def _responses(record: Record) -> Iterator[Utterance]:
    if isinstance(record, Example) and record.response.missing is None:
        yield Utterance(record.item, record.context, record.system, record.response.text)
    elif isinstance(record, Question):
        yield from utterances_of([record])
    elif isinstance(record, NBest):
        for rank, response in enumerate(record.responses, start=1):
            yield Utterance(f"{record.item}/{rank}", record.context, record.system, response.text)
    elif isinstance(record, Prompt | Judgement):
        raise Unsuitable(
            "A file of prompts or judgements holds no response to judge. Give a run folder, examples, dialogues, "
            "questions or n-best lists; or let raters talk with systems first, with --chat."
        )


def _single(said: Utterance, name: str = "") -> Blind:
    name, candidate = (name, f"{name}r") if name else (random_id("i"), random_id("c"))
    item = Item(name, _nameless(said.context), (Shown(candidate, said.text),), marked=said.marked)
    source = Source(name, said.item, system=said.system, systems={candidate: said.system}, text=said.text)
    return Blind(item, source)


def _whole(item: str, turns: Context, system: str) -> Blind:
    name = random_id("i")
    return Blind(Item(name, _nameless(turns)), Source(name, item, system=system))


def _compared(said: Iterable[Utterance], *, pairs: bool) -> list[Blind]:
    groups: dict[tuple[str, Context], list[Utterance]] = {}
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
    split: Callable[[list[Utterance]], Iterable[Sequence[Utterance]]] = (
        (lambda group: combinations(group, 2)) if pairs else (lambda group: (group,))
    )
    return [_group(item, chosen) for (item, _), group in several.items() for chosen in split(group)]


def _group(item: str, group: Sequence[Utterance]) -> Blind:
    name = random_id("i")
    shown = tuple(Shown(random_id("c"), response.text) for response in group)
    alone = len({response.system for response in group}) == 1
    systems = {
        candidate.id: _place(response) if alone else response.system
        for candidate, response in zip(shown, group, strict=True)
    }
    return Blind(Item(name, _nameless(group[0].context), shown), Source(name, item, systems=systems))


def _place(response: Utterance) -> str:
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


EXAMPLES = "examples.jsonl"
"""File of the systems' answers in a run folder."""


def source_file(given: str) -> str:
    """The file to read: of a run folder, what its systems answered."""
    folder = Path(given)
    if not folder.is_dir():
        return given
    if (folder / EXAMPLES).is_file():
        return str(folder / EXAMPLES)
    raise BadInput(
        given, f"a folder without {EXAMPLES}", "a run folder or a file", "Name the folder of 'dialeval run'."
    )


def provenance(given: str, sample: str | None = None) -> dict[str, str]:
    """Origin of a study's items: the file or folder, the sample of it, the version of dialeval, the file's digest."""
    file = Path(source_file(given))
    found = {"source": given, "dialeval": __version__, **({"sample": sample} if sample else {})}
    return {**found, "sha256": hash_file(file)} if file.is_file() else found


def gather(given: str, shows: Shows, *, format: str | None = None, limit: int | None = None) -> list[Blind]:
    """The items of a run folder or file; ``limit`` takes the first ones only, of all systems.

    A probe (a context with a ``question`` that follows it) is shown with its question as the last turn. Responses that
    are missing have nothing to rate: they are left out, which a note says.
    """
    questions: list[str | None] = []

    def note(row: Row) -> None:
        fields = row.fields if isinstance(row.fields, dict) else {}
        question = fields.get("question")
        questions.append(question if isinstance(question, str) else None)

    silent: Counter[str] = Counter()
    guess = read_guessing(source_file(given), format=format, note=note)
    found = blind(_probed(guess.records, questions, silent), shows)
    if silent:
        whose = listing([f"{system} {number:,}" for system, number in silent.items()])
        tell(
            given,
            f"left out, since there is no response to rate: {whose}; mean ratings will not count these items",
        )
    names = set(islice(dict.fromkeys(blinded.source.item for blinded in found), limit))
    return [blinded for blinded in found if blinded.source.item in names]


def _probed(records: Iterator[Record], questions: list[str | None], silent: Counter[str]) -> Iterator[Record]:
    """Records with the questions of their rows; the row of a record is noted before the record comes.

    Items that a system left unanswered have nothing to rate; ``silent`` counts them.
    """
    for number, record in enumerate(records):
        if isinstance(record, Example) and record.response.missing is not None:
            silent[record.system] += 1
            continue
        question = questions[number] if number < len(questions) else None
        if question is None or not isinstance(record, Prompt | Example):
            yield record
            continue
        asked = record.context
        if not asked or asked[-1].text != question:
            asked = (*asked, Turn("user", question))
        yield replace(record, context=asked) if isinstance(record, Example) else Dialogue(record.item, asked)
