"""Slot errors by a judge: whether a response says each slot of its act, and anything that the act does not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from dialeval.core import Floats
from dialeval.data.types import Example, Response, Turn
from dialeval.errors import DialevalError
from dialeval.judge.document import Code
from dialeval.judge.naming import PREFIX, names_judge
from dialeval.judge.questioner import Asked, Questioner, Shares, number_of, reason_of
from dialeval.metrics.rows import MeanOfValues
from dialeval.nlg.document import Finding, Outcome
from dialeval.nlg.slots.needs import Need, needs_of
from dialeval.nlg.subjects import act_in

_OUTCOMES: tuple[Outcome, ...] = ("wrong", "missing", "said")
"""Of the scores of the question, lowest first."""
_ADDED = "something"


class Verdicts(NamedTuple):
    """Answers of the judge about one response: one for each slot of the act, and whether anything is added."""

    needs: tuple[Need, ...]
    said: tuple[Shares, ...]
    added: Shares

    @property
    def lacking(self) -> Code | None:
        """Why the first answer that is lacking is; None if all are there."""
        return next((one.code for one in (*self.said, self.added) if one.values is None), None)

    def findings(self) -> Iterator[Finding]:
        """Outcome of each slot, the likeliest; and something added, if that is likelier than not."""
        for need, shares in zip(self.needs, self.said, strict=True):
            if shares.values is not None:
                yield Finding(need.slot, need.value, _OUTCOMES[int(np.argmax(shares.values))])
        if self.added.values is not None and self.added.values[-1] >= 0.5:
            yield Finding(_ADDED, "", "added")


@dataclass(frozen=True, slots=True)
class JudgedSlotErrors(MeanOfValues[Example]):
    """Slot errors by a judge, over the slots of the act: values that are missing or wrong, and 1 if more is said.

    Each slot is a question to the judge, and whether the response states anything else is one more, so that several
    things added count once. A slot is in error if that is likelier than not. In [0, ...), lower is better; the corpus
    score is pooled, as that of ``slot_error_rate``.
    """

    name: ClassVar[str] = "judged_slot_errors"
    higher_is_better: ClassVar[bool] = False
    limits: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    averages: ClassVar[bool] = False
    family: ClassVar[str] = "slot_error_rate"
    by: str
    """The judge, as ``judge:NAME``."""

    def __post_init__(self) -> None:
        require_judge(self.name, self.by)

    @property
    def asks(self) -> bool:
        """Always: the judge's replies are kept as they come."""
        return True

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The judge, and the digests of its two questions."""
        return (("judge", self._said.fact), ("added", self._added.fact))

    @property
    def resources(self) -> Mapping[str, str]:
        """Models that run here, and their sha256."""
        return self._said.resources

    @property
    def _said(self) -> Questioner:
        return Questioner(self.by, "slot_said")

    @property
    def _added(self) -> Questioner:
        return Questioner(self.by, "slot_added")

    def unscorable(self, example: Example) -> str | None:
        """That the act has no slot with a value; Unsuitable if the judge would judge itself."""
        self._said.judge.refuse_itself(example.system)
        return self._obstacle(example)

    def _obstacle(self, example: Example) -> str | None:
        held = act_in(example.context)
        if held.meaning is None:
            return held.problem
        if not example.response.text.strip():
            return "blank response"
        return None if needs_of(held.meaning) else "the act has no slot with a value to check"

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of errors, slots, and 0; of NaN, slots and a code's number if the judge gives no answer."""
        rows = np.zeros((len(examples), 3))
        for row, given in zip(rows, self.ask(examples), strict=True):
            lost = given.lacking
            errors = sum(finding.outcome != "said" for finding in given.findings())
            row[:] = (np.nan if lost else errors, len(given.needs), number_of(lost) if lost else 0)
        return rows

    def undefined(self, row: Floats) -> str:
        """Why the judge gave no answer."""
        return reason_of(row[2])

    def ask(self, examples: Sequence[Example]) -> list[Verdicts]:
        """The judge's answers about each response."""
        needs = [_needs(example) for example in examples]
        slots = [slot_question(e, need) for e, own in zip(examples, needs, strict=True) for need in own]
        said, added = iter(self._said.ask(slots)), self._added.ask(list(map(added_question, examples)))
        return [
            Verdicts(own, tuple(next(said) for _ in own), more)
            for own, more in zip(needs, added, strict=True)
        ]

    def recalled(self, example: Example) -> Verdicts:
        """The answers that are known already; nothing is asked."""
        needs = _needs(example)
        said = tuple(self._said.recalled(slot_question(example, need)) for need in needs)
        return Verdicts(needs, said, self._added.recalled(added_question(example)))

    def judged(self, subjects: Sequence[object]) -> Sequence[Asked]:
        """The judge with each of its two questions, and what they are about."""
        usable = [each for each in subjects if isinstance(each, Example) and self._obstacle(each) is None]
        slots = [slot_question(each, need) for each in usable for need in _needs(each)]
        return [Asked(self._said.judge, slots), Asked(self._added.judge, list(map(added_question, usable)))]

    def explain(self, example: Example) -> str:
        """Return what the judge says of each slot, and of what is added, a line each."""
        lines = [
            f"{need.slot}={need.value}: {self._said.explain(slot_question(example, need))}"
            for need in _needs(example)
        ]
        return "\n".join([*lines, f"added: {self._added.explain(added_question(example))}"])


def require_judge(measure: str, by: str) -> None:
    """Refuse a name that is not that of a judge."""
    if not names_judge(by):
        raise DialevalError(
            f"'by' of {measure}: found {by!r}, expected {PREFIX}NAME, as in judge:strong.yaml."
        )


def _needs(example: Example) -> tuple[Need, ...]:
    meaning = act_in(example.context).meaning
    return () if meaning is None else needs_of(meaning)


def slot_question(example: Example, need: Need) -> Example:
    """One slot and the response."""
    return _about(example, f"{need.slot}: {need.value}")


def added_question(example: Example) -> Example:
    """All slots and the response."""
    return _about(example, "; ".join(f"{need.slot}: {need.value}" for need in _needs(example)))


def _about(example: Example, asked: str) -> Example:
    return replace(
        example,
        context=(Turn("user", asked),),
        response=Response(example.response.text),
        references=(),
        knowledge=(),
    )
