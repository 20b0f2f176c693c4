"""N-best lists whose responses have been judged: consistent with the history, contradictory, or ambiguous."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from dialeval.core import Detector, Missing
from dialeval.data.speakers import has_said
from dialeval.data.types import NBest, Response
from dialeval.errors import Unsuitable
from dialeval.nbest.answers.classifier import AnswerReader
from dialeval.nbest.detectors import threshold_of
from dialeval.nbest.document import ListKind
from dialeval.text.blank import is_blank

Verdict: TypeAlias = Literal["consistent", "contradictory", "ambiguous"]
NO_VERDICT: Final = "the judge gave no verdict on a response; the same command asks again for what failed"
NOTHING_SAID: Final = "the responder has said nothing before"


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
    obstacle: str | None = None
    """Why the list could not be judged, whatever its verdicts."""

    @property
    def item(self) -> str:
        """The id of the stimulus."""
        return self.nbest.item

    @property
    def system(self) -> str:
        """Whose list it is."""
        return self.nbest.system

    @property
    def unanswered(self) -> bool:
        """Whether no response says anything, though the list could be judged."""
        return self.obstacle is None and all(map(says_nothing, self.nbest.responses))

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


@dataclass(frozen=True, slots=True)
class SweptList(JudgedList):
    """An n-best list, with the lists of the same stimulus by beam searches of other sizes."""

    by_beams: tuple[tuple[int, JudgedList | Missing], ...] = ()
    """Each size with its own list, judged."""


def says_nothing(response: Response) -> bool:
    """Whether the response is absent or blank: then it counts as contradictory, since it does not answer either."""
    return response.missing is not None or is_blank(response.text)


def kind_of(nbest: NBest) -> ListKind:
    """The kind of stimulus that a list answers."""
    kinds: dict[str | None, ListKind] = {"yes": "ENTQ", "no": "CNTQ"}
    return kinds.get(nbest.expected, "open")


def judge_lists(
    lists: Sequence[NBest],
    reader: AnswerReader,
    detector: Detector | None = None,
    *,
    detect_all: bool = False,
) -> list[JudgedList]:
    """Every list with verdicts: by what the answer means where the list says what is expected, else by the detector.

    With ``detect_all`` the detector judges all of them. Unsuitable where a list needs a detector and there is none.
    """
    left = [nbest for nbest in lists if detect_all or nbest.expected is None]
    if left and detector is None:
        raise Unsuitable(
            f"{len(left)} of {len(lists)} n-best lists do not say which answer is expected (first: "
            f'{left[0].item!r}). Add "expected": "yes" or "no" to each, or judge them by a contradiction '
            "detector."
        )
    by_meaning = [nbest for nbest in lists if not detect_all and nbest.expected is not None]
    judged = iter(_by_meaning(by_meaning, reader) if by_meaning else ())
    detected = iter(_by_detector(left, detector) if detector is not None else ())
    return [next(detected if detect_all or nbest.expected is None else judged) for nbest in lists]


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
            "contradictory"
            if says_nothing(response)
            else "ambiguous"
            if reading.label == "ambiguous"
            else "consistent"
            if reading.label == nbest.expected
            else "contradictory"
            for reading, response in zip(mine, nbest.responses, strict=True)
        )
        probabilities = tuple(reading.probability for reading in mine)
        lacking = next((reading.lacking for reading in mine if reading.lacking is not None), None)
        judged.append(JudgedList(nbest, verdicts, probabilities, str(reader.signature), lacking))
    return judged


def _by_detector(lists: Sequence[NBest], detector: Detector) -> list[JudgedList]:
    """By the detector's threshold: nearly every list would have a response in its ambiguous band."""
    flat: list[tuple[NBest, Response]] = [
        (nbest, response) for nbest in lists for response in nbest.responses
    ]
    found = detector.contradiction(
        [nbest.context for nbest, _ in flat], [response.text for _, response in flat]
    )
    threshold = threshold_of(detector)
    probabilities = iter(found.tolist())
    judged = []
    for nbest in lists:
        given = [next(probabilities) for _ in nbest.responses]
        verdicts: tuple[Verdict, ...] = tuple(
            "contradictory"
            if says_nothing(response) or p >= threshold
            else "ambiguous"
            if math.isnan(p)
            else "consistent"
            for p, response in zip(given, nbest.responses, strict=True)
        )
        sure = tuple(
            1 - p if verdict == "consistent" else p for p, verdict in zip(given, verdicts, strict=True)
        )
        obstacle = None if has_said(nbest.context) else NOTHING_SAID
        if any(map(math.isnan, given)):
            obstacle = NO_VERDICT
        judged.append(JudgedList(nbest, verdicts, sure, str(detector.signature), obstacle))
    return judged
