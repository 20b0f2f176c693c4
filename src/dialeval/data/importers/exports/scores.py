"""Scores of other tools as judgements: people's beside those of judges and of checks.

A person is a rater under their name, or ``annotation`` where the export names nobody. A judge is
``judge(of='correctness')``, which `dialeval meta` and `dialeval annotate agreement` take for a measure by its name; a
check by code is called after its criterion, as corpora call their metrics.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.data.codec.dialects import tell
from dialeval.data.types import Judgement
from dialeval.text.calls import print_call

Source: TypeAlias = Literal["person", "judge", "check"]
ANNOTATION: Final = "annotation"
"""The rater of people's scores where the export does not say whose they are."""


class Score(NamedTuple):
    """A score as a tool has it."""

    item: str
    system: str
    name: str
    source: Source
    value: object
    rater: str = ""
    """The person's name, or the judge's model."""
    comment: str = ""
    label: str = ""
    """The category, where the score is one."""


_GOOD: Final = frozenset(
    (
        *("correct", "pass", "passed", "yes", "true", "good", "positive", "relevant", "factual"),
        *("thumbs_up", "thumbs-up", "up", "accept", "accepted"),
    )
)
_BAD: Final = frozenset(
    (
        *("incorrect", "fail", "failed", "no", "false", "bad", "negative", "irrelevant", "unrelated"),
        *("thumbs_down", "thumbs-down", "down", "reject", "rejected", "hallucinated"),
    )
)


def rater_of(score: Score) -> str:
    """The name of who gave a score."""
    if score.source == "person":
        return score.rater or ANNOTATION
    if score.source == "check":
        return score.name
    model = [("model", score.rater)] if score.rater else []
    return print_call("judge", [("of", score.name), *model])


def judgements(scores: Iterable[Score], path: str) -> Iterator[Judgement]:
    """The judgements of these scores; categories become numbers, which a note tells."""
    held = list(scores)
    codes = _codes(held)
    for name, numbers in codes.items():
        told = ", ".join(f"{number:g} {label}" for label, number in numbers.items())
        tell(path, f"categories of {name} as numbers: {told}")
    for score in held:
        value, reason = _value(score, codes)
        evidence = score.comment.strip() or None
        yield Judgement(score.item, score.system, rater_of(score), score.name, value, reason, evidence)


def _codes(scores: Sequence[Score]) -> Mapping[str, Mapping[str, float]]:
    """A number for each category of each name: 1 and 0 for words such as pass and fail, else in their order."""
    labels: dict[str, set[str]] = {}
    for score in scores:
        if score.label:
            labels.setdefault(score.name, set()).add(score.label)
    return {name: _numbers(sorted(known)) for name, known in labels.items()}


def _numbers(labels: Sequence[str]) -> Mapping[str, float]:
    folded = [label.casefold().replace(" ", "_") for label in labels]
    if all(label in _GOOD | _BAD for label in folded):
        return {label: float(plain in _GOOD) for label, plain in zip(labels, folded, strict=True)}
    return {label: float(number) for number, label in enumerate(labels, 1)}


def _value(score: Score, codes: Mapping[str, Mapping[str, float]]) -> tuple[float | None, str | None]:
    if score.label:
        return codes[score.name][score.label], None
    value = score.value
    if isinstance(value, bool):
        return float(value), None
    if isinstance(value, int | float):
        try:
            number = float(value)
        except OverflowError:
            return None, "a number that is too large"
        return (number, None) if math.isfinite(number) else (None, "no finite number")
    if isinstance(value, str) and value.strip():
        return None, f"a text and no number: {value[:80]!r}"
    return None, "no value"
