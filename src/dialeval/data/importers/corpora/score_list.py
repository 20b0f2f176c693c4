"""Scores that were published as bare lists, in the order of the responses or dialogues they are of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from dialeval.data.codec.bad import OnBad, Where, refuse
from dialeval.data.codec.fields import wrong
from dialeval.data.codec.jsonl import read_whole
from dialeval.data.codec.sources import Source, check, is_stdin, shown
from dialeval.data.importers.corpora import fed
from dialeval.data.importers.ratings import rating
from dialeval.data.types import Judgement, Kind, Record
from dialeval.errors import BadInput

KINDS: Final[tuple[Kind, ...]] = ("judgement",)

_CORPUS: Final = "fed_data.json"


class Subject(Protocol):
    """Whatever has been scored: an example, a dialogue."""

    @property
    def item(self) -> str:
        """Return which item it answers."""
        ...

    @property
    def system(self) -> str:
        """Return whose it is."""
        ...


def read_scores(
    source: Source, subjects: Iterable[Subject], *, rater: str, criterion: str | None = None
) -> Iterator[Judgement]:
    """Judgements from a JSON list of numbers, one for each of ``subjects``, in their order.

    The criterion is the rater's name unless told otherwise, as metrics have it. A list of another length is refused.
    """
    where = Where(shown(source))
    scores = read_whole(source, where)
    if not isinstance(scores, list):
        raise wrong(where, "", scores, "a list of numbers", "Name a file that holds one list.")
    yield from _judgements(scores, list(subjects), rater, criterion or rater, where, "")


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """FED's own scores, ``{"Interesting": [...], ...}``, of the turns or dialogues in the ``fed_data.json`` beside it.

    Each quality is a rater of its own, ``fed(quality='Interesting')``, under the criterion ``fed``. Which of turns and
    dialogues are meant follows from the length of the lists.
    """
    where = Where(shown(source))
    lists = read_whole(source, where)
    if not isinstance(lists, Mapping) or not all(isinstance(scores, list) for scores in lists.values()):
        raise wrong(where, "", lists, "an object of lists of numbers", "Name one of FED's files of scores.")
    held = _corpus(source)
    for quality, scores in lists.items():
        subjects = next((part for part in held if len(part) == len(scores)), held[0])
        yield from _judgements(scores, subjects, f"fed(quality={quality!r})", "fed", where, str(quality))


def _corpus(source: Source) -> list[list[Subject]]:
    """The turns and the dialogues that FED rates."""
    if is_stdin(source):
        todo = f"Name the file, so that {_CORPUS} is found beside it."
        raise BadInput(shown(source), "a stream", "a file", todo)
    path = Path(source).with_name(_CORPUS)
    check(path)
    turns, dialogues = (list(fed.read(path, kind, refuse)) for kind in _FED_KINDS)
    return [turns, dialogues]  # type: ignore[list-item]  # examples and dialogues have both


_FED_KINDS: Final[tuple[Kind, Kind]] = ("example", "dialogue")


def _judgements(
    scores: Sequence[object],
    subjects: Sequence[Subject],
    rater: str,
    criterion: str,
    where: Where,
    field: str,
) -> Iterator[Judgement]:
    if len(scores) != len(subjects):
        found, expected = f"{len(scores):,} scores", f"{len(subjects):,}, one for each response"
        todo = "Give the scores in the order of the responses, one for each."
        raise BadInput(where.path, found, expected, todo, where.line, field or None)
    for index, (subject, score) in enumerate(zip(subjects, scores, strict=True)):
        value, reason = rating(score, where, f"{field}[{index}]")
        yield Judgement(subject.item, subject.system, rater, criterion, value, reason)
