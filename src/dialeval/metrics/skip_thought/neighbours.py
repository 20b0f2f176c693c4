"""Training data of a Skip-Thought model: sentences with the ones before and after them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dialeval.data.types import Dialogue, Prompt
from dialeval.errors import Unsuitable


class Triple(NamedTuple):
    """A sentence and its neighbours; an empty text for a missing one."""

    before: str
    here: str
    after: str


def triples(records: Iterable[Dialogue | Prompt]) -> list[Triple]:
    """Every turn with the turns beside it, each triple once, in the order in which they are first met.

    Each reference of a prompt is one continuation of its context.
    """
    unique: dict[Triple, None] = {}
    for record in records:
        for turns in _passages(record):
            said = [text for turn in turns if (text := " ".join(turn.split()))]
            for index, here in enumerate(said):
                triple = Triple(
                    said[index - 1] if index else "", here, said[index + 1] if index + 1 < len(said) else ""
                )
                if triple.before or triple.after:
                    unique[triple] = None
    if not unique:
        raise Unsuitable(
            "The corpus has no two turns in a row, so there is nothing to learn from. "
            "Give dialogues of two turns or more."
        )
    return list(unique)


def digest(data: Sequence[Triple]) -> str:
    """The sha256 of the triples in order."""
    made = hashlib.sha256()
    for triple in data:
        made.update("\t".join(triple).encode("utf-8", "surrogatepass") + b"\n")
    return made.hexdigest()


def _passages(record: Dialogue | Prompt) -> list[list[str]]:
    if isinstance(record, Dialogue):
        return [[turn.text for turn in record.turns]]
    context = [turn.text for turn in record.context]
    return [[*context, reference] for reference in record.references] or [context]
