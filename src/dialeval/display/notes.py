"""Notes: advice to the reader of a number, with a code for programs and a text for people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Note:
    """Advice to the reader. Files hold the text alone, so a note that was read back has no code.

    >>> str(Note("few_systems", "only 3 systems"))
    'only 3 systems'
    """

    code: str = field(compare=False)
    """Code of the note, for programs and tests: ``few_systems``."""
    text: str

    def __str__(self) -> str:
        return self.text

    def json_value(self) -> str:
        """The text, which is all that files hold."""
        return self.text

    @classmethod
    def read(cls, text: str) -> Note:
        """The note with that text, as files hold it."""
        return cls("", text)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> Any:
        """Let pydantic read a note from its text."""
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(cls.read, core_schema.str_schema(strict=True))


def codes(notes: Iterable[Note]) -> tuple[str, ...]:
    """The codes of the notes, in order."""
    return tuple(note.code for note in notes)


def texts(notes: Iterable[Note]) -> tuple[str, ...]:
    """The texts of the notes, in order, as files and pages show them."""
    return tuple(note.text for note in notes)
