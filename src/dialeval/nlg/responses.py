"""Responses to acts, in files of any form, as the data and the transcripts of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from dialeval.data import kind_of, read
from dialeval.data.codec.bad import OnBad, refuse
from dialeval.data.codec.sources import Source, shown
from dialeval.data.types import UNNAMED, Example
from dialeval.display.wording import count
from dialeval.errors import BadInput, DialevalError, Unsuitable
from dialeval.files.documents import write_json_lines
from dialeval.nlg.acts.files import ActItem, act_key, read_acts
from dialeval.nlg.acts.notations import print_act
from dialeval.systems.transcript import Transcript


class StudyFiles(NamedTuple):
    """Files of acts and of the responses to them, which may be one and the same."""

    data: Path
    responses: Path


def read_responses(source: Source, references: Source | None = None, on_bad: OnBad = refuse) -> list[ActItem]:
    """Return the responses of a file of acts; ``references`` is a file with references for the acts that have none."""
    items = _distinct(list(read_acts(source, on_bad)), source)
    if not items or all(item.response is None for item in items):
        found = "no act" if not items else f"{count(len(items), 'act')} and no response"
        todo = 'Write {"id", "system", "act", "response", "references"} on each line, or give e2e:FILE.tsv.'
        raise BadInput(shown(source), found, "responses to acts", todo)
    if references is None:
        return items
    return _with_references(items, list(read_acts(references, on_bad)), references)


def is_study_file(path: Path, items: Sequence[ActItem]) -> bool:
    """Whether a study that reads the file finds these items in it, neither more nor less."""
    known = [(item.item, system_of(item), item.response, item.references) for item in items]
    told = {(item.item, item.written, item.references) for item in items}
    if len(told) > len({item.item for item in items}):  # systems must agree on what they were told to say
        return False
    try:
        if kind_of(path) != "example":
            return False
        examples = [each for each in read(path, "example") if isinstance(each, Example)]
        named = Transcript(known[0][1], path, known[0][1]).items is not None
    except DialevalError:
        return False
    found = [(each.item, each.system, each.response.text, each.references) for each in examples]
    return named and found == known


def write_study_files(folder: Path, items: Sequence[ActItem], source: Source) -> StudyFiles:
    """Write the acts and references of all items, each once, and every system's response to them."""
    acts: dict[str, ActItem] = {}
    references: dict[str, tuple[str, ...]] = {}
    for item in items:
        if act_key(acts.setdefault(item.item, item).meaning) != act_key(item.meaning):
            found, todo = f"two acts under the id {item.item!r}", "Give different acts different ids."
            raise BadInput(shown(source), found, "the same act from every system", todo, item.line, "id")
        references[item.item] = tuple(dict.fromkeys((*references.get(item.item, ()), *item.references)))
    files = StudyFiles(folder / "acts.jsonl", folder / "responses.jsonl")
    written = {item: act.written or print_act(act.meaning, "json") for item, act in acts.items()}
    rows = [{"id": item, "act": act, "references": references[item]} for item, act in written.items()]
    write_json_lines(files.data, rows)
    said = [{"id": each.item, "system": system_of(each), "response": each.response} for each in items]
    write_json_lines(files.responses, said)
    return files


def system_of(item: ActItem) -> str:
    """Return the name of the system that responds; of one without, that which stands for it everywhere."""
    return item.system or UNNAMED


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
        item if item.references else replace(item, references=held.get(act_key(item.meaning), ()))
        for item in items
    ]
    if not any(item.references for item in filled):
        raise Unsuitable(
            f"{shown(source)} has no reference for any act of the file. Give the references of these acts."
        )
    return filled
