"""N-best lists whose responses have been judged: consistent with the history, contradictory, or ambiguous."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from dialeval.core import Detector
from dialeval.data.types import NBest, Response
from dialeval.errors import Unsuitable
from dialeval.nbest.answers.classifier import AnswerReader
from dialeval.nbest.document import ListKind

Verdict: TypeAlias = Literal["consistent", "contradictory", "ambiguous"]
BAND: Final = (0.4, 0.6)
"""A detector's probabilities between these are ambiguous."""


@dataclass(frozen=True, slots=True)
class JudgedList:
    """An n-best list with a verdict on each response."""

    nbest: NBest
    verdicts: tuple[Verdict, ...]
    """One per response, in order."""
    probabilities: tuple[float, ...]
    """Of each verdict."""
    reader: str = ""
    """The signature of what judged it."""

    @property
    def item(self) -> str:
        """The id of the stimulus."""
        return self.nbest.item

    @property
    def system(self) -> str:
        """Whose list it is."""
        return self.nbest.system

    @property
    def kind(self) -> ListKind:
        """ENTQ where yes is expected, CNTQ where no is, and open where the list does not say."""
        return kind_of(self.nbest)

    def first(self, n: int | None) -> JudgedList:
        """The list as if it had only its first ``n`` responses."""
        return replace(
            self,
            nbest=replace(self.nbest, responses=self.nbest.responses[:n]),
            verdicts=self.verdicts[:n],
            probabilities=self.probabilities[:n],
        )


def kind_of(nbest: NBest) -> ListKind:
    """The kind of stimulus that a list answers."""
    kinds: dict[str | None, ListKind] = {"yes": "ENTQ", "no": "CNTQ"}
    return kinds.get(nbest.expected, "open")


def judge_lists(
    lists: Sequence[NBest], reader: AnswerReader, detector: Detector | None = None
) -> list[JudgedList]:
    """Every list with verdicts: by what the answer means where the list says what is expected, else by the detector.

    Unsuitable where an open list needs a detector and there is none.
    """
    open_lists = [nbest for nbest in lists if nbest.expected is None]
    if open_lists and detector is None:
        raise Unsuitable(
            f"{len(open_lists)} of {len(lists)} n-best lists do not say which answer is expected (first: "
            f'{open_lists[0].item!r}). Add "expected": "yes" or "no" to each, or judge them by a contradiction '
            "detector."
        )
    judged = iter(_by_meaning([nbest for nbest in lists if nbest.expected is not None], reader))
    detected = iter(_by_detector(open_lists, detector) if detector is not None else ())
    return [next(detected if nbest.expected is None else judged) for nbest in lists]


def _by_meaning(lists: Sequence[NBest], reader: AnswerReader) -> list[JudgedList]:
    flat = [
        (nbest.context[-1].text if nbest.context else "", response.text)
        for nbest in lists
        for response in nbest.responses
    ]
    readings = iter(reader.read([question for question, _ in flat], [answer for _, answer in flat]))
    judged = []
    for nbest in lists:
        mine = [next(readings) for _ in nbest.responses]
        verdicts: tuple[Verdict, ...] = tuple(
            "ambiguous"
            if reading.label == "ambiguous" or response.missing is not None
            else "consistent"
            if reading.label == nbest.expected
            else "contradictory"
            for reading, response in zip(mine, nbest.responses, strict=True)
        )
        judged.append(
            JudgedList(nbest, verdicts, tuple(reading.probability for reading in mine), str(reader.signature))
        )
    return judged


def _by_detector(lists: Sequence[NBest], detector: Detector) -> list[JudgedList]:
    flat: list[tuple[NBest, Response]] = [
        (nbest, response) for nbest in lists for response in nbest.responses
    ]
    found = detector.contradiction(
        [nbest.context for nbest, _ in flat], [response.text for _, response in flat]
    )
    probabilities = iter(found.tolist())
    judged = []
    for nbest in lists:
        mine = [next(probabilities) for _ in nbest.responses]
        verdicts = tuple(map(_banded, mine))
        sure = tuple(
            1 - p if verdict == "consistent" else p for p, verdict in zip(mine, verdicts, strict=True)
        )
        judged.append(JudgedList(nbest, verdicts, sure, str(detector.signature)))
    return judged


def _banded(probability: float) -> Verdict:
    low, high = BAND
    if probability >= high:
        return "contradictory"
    return "consistent" if probability <= low else "ambiguous"
