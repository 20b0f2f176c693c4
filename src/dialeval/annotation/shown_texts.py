"""Whether raters were shown what the key says: task ids are the same in every export, texts are not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from dialeval.annotation.filled import Shown
from dialeval.annotation.forms import Form
from dialeval.data.types import Context

_SPEAKER: Final = re.compile(r"\s*[A-Z]:")


class Difference(NamedTuple):
    """What a file shows instead of what was exported."""

    found: str
    needed: str


def other_text(shown: Shown, candidate: str, context: Context | None) -> Difference | None:
    """The first line that differs, candidate before context; None where all that the file has is as exported."""
    if shown.candidate is not None and not _alike(shown.candidate, candidate):
        return Difference(shown.candidate, candidate)
    if context is not None:
        texts: Sequence[str] = [turn.text for turn in context]
        for number, found in shown.turns.items():
            needed = texts[number - 1] if 1 <= number <= len(texts) else ""
            if not _alike(found, needed):
                return Difference(found, needed)
    return None


def other_form(shown: Shown, form: Form) -> Difference | None:
    """What was asked where it is not what the form asks."""
    if shown.criterion and shown.criterion != form.criterion:
        return Difference(shown.criterion, form.criterion)
    if shown.ask and not _alike(shown.ask, form.ask):
        return Difference(shown.ask, form.ask)
    return None


def _alike(found: str, exported: str) -> bool:
    return exported == found or _essence(_SPEAKER.sub("", found, count=1)) == _essence(exported)


def _essence(text: str) -> str:
    """A text's letters and digits: spreadsheets alter blanks and quotes, and spoil what is not ASCII.

    Where none is ASCII, as in Japanese, all count.
    """
    kept = [character for character in text.casefold() if character.isalnum()]
    return "".join(filter(str.isascii, kept)) or "".join(kept)
