"""Choices of systems among candidates: the one writer and reader of ``choices.jsonl`` (docs/files.md)."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from dialeval.data.codec import jsonl
from dialeval.data.codec.bad import Where, refuse
from dialeval.data.codec.decode import decode
from dialeval.data.codec.fields import number, optional_text, text, wrong
from dialeval.data.types import Question, Status
from dialeval.files.documents import write_json_lines


@dataclass(frozen=True, slots=True)
class Choice:
    """Choice of a system for a question: a score for every candidate, the highest being its choice.

    Ties are broken against the system: if the best correct candidate and a false one have the same score, the false
    one is the choice. Of several correct candidates it is enough that one is above all false ones.
    """

    question: Question
    system: str
    scores: tuple[float, ...]

    @property
    def item(self) -> str:
        """The question's id."""
        return self.question.item

    @property
    def chosen(self) -> int:
        """The place of the candidate that is the system's choice, the first of several."""
        candidates = self.question.candidates
        return max(
            range(len(candidates)),
            key=lambda place: (self.scores[place], not candidates[place].correct, -place),
        )

    @property
    def right(self) -> bool:
        """Whether a correct candidate is above all false ones."""
        return self.rank == 1

    @property
    def rank(self) -> int:
        """The place of the best correct candidate, from 1, false ones with the same score before it."""
        return 1 + sum(score >= self._best for score in self._of(correct=False))

    @property
    def tied(self) -> bool:
        """Whether the best correct candidate ties with the best false one, so that the rule on ties decides."""
        return max(self._of(correct=False), default=None) == self._best

    @property
    def _best(self) -> float:
        return max(self._of(correct=True))

    def _of(self, *, correct: bool) -> list[float]:
        pairs = zip(self.scores, self.question.candidates, strict=True)
        return [score for score, candidate in pairs if candidate.correct is correct]


@dataclass(frozen=True, slots=True)
class NoChoice:
    """A question in which a system chose nothing, and why."""

    item: str
    system: str
    status: Status | None
    """The question's."""
    reason: str


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """A line of ``choices.jsonl``: a system's choice under a measure, or the reason why there is none."""

    measure: str
    outcome: Choice | NoChoice

    @property
    def item(self) -> str:
        """The question's id."""
        return self.outcome.item

    @property
    def system(self) -> str:
        """The system that was asked."""
        return self.outcome.system

    @property
    def status(self) -> Status | None:
        """Whether people have looked at the question's candidates."""
        return self.outcome.status if isinstance(self.outcome, NoChoice) else self.outcome.question.status

    def json_value(self) -> dict[str, object]:
        """The line as an object; a score that is not finite is null."""
        head = {"measure": self.measure, "id": self.item, "system": self.system, "status": self.status}
        if isinstance(self.outcome, NoChoice):
            return {**head, "reason": self.outcome.reason}
        choice = self.outcome
        return {
            **head,
            "chosen": choice.chosen,
            "correct": choice.right,
            "rank": choice.rank,
            "context": [
                {"role": turn.speaker, "content": turn.text} | ({"name": turn.name} if turn.name else {})
                for turn in choice.question.context
            ],
            "candidates": [
                {"text": candidate.text, "score": score, "correct": candidate.correct}
                | ({"error": candidate.error} if candidate.error else {})
                for candidate, score in zip(choice.question.candidates, choice.scores, strict=True)
            ],
        }


def write_choices(path: Path, rows: Iterable[ChoiceRow]) -> None:
    """Write the rows, one per line."""
    write_json_lines(path, rows, follow=True)


def read_choices(path: Path) -> Iterator[ChoiceRow]:
    """The rows of the file, in order; BadInput names the line and field that cannot be read."""
    for row in jsonl.read_rows(path, refuse):
        if not isinstance(row.fields, dict):
            raise wrong(row.where, "", row.fields, "a choice", "Ask the systems again.")
        yield ChoiceRow(text(row.fields, "measure", row.where, ""), _outcome(row.fields, row.where))


def choices_vetting(path: Path) -> dict[str, Vetting]:
    """Return how far the questions in a file of choices are vetted, by measure; nothing if it holds no choices."""
    if not path.is_file() or not _holds_choices(path):
        return {}
    statuses: dict[str, dict[str, Status | None]] = {}
    for row in read_choices(path):
        statuses.setdefault(row.measure, {})[row.item] = row.status
    return {measure: Vetting.of(by_item.values()) for measure, by_item in statuses.items()}


def _holds_choices(path: Path) -> bool:
    """Whether the first line is a choice; that of a file that cannot be read is not."""
    first = next(jsonl.read_rows(path, lambda bad: None), None)
    return first is not None and isinstance(first.fields, dict) and "chosen" in first.fields


def _outcome(fields: Mapping[str, object], where: Where) -> Choice | NoChoice:
    system = text(fields, "system", where, "")
    if "chosen" in fields:
        question = decode(fields, "question", where)
        return Choice(question, system, tuple(_scores(fields["candidates"], where)))
    status = fields.get("status")
    if status not in ("vetted", "unvetted", None):
        raise wrong(where, "status", status, "'vetted', 'unvetted' or null", "Ask the systems again.")
    reason = optional_text(fields, "reason", where, "") or ""
    return NoChoice(text(fields, "id", where, ""), system, status, reason)


def _scores(candidates: object, where: Where) -> Iterator[float]:
    for place, candidate in enumerate(candidates if isinstance(candidates, list) else ()):
        score = number(candidate, "score", where, f"candidates[{place}]")
        # Of scores that JSON cannot hold, a choice may only have the log-probability of what is impossible.
        yield -math.inf if score is None else score


class Vetting(NamedTuple):
    """Numbers of questions that are vetted, unvetted, and of unknown status; printed as a sentence."""

    vetted: int
    unvetted: int
    unknown: int

    @classmethod
    def of(cls, statuses: Iterable[Status | None]) -> Vetting:
        """The counts of these statuses."""
        counts = Counter(statuses)
        return cls(counts["vetted"], counts["unvetted"], counts[None])

    @property
    def complete(self) -> bool:
        """Whether raters have looked at every candidate."""
        return self.vetted > 0 and not self.unvetted and not self.unknown

    def __str__(self) -> str:
        if self.complete:
            return "vetted: raters have looked at every candidate"
        if self.unvetted and not self.vetted and not self.unknown:
            return "unvetted: nobody has looked at the candidates, so some false ones may be acceptable"
        if self.unknown and not self.vetted and not self.unvetted:
            return "vetting unknown: nothing says whether raters have looked at the candidates"
        unknown = f", {self.unknown:,} of unknown status" if self.unknown else ""
        return f"{self.vetted:,} questions vetted by raters, {self.unvetted:,} unvetted{unknown}"


def vetting_of(questions: Iterable[Question]) -> Vetting:
    """Return how far the questions are vetted."""
    return Vetting.of(question.status for question in questions)


def status_line(questions: Iterable[Question]) -> str:
    """The sentence for these questions."""
    return str(vetting_of(questions))


Purpose: TypeAlias = Literal["drawn", "shown"]


def shuffled_places(texts: Sequence[str], *, item: str, seed: int, purpose: Purpose = "shown") -> list[int]:
    """The places of the texts in an order that hangs on the seed, the item, the purpose and each text alone.

    So leaving one out, or coming in another order, moves no other: what was drawn once is drawn again. Equal texts keep
    their order. Those drawn first must not be shown in the order of the draw, for what was there before the draw, as a
    ground truth, would then mostly come last.
    """
    marks = [hashlib.sha256(f"{purpose}\0{seed}\0{item}\0{text}".encode()).digest() for text in texts]
    return sorted(range(len(texts)), key=lambda place: (marks[place], place))
