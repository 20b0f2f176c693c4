"""Reading speed of raters: answers that came faster than anybody reads what they are about.

An answer is hurried when it took less time than reading its new words takes at ``WORDS_PER_MINUTE``. Most adults read
English non-fiction silently at 175 to 300 words a minute, 238 on average (Brysbaert 2019, Journal of Memory and
Language 109, 104047); the bound is twice the upper end, so that those who skim are not flagged. Turns that the rater
has met before do not count, and neither do questions and instructions. Nothing is dropped: a rater of whose answers
half or more are hurried is flagged, on the owner's page, in exports and by ``annotate agreement``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from dialeval.annotation.items import Item
from dialeval.annotation.project import Project, read_records
from dialeval.annotation.store.plan import Given
from dialeval.display.notes import Note

WORDS_PER_MINUTE: Final = 600.0
CHARACTERS_PER_WORD: Final = 2.0
"""Of scripts without spaces: a word of Japanese has 1.85 characters, of Chinese 1.6 (Trauzettel-Klosinski and Dietz
2012, Investigative Ophthalmology & Visual Science 53(9)), rounded so that fewer words count."""
LEAST_ANSWERS: Final = 5
"""From how many timed answers on a rater may be flagged."""
HURRIED_SHARE: Final = 0.5
SIMULATED: Final = "simulated-"
"""Prefix of the names of simulated raters, who read nothing and are not timed."""

RATERS: Final = "raters.jsonl"
"""End of the name of the file in which an export says what is odd about raters."""

_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
)
_WORD: Final = re.compile(r"\w+(?:['’\-.,]\w+)*")


class Pace(NamedTuple):
    """Answers of one rater whose time is known, and those among them that came faster than reading."""

    timed: int
    hurried: int

    @property
    def flagged(self) -> bool:
        """Whether the rater is faster than reading allows."""
        return self.timed >= LEAST_ANSWERS and self.hurried >= HURRIED_SHARE * self.timed

    @property
    def note(self) -> Note:
        """The flag for people and programs."""
        text = f"answered {self.hurried:,} of {self.timed:,} items faster than {WORDS_PER_MINUTE:g} words a minute"
        return Note("faster_than_reading", text)


NO_PACE: Final = Pace(0, 0)
"""Of a rater none of whose answers were timed."""


def word_count(text: str) -> float:
    """Words of a text; of scripts without spaces, characters divided by ``CHARACTERS_PER_WORD``.

    >>> word_count("It's at 9.30, I think."), word_count("猫が好きです")
    (5.0, 3.0)
    """
    characters = len(_UNSPACED.findall(text))
    return len(_WORD.findall(_UNSPACED.sub(" ", text))) + characters / CHARACTERS_PER_WORD


def least_seconds(words: float) -> float:
    """Seconds in which so many words can be read at best.

    >>> least_seconds(50)
    5.0
    """
    return 60 * words / WORDS_PER_MINUTE


class FirstAnswer(NamedTuple):
    """First answer of a rater to an item, with the time that it took."""

    rater: str
    item: str
    seconds: float
    least: float
    """Seconds that reading its new words takes at best."""

    @property
    def hurried(self) -> bool:
        """Whether it came faster than reading allows."""
        return self.seconds < self.least


def timed_answers(
    project: Project, revisions: Iterable[Given], shown: Mapping[tuple[str, str], float]
) -> dict[tuple[str, str], FirstAnswer]:
    """Times of first answers to items to rate, by rater and item; ``shown`` says when each item was first given out.

    The time is what the page measured, but never more than what passed on the server: a page may say what it likes.
    """
    found: dict[tuple[str, str], FirstAnswer] = {}
    met: dict[str, set[str]] = {}
    for given in sorted(revisions, key=lambda one: one.at):
        if given.revision != 1 or given.rater.startswith(SIMULATED):
            continue
        texts = _texts(project.items[given.item])
        new = texts - met.setdefault(given.rater, set())
        met[given.rater] |= texts
        passed = given.at - shown.get((given.rater, given.item), float("inf"))
        known = [seconds for seconds in (given.seconds, passed) if seconds is not None and seconds >= 0]
        if known and project.sources[given.item].role == "rating":
            least = least_seconds(sum(map(word_count, new)))
            found[given.rater, given.item] = FirstAnswer(given.rater, given.item, min(known), least)
    return found


def paces(answers: Iterable[FirstAnswer]) -> dict[str, Pace]:
    """Pace of each rater."""
    found: dict[str, Pace] = {}
    for one in answers:
        timed, hurried = found.get(one.rater, Pace(0, 0))
        found[one.rater] = Pace(timed + 1, hurried + one.hurried)
    return found


def _texts(item: Item) -> set[str]:
    return {turn.text for turn in item.context} | {candidate.text for candidate in item.candidates}


@dataclass(frozen=True, slots=True)
class RaterFlags:
    """A line of an export's ``raters.jsonl``: what is odd about one rater."""

    rater: str
    state: str
    flags: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Texts by code, such as ``faster_than_reading``."""


def beside(path: Path, name: str) -> Path:
    """File of an export beside its judgements: ``ratings.jsonl`` has ``ratings.raters.jsonl`` beside it."""
    stem = path.name.removesuffix(".gz").rpartition(".")[0] or path.name
    return path.with_name(f"{stem}.{name}")


def read_flags(judgements: Path) -> dict[str, tuple[Note, ...]]:
    """Flags of raters that the export of these judgements wrote, by rater; none if there is no such file."""
    path = beside(judgements, RATERS)
    if not path.is_file():
        return {}
    return {
        one.rater: tuple(Note(code, text) for code, text in one.flags.items())
        for one in read_records(RaterFlags, path)
        if one.flags
    }
