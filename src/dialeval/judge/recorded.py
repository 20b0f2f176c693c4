"""Measures by a judge whose values were read from a run, without the file that describes the judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dialeval.core import Floats, Metric, Signature
from dialeval.errors import Unsuitable
from dialeval.judge.naming import names_judge
from dialeval.text.calls import print_call, split_call


@dataclass(frozen=True, slots=True)
class RecordedByJudge(Metric[Any]):
    """A measure as a run has it: its signature, and all else of the same measure without the judge."""

    text: str
    """The signature."""
    plain: Metric[Any]

    @property
    def signature(self) -> Signature:
        """As the run has it."""
        return Signature.parse(self.text)

    @property
    def name(self) -> str:
        """That of the measure."""
        return self.plain.name

    @property
    def higher_is_better(self) -> bool | None:
        """As of the measure."""
        return self.plain.higher_is_better

    @property
    def limits(self) -> tuple[float, float]:
        """Those of the measure."""
        return self.plain.limits

    @property
    def silence(self) -> float | None:
        """That of the measure."""
        return self.plain.silence

    @property
    def averages(self) -> bool | None:
        """As of the measure."""
        return self.plain.averages

    @property
    def yes_no(self) -> bool | None:
        """As of the measure."""
        return self.plain.yes_no

    @property
    def conditional(self) -> bool:
        """As of the measure."""
        return self.plain.conditional

    @property
    def family(self) -> str:
        """That of the measure."""
        return self.plain.family

    def aggregate(self, totals: Floats) -> Floats:
        """As the measure does."""
        return self.plain.aggregate(totals)

    def statistics(self, subjects: Sequence[Any]) -> Floats:
        """No rows: the judge is not asked again; Unsuitable if there is anything to judge."""
        if subjects:
            raise Unsuitable(
                "Verdicts that were read from a run cannot be asked for again. Run the study again."
            )
        return self.plain.statistics(())


def is_by_judge(label: str) -> bool:
    """Return whether a measure of this label asks a judge that is named in it."""
    if "judge:" not in label and "judge(" not in label:
        return False
    return any(isinstance(value, str) and names_judge(value) for _, value in split_call(label).parameters)


def without_judge(label: str) -> str:
    """The label of the same measure without a judge; of one that is a judge's by its name, the same."""
    call = split_call(label)
    if call.name.startswith("judged_"):
        return label
    kept = [(k, v) for k, v in call.parameters if not (isinstance(v, str) and names_judge(v))]
    return print_call(call.name, kept)
