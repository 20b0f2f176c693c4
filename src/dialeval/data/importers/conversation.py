"""What every format of whole conversations can give: dialogues, prompts, and examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dialeval.data.bad import Where
from dialeval.data.sources import conversion
from dialeval.data.types import Dialogue, Example, Kind, Prompt, Record, Response
from dialeval.errors import BadInput

KINDS: Final[tuple[Kind, ...]] = ("dialogue", "prompt", "example")


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
    return (Example(dialogue.item, dialogue.system or "system", dialogue.turns[:-1], response),)


def _prompt(dialogue: Dialogue, *, ends: bool) -> Prompt:
    if ends:
        return Prompt(dialogue.item, dialogue.turns[:-1], (dialogue.turns[-1].text,))
    return Prompt(dialogue.item, dialogue.turns)
