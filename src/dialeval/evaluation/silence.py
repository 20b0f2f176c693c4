"""Unanswered items: which they are, and what each measure makes of them.

An item is unanswered where the system was asked and said nothing. That is an answer of the system, and must not do
better than another one: it counts as the worst value of the measure. What is missing because we failed to ask is no
answer and has no value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from dialeval.core import Bounded, Floats, Metric, Missing, ScoresSilence
from dialeval.data.types import Context, Dialogue, Example, Response
from dialeval.evaluation.runs import MeanOverRuns, Repeated
from dialeval.text.blank import is_blank

SilenceRule: TypeAlias = Literal["worst", "unscored"]
"""What an unanswered item counts as: the worst value, where the measure has one; or what the metric itself says, where
it says anything, as of an item that we failed on."""
BLANK: Final = "blank response"
_EMPTY: Final = Response("")


def is_unanswered(subject: object) -> bool:
    """Whether the system was asked and said nothing: no response, or one without a visible character."""
    if isinstance(subject, Example):
        response = subject.response
        return response.cause != "failed" and (response.missing is not None or is_blank(response.text))
    if isinstance(subject, Missing):
        return subject.cause in ("silent", "refused")
    if isinstance(subject, Repeated):
        return any(map(is_unanswered, subject.answers))
    if isinstance(subject, Dialogue):
        said = [turn.text for turn in subject.turns if turn.speaker == "assistant"]
        return bool(said) and all(map(is_blank, said))
    return getattr(subject, "unanswered", False) is True


def worst_of(metric: object) -> float:
    """The worst value that a subject can have; NaN where there is none."""
    direction = getattr(metric, "higher_is_better", None)
    if not isinstance(metric, Bounded) or direction is None:
        return math.nan
    least, greatest = metric.limits
    worst = least if direction else greatest
    return worst if math.isfinite(worst) else math.nan


class Silence(NamedTuple):
    """What a metric makes of unanswered subjects."""

    rows: Mapping[int, Floats]
    """Statistics by place of those that count."""
    reasons: Mapping[int, str]
    """Why the others do not."""


def count_silence(
    metric: Metric[Any], known: Floats, subjects: Mapping[int, Any], reasons: Mapping[int, str]
) -> Silence:
    """Statistics of the unanswered subjects, by place.

    ``known`` are the statistics of answered ones, ``reasons`` say why the metric cannot score a subject. An item that
    the metric could not judge whatever the response, as one without references, keeps its reason.
    """
    hindered = {
        place: why for place, subject in subjects.items() if (why := _why_never(metric, subject)) is not None
    }
    silent = {place: subject for place, subject in subjects.items() if place not in hindered}
    rows = _rows(metric, known, silent)
    left = {place: reasons.get(place, BLANK) for place in silent if place not in rows}
    return Silence(rows, {**hindered, **left})


def _rows(metric: Metric[Any], known: Floats, silent: Mapping[int, Any]) -> dict[int, Floats]:
    """The statistics of those that count: as empty responses, or of the value that stands for all of them."""
    if not silent:
        return {}
    judge = metric.metric if isinstance(metric, MeanOverRuns) else metric
    value = judge.silence if isinstance(judge, ScoresSilence) else worst_of(judge)
    if value is None or judge.higher_is_better is None:
        return _own_rows(metric, silent)
    if math.isnan(value):
        return {}
    if known.shape[1] % 2 == 0 and known.shape[1] <= 2 * _runs(metric) and bool((known[:, 1::2] == 1).all()):
        return dict.fromkeys(silent, np.tile([value, 1.0], known.shape[1] // 2))
    return {
        place: row
        for place, row in _own_rows(metric, silent).items()
        if np.isclose(float(metric.aggregate(row)), value)
    }


def _own_rows(metric: Metric[Any], silent: Mapping[int, Any]) -> dict[int, Floats]:
    """The metric's own statistics of empty responses, of those that it can score."""
    empty = {place: said for place, subject in silent.items() if (said := _saying(subject, "")) is not None}
    scorable = {place: subject for place, subject in empty.items() if metric.unscorable(subject) is None}
    return dict(zip(scorable, metric.statistics(list(scorable.values())), strict=True)) if scorable else {}


def _why_never(metric: Metric[Any], subject: object) -> str | None:
    """Why the metric could not judge the item whatever the response; None where it could, or nobody knows."""
    spoken = _saying(subject, None)
    return None if spoken is None else metric.unscorable(spoken)


def _saying(subject: object, text: str | None) -> Any:
    """The subject with this response in place of its own, a likely one for None; None where it has no response."""
    if isinstance(subject, Example):
        return replace(subject, response=_EMPTY if text == "" else Response(text or _likely(subject)))
    if isinstance(subject, Repeated) and all(isinstance(answer, Example) for answer in subject.answers):
        answers = cast(Sequence[Example], subject.answers)
        return replace(subject, answers=tuple(_saying(answer, text) for answer in answers))
    return None


def _likely(example: Example) -> str:
    """A response that any metric can judge which can judge the item."""
    heard: Context = example.context
    texts = (*example.references, *(turn.text for turn in reversed(heard)))
    return next((text for text in texts if not is_blank(text)), "yes")


def _runs(metric: object) -> int:
    return metric.runs if isinstance(metric, MeanOverRuns) else 1
