"""Dialogues, prompts and examples from any format of whole conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from dialeval.data.codec.bad import OnBad, Where
from dialeval.data.codec.jsonl import read_rows
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source, conversion
from dialeval.data.types import Dialogue, Example, Kind, Prompt, Record, Response
from dialeval.errors import BadInput

KINDS: Final[tuple[Kind, ...]] = ("dialogue", "prompt", "example")


def read_conversations(
    source: Source, kind: Kind, on_bad: OnBad, dialogue_of: Callable[[Row], Dialogue]
) -> Iterator[Record]:
    """A record of that kind for each conversation in a file of JSON, in the order of the file."""

    def parse(row: Row) -> Sequence[Record]:
        return _as_kind(dialogue_of(row), kind, row.where)

    return records(read_rows(source, on_bad), parse, on_bad)


def _as_kind(dialogue: Dialogue, kind: Kind, where: Where) -> Sequence[Record]:
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
    return (Example(dialogue.item, dialogue.system or "system", dialogue.turns[:-1], response),)


def _prompt(dialogue: Dialogue, *, ends: bool) -> Prompt:
    if ends:
        said = dialogue.turns[-1].text
        return Prompt(dialogue.item, dialogue.turns[:-1], (said,) if said.strip() else ())
    return Prompt(dialogue.item, dialogue.turns)
