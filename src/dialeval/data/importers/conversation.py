"""Dialogues, prompts and examples from whole conversations; ids for items of formats that often have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from dialeval.data.codec.bad import OnBad, Where
from dialeval.data.codec.containers import rows_of
from dialeval.data.codec.fields import name
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source, conversion
from dialeval.data.types import UNNAMED, Dialogue, Example, Kind, Prompt, Record, Response
from dialeval.errors import BadInput

KINDS: Final[tuple[Kind, ...]] = ("dialogue", "prompt", "example")


def read_conversations(
    source: Source, kind: Kind, on_bad: OnBad, dialogue_of: Callable[[Row], Dialogue]
) -> Iterator[Record]:
    """A record of that kind for each conversation in a file, in the order of the file."""

    def parse(row: Row) -> Sequence[Record]:
        return as_kind(dialogue_of(row), kind, row.where)

    return records(rows_of(source)(source, on_bad), parse, on_bad)


def as_kind(dialogue: Dialogue, kind: Kind, where: Where) -> Sequence[Record]:
    """The dialogue itself, or its last turn as a reference or as a system's response."""
    if kind == "dialogue":
        return (dialogue,)
    ends = bool(dialogue.turns) and dialogue.turns[-1].speaker == "assistant"
    if kind == "prompt":
        return (_prompt(dialogue, ends=ends),)
    if not ends:
        last = repr(dialogue.turns[-1].speaker) if dialogue.turns else "no one"
        todo = f"Leave it out, or make prompts of the file: {conversion(where.path, kind='prompt')}."
        raise BadInput(where.path, f"a last turn by {last}", "a last turn by 'assistant'", todo, where.line)
    response = Response(dialogue.turns[-1].text)
    return (Example(dialogue.item, dialogue.system or UNNAMED, dialogue.turns[:-1], response),)


def _prompt(dialogue: Dialogue, *, ends: bool) -> Prompt:
    if ends:
        said = dialogue.turns[-1].text
        return Prompt(dialogue.item, dialogue.turns[:-1], (said,) if said.strip() else ())
    return Prompt(dialogue.item, dialogue.turns)


def item_of(fields: Mapping[str, object], row: Row, *names: str) -> str:
    """The row's own id, under ``id`` or one of ``names``; else its position in the file."""
    for field in names or ("id",):
        value = fields.get(field)
        if type(value) is int:
            return str(value)
        if isinstance(value, str):
            return name(fields, field, row.where, "", "text (the item's id), or no such field")
    return str(row.number)


class SharedItems:
    """Items for responses whose corpus names what they answer, not the item: systems that answer the same share one."""

    def __init__(self) -> None:
        self._items: dict[tuple[str, str, int], str] = {}
        self._per_dataset: Counter[str] = Counter()
        self._met: Counter[tuple[str, str, str]] = Counter()

    def item(self, dataset: str, system: str, answered: str) -> str:
        """The item of this response, ``convai2-17``; a system that meets the same again answers another item."""
        self._met[dataset, system, answered] += 1
        key = (dataset, answered, self._met[dataset, system, answered])
        if key not in self._items:
            self._per_dataset[dataset] += 1
            self._items[key] = f"{dataset}-{self._per_dataset[dataset]}"
        return self._items[key]
