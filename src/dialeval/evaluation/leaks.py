"""Responses that are their own references, as where the data and a system come from one log."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, TypeVar

from dialeval.data.types import Example
from dialeval.display.wording import count

S = TypeVar("S")
LeakCode: TypeAlias = Literal["responses_equal_references"]

FEWEST: Final = 5
"""Copies that say something."""
LEAST: Final = 10
"""Letters and digits of a response that is not equal by chance, as "Yes." may be."""
MOST: Final = 10_000
"""Items of a system that are looked at: the first ones."""


@dataclass(frozen=True, slots=True)
class Leak:
    """A system whose responses equal one of their references on most items."""

    system: str
    copied: int
    items: int
    """Those that were looked at: answered, with a reference of a length that is not equal by chance."""
    code: LeakCode = "responses_equal_references"

    @property
    def sentence(self) -> str:
        """Say how many there are, and what to ask oneself."""
        return (
            f"{self.system}: {self.copied:,} of {count(self.items, 'response')} equal their reference: is the data its "
            "own log?"
        )


class CopyCount:
    """Counts, by system, responses that equal one of their references but for case, spaces and punctuation."""

    def __init__(self) -> None:
        self._items: dict[str, int] = {}
        self._copied: dict[str, int] = {}

    def add(self, subject: object) -> None:
        """Look at this subject, if it is a response that has references."""
        if not isinstance(subject, Example) or not subject.references:
            return
        seen = self._items.get(subject.system, 0)
        if seen >= MOST or subject.response.missing is not None:
            return
        known = {bare for text in subject.references if len(bare := _bare(text)) >= LEAST}
        said = _bare(subject.response.text) if known else ""
        if said:
            self._items[subject.system] = seen + 1
            self._copied[subject.system] = self._copied.get(subject.system, 0) + (said in known)

    def watch(self, subjects: Iterable[S]) -> Iterator[S]:
        """The subjects, each looked at as it passes."""
        for subject in subjects:
            self.add(subject)
            yield subject

    def leaks(self, meant: Collection[str] = ()) -> tuple[Leak, ...]:
        """The systems that copy at least half of the items, and five, but for those of which that is ``meant``."""
        return tuple(
            Leak(system, copied, self._items[system])
            for system, copied in self._copied.items()
            if system not in meant and copied >= max(FEWEST, self._items[system] / 2)
        )


def leaks_of(examples: Iterable[object], meant: Collection[str] = ()) -> tuple[Leak, ...]:
    """The systems among these examples whose responses equal their references on most items."""
    counted = CopyCount()
    for example in examples:
        counted.add(example)
    return counted.leaks(meant)


def _bare(text: str) -> str:
    """The letters and digits of a text, case-folded."""
    return "".join(filter(str.isalnum, text.casefold()))
