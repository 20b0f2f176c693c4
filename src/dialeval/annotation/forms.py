"""Forms: the question that raters are asked about a candidate, and its possible answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dialeval.data.types import Question


@dataclass(frozen=True, slots=True)
class Option:
    """One answer that a rater may give."""

    value: int
    """As judgements hold it."""
    label: str
    """One word, which may be written instead of the number."""
    meaning: str
    """Its wording, as raters see it."""

    @property
    def spellings(self) -> frozenset[str]:
        """All that may be written for it: number, label, wording (or all before its colon), or as the scale has it."""
        number, wording = str(self.value), _plain(self.meaning)
        numbers = (number, f"{number}.0", f"{number},0")
        return frozenset(
            (*numbers, _plain(self.label), wording, wording.partition(":")[0], f"{number} = {wording}")
        )


@dataclass(frozen=True, slots=True)
class Form:
    """Question about each candidate, and the number of raters who answer."""

    criterion: str
    ask: str
    options: tuple[Option, ...]
    raters: int
    false_only: bool = False
    """Whether only false candidates are shown."""

    @property
    def values(self) -> tuple[int, ...]:
        """The answers as judgements hold them."""
        return tuple(option.value for option in self.options)

    @property
    def scale(self) -> str:
        """All answers in one line, for a task's cell."""
        return "; ".join(f"{option.value} = {option.meaning}" for option in self.options)

    @property
    def expected(self) -> str:
        """Description of a valid answer, for errors."""
        return f"a whole number from {min(self.values)} to {max(self.values)}, or its wording"

    def value_of(self, written: str) -> int | None:
        """The value of an answer as a rater wrote it, number, label or wording; None if it is none of these."""
        word = _plain(written)
        return next((option.value for option in self.options if word in option.spellings), None)

    def label_of(self, value: int) -> str:
        """The label of a value that is one of the options."""
        return next(option.label for option in self.options if option.value == value)


ACCEPTABILITY: Final = Form(
    "acceptability",
    "Read the conversation. Could the line below it be what is said next?",
    (
        Option(5, "clearly", "clearly yes: it fits this conversation"),
        Option(4, "yes", "yes, it fits"),
        Option(3, "perhaps", "perhaps: one can imagine it here"),
        Option(2, "hardly", "hardly: something about it is off"),
        Option(1, "no", "not at all"),
        Option(0, "broken", "it is not a well-formed sentence, so that the question does not arise"),
    ),
    raters=5,
)
"""The six answers of Sato et al. (2020, section 3.1), in our words."""


def candidate_ids(question: Question) -> tuple[str, ...]:
    """Names of candidates in judgements: ``ground_truth`` and ``false_1`` onwards, in their order.

    Several correct ones are ``ground_truth_1`` onwards. So are the candidates of the published scores called.
    """
    several = sum(candidate.correct for candidate in question.candidates) > 1
    names, right, false = [], 0, 0
    for candidate in question.candidates:
        right, false = right + candidate.correct, false + (not candidate.correct)
        truth = f"ground_truth_{right}" if several else "ground_truth"
        names.append(truth if candidate.correct else f"false_{false}")
    return tuple(names)


def _plain(text: str) -> str:
    """A text without what raters change as they copy it: case, whitespace, a full stop at the end."""
    return " ".join(text.split()).casefold().rstrip(".")
