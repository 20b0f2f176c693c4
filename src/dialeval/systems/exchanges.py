"""A corpus as pairs of a context and the turn that followed it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from dialeval.data import kind_of, read
from dialeval.data.codec.sources import source_stamp
from dialeval.data.types import Dialogue, Example, Prompt, Turn
from dialeval.errors import BadInput
from dialeval.files.digests import Stamp

INSTRUCTIONS: Final = ("system", "developer")
"""Roles whose turns tell a system what to do, and are not part of what is said."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A turn and what came before it."""

    turns: tuple[str, ...]
    """The dialogue's turns, shared by its exchanges; only those before ``end`` are context."""
    end: int
    response: str

    @property
    def context(self) -> tuple[str, ...]:
        """The turns before the response, oldest first; may be empty."""
        return self.turns[: self.end]


def exchanges(corpus: Path) -> tuple[Exchange, ...]:
    """Every exchange of a corpus file, in its order; read again only when the file has changed.

    A dialogue gives one exchange per turn, a prompt one per reference, an example one per reference, or one with its
    response if it has none. Blank turns are skipped, and instructions to a system are not part of what was said.
    """
    return _exchanges(source_stamp(corpus))


def spoken(turns: Iterable[Turn]) -> tuple[str, ...]:
    """Return what was said in these turns, without instructions to a system."""
    return tuple(turn.text for turn in turns if turn.speaker not in INSTRUCTIONS)


@lru_cache(maxsize=4)
def _exchanges(file: Stamp) -> tuple[Exchange, ...]:
    exchanges_read = tuple(_read(file.path))
    if not exchanges_read:
        raise BadInput(
            path=str(file.path),
            found="no turn that answers another",
            expected="dialogues, or prompts with references",
            todo="Give 'corpus' a file of conversations.",
        )
    return exchanges_read


def _read(path: Path) -> Iterator[Exchange]:
    kind = kind_of(path)
    if kind not in ("dialogue", "prompt", "example"):
        raise BadInput(
            path=str(path),
            found=f"{kind} records",
            expected="dialogues, prompts with references, or examples",
            todo="Give 'corpus' a file of conversations.",
        )
    for record in read(path, kind):
        if isinstance(record, Dialogue):
            turns = spoken(record.turns)
            yield from (Exchange(turns, end, text) for end, text in enumerate(turns) if text.strip())
        elif isinstance(record, Prompt | Example):
            context = spoken(record.context)
            texts = record.references
            if isinstance(record, Example) and not texts:
                texts = (record.response.text,)
            yield from (Exchange(context, len(context), text) for text in texts if text.strip())
