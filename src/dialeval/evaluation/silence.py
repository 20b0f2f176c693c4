"""Unanswered items: which they are, what each measure makes of them, and the notes on them.

An item is unanswered where the system was asked and said nothing. That is an answer of the system, and must not do
better than another one: it counts as the worst value of the measure. What is missing because we failed to ask is no
answer and has no value.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np

from dialeval.core import ABSENCES, Floats, Metric, Missing, Result
from dialeval.data.speakers import folded, spoken
from dialeval.data.types import Context, Dialogue, Example, Response
from dialeval.display.wording import count, listing
from dialeval.evaluation.runs import MeanOverRuns, Repetition, why_absent
from dialeval.text.blank import is_blank

K = TypeVar("K")
SilenceRule: TypeAlias = Literal["worst", "unscored"]
"""Value of an unanswered item: the worst one, where the measure has one; or what the metric itself says, where
it says anything, as of an item that we failed on."""
BLANK: Final = "blank response"
_EMPTY: Final = Response("")
_PROSE: Final = "Yes, this is what you can do. It is not the only way that there is."
"""Two sentences whose language can be told, for metrics that judge no less."""


def is_unanswered(subject: object) -> bool:
    """Whether the system was asked and said nothing: no response, or one without a visible character."""
    if isinstance(subject, Example):
        response = subject.response
        return response.cause != "failed" and (response.missing is not None or is_blank(response.text))
    if isinstance(subject, Missing):
        return subject.cause in ("silent", "refused")
    if isinstance(subject, Repetition):
        return any(map(is_unanswered, subject.answers))
    if isinstance(subject, Dialogue):
        return subject.metadata.get("end") != "failed" and leaves_unanswered(subject)
    return getattr(subject, "unanswered", False) is True


def leaves_unanswered(dialogue: Dialogue, *, user_alone: bool = True) -> bool:
    """Whether all turns of the assistant are blank, or it has none and only a user speaks, if that counts, or nobody.

    If others speak and nobody is the assistant, as among people, nobody is known to be silent.
    """
    said = spoken(dialogue.turns)
    own = [turn.text for turn in said if folded(turn.speaker) == "assistant"]
    if own or (said and not user_alone):
        return bool(own) and all(map(is_blank, own))
    return all(folded(turn.speaker) == "user" for turn in said)


def counts_silence(metric: Metric[Any]) -> bool:
    """Whether an unanswered item has a value under a metric: the worst one, one of its own, or an empty response's."""
    judge = metric.metric if isinstance(metric, MeanOverRuns) else metric
    if not judge.per_item:
        return False
    value = _value_of(judge)
    return value is None or not math.isnan(value)


def counts_as_empty(metric: Metric[Any]) -> bool:
    """Whether an unanswered item counts as an empty response does, and not as the worst value there can be."""
    return _value_of(metric.metric if isinstance(metric, MeanOverRuns) else metric) is None


def _value_of(metric: Metric[Any]) -> float | None:
    """Return the value of an unanswered item; None for what an empty response gives, NaN for none."""
    return None if metric.higher_is_better is None else metric.silence


class Silence(NamedTuple):
    """Rows of a metric for unanswered subjects."""

    rows: Mapping[int, Floats]
    """Statistics by place of those that count."""
    reasons: Mapping[int, str]
    """Why the others do not."""
    hindered: int
    """Number of the others that the metric could not have judged, whatever the system had answered."""


def count_silence(
    metric: Metric[Any], known: Floats, subjects: Mapping[int, Any], reasons: Mapping[int, str]
) -> Silence:
    """Statistics of the unanswered subjects, by place.

    ``known`` are the statistics of answered ones, ``reasons`` say why the metric cannot score a subject. An item that
    the metric could not judge whatever the response, as one without references, keeps its reason.
    """
    hindered = {
        place: why for place, subject in subjects.items() if (why := why_never(metric, subject)) is not None
    }
    silent = {place: subject for place, subject in subjects.items() if place not in hindered}
    rows = _rows(metric, known, silent)
    left = {place: reasons.get(place, BLANK) for place in silent if place not in rows}
    return Silence(rows, {**hindered, **left}, len(hindered))


def _rows(metric: Metric[Any], known: Floats, silent: Mapping[int, Any]) -> dict[int, Floats]:
    """The statistics of those that count: as empty responses, or of the value that stands for all of them."""
    judge = metric.metric if isinstance(metric, MeanOverRuns) else metric
    value = _value_of(judge)
    if value is not None and math.isnan(value):
        return {}
    return rows_of_absent(metric, known, silent, value, is_unanswered)


def rows_of_absent(
    metric: Metric[Any],
    known: Floats,
    subjects: Mapping[int, Any],
    value: float | None,
    is_absent: Callable[[Any], bool],
) -> dict[int, Floats]:
    """Statistics of subjects without an answer, by place: those of ``value``; if it is None, of an empty response.

    Of several runs, only the answers that are absent count so; if none of them is, all do. ``known`` are the statistics
    of answered subjects. A place is left out if the metric pools counts, and those of an empty response do not give
    the value.
    """
    if not subjects:
        return {}
    judge, runs = (metric.metric, metric.runs) if isinstance(metric, MeanOverRuns) else (metric, 1)
    kept: dict[tuple[int, int], Any] = {}
    absent: dict[tuple[int, int], Any] = {}
    for place, subject in subjects.items():
        answers = subject.answers if isinstance(subject, Repetition) else (subject,) * runs
        lacking = [is_absent(answer) for answer in answers] if isinstance(subject, Repetition) else []
        for run, answer in enumerate(answers):
            (kept if any(lacking) and not lacking[run] else absent)[place, run] = answer
    parts = _stand_ins(judge, known.reshape(-1, known.shape[1] // runs), absent, value)
    if kept:
        parts |= zip(kept, judge.statistics(list(kept.values())), strict=True)
    return {
        place: np.concatenate([parts[place, run] for run in range(runs)])
        for place in subjects
        if all((place, run) in parts for run in range(runs))
    }


def _stand_ins(
    metric: Metric[Any], known: Floats, absent: Mapping[K, Any], value: float | None
) -> dict[K, Floats]:
    """Statistics for single answers that are absent, of those that have some."""
    if value is None:
        return _own_rows(metric, absent)
    if _averages(metric, known, absent):
        # Further columns, as of embeddings, count words: an absent answer has none.
        row = np.concatenate([[value, 1.0], np.zeros(known.shape[1] - 2)])
        if np.isclose(float(metric.aggregate(row)), value):
            return dict.fromkeys(absent, row)
    own = _own_rows(metric, absent)
    return {key: row for key, row in own.items() if np.isclose(float(metric.aggregate(row)), value)}


def _averages(metric: Metric[Any], known: Floats, absent: Mapping[K, Any]) -> bool:
    """Whether the score is a mean of values: as the metric says, or as its rows look.

    Counts of words that are pooled may all be 1 by chance, but not that of an empty response.
    """
    if metric.averages is not None:
        return metric.averages
    if known.shape[1] != 2 or not bool((known[:, 1] == 1).all()):
        return False
    own = _own_rows(metric, dict(islice(absent.items(), 1)))
    return all(row[1] == 1 for row in own.values())


def _own_rows(metric: Metric[Any], silent: Mapping[K, Any]) -> dict[K, Floats]:
    """The metric's own statistics of empty responses, of those that it can score."""
    empty = {key: said for key, subject in silent.items() if (said := _saying(subject, "")) is not None}
    scorable = {key: subject for key, subject in empty.items() if metric.unscorable(subject) is None}
    return dict(zip(scorable, metric.statistics(list(scorable.values())), strict=True)) if scorable else {}


def why_never(metric: Metric[Any], subject: object) -> str | None:
    """Why the metric could not judge the item whatever was said in place of silence; None if it could, or nobody knows.

    Of several runs, those that said something may be what it cannot judge.
    """
    why: str | None = None
    for text in (None, _PROSE):
        spoken = _saying(subject, text)
        why = None if spoken is None else why_absent(spoken) or metric.unscorable(spoken)
        if why is None:
            break
    return why


def _saying(subject: object, text: str | None) -> Any:
    """The subject with this response in place of silence, a likely one for None; None if it has no response."""
    if isinstance(subject, Example):
        return replace(subject, response=_EMPTY if text == "" else Response(text or _likely(subject)))
    if isinstance(subject, Repetition) and all(isinstance(answer, Example) for answer in subject.answers):
        answers = cast(Sequence[Example], subject.answers)
        said = (_saying(answer, text) if is_unanswered(answer) else answer for answer in answers)
        return replace(subject, answers=tuple(said))
    return None


def _likely(example: Example) -> str:
    """A response that most metrics can judge which can judge the item."""
    heard: Context = example.context
    texts = (*example.references, *(turn.text for turn in reversed(heard)))
    return next((text for text in texts if not is_blank(text)), "yes")


_SHOWN: Final = 3
_AS_WORST, _AS_EMPTY, _LEFT_OUT = _RULES = (
    "counted as the worst value",
    "counted as empty responses",
    "left out",
)
"""Ways to count unanswered items, as people read them."""


def no_value(results: Iterable[Result]) -> str | None:
    """Why a measure has no score for any system, the most frequent reasons first; None where it has one."""
    results = list(results)
    if not results or any(not math.isnan(result.score) for result in results):
        return None
    reasons = Counter(reason for result in results for reason in result.reasons.values())
    if any(result.scored for result in results) or not reasons:
        return f"no system has a score: {ABSENCES['undefined']}"
    told = [f"{reason} ({count(times, 'time')})" for reason, times in reasons.most_common(_SHOWN)]
    rest = sum(times for _, times in reasons.most_common()[_SHOWN:])
    others = [f"others ({count(rest, 'time')})"] if rest else []
    return f"no item of any system has a value: {listing(told + others)}"


class Unanswered(NamedTuple):
    """Number of items that a system left unanswered, and of how many; under the measure that counts most of them."""

    source: str
    system: str
    unanswered: int
    items: int


def unanswered_of(source: str, results: Iterable[tuple[str, Result]]) -> list[Unanswered]:
    """The systems that left items unanswered, from results with the names of their systems."""
    most: dict[str, Unanswered] = {}
    for system, result in results:
        known = most.get(system)
        if result.unanswered > (known.unanswered if known else 0):
            most[system] = Unanswered(source, system, result.unanswered, len(result))
    return list(most.values())


def silence_notes(results: Iterable[tuple[tuple[str, str], Result]]) -> Iterator[str]:
    """Say how many items each system left unanswered, and how measures count them; by measure and system."""
    groups: dict[tuple[str, int, int], dict[str, list[str]]] = {}
    for (measure, system), result in results:
        if result.unanswered:
            rules = groups.setdefault((system, result.unanswered, len(result)), {})
            counted = _AS_EMPTY if counts_as_empty(result.metric) else _AS_WORST
            rules.setdefault(counted if result.filled else _LEFT_OUT, []).append(measure)
    for (system, unanswered, items), rules in groups.items():
        told = [f"{rule} under {listing(rules[rule])}" for rule in sorted(rules, key=_RULES.index)]
        yield f"{system} left {unanswered:,} of {count(items, 'item')} unanswered: {', but '.join(told)}"


def unscored_note(result: Result) -> str | None:
    """Say how many items have no value, by reason, each with its first item; None if all have one."""
    places: dict[str, list[int]] = {}
    for index, reason in result.reasons.items():
        places.setdefault(reason, []).append(index)
    if not places:
        return None
    share = f"{len(result.reasons)} of {len(result)} unscored"
    ranked = sorted(places.items(), key=lambda pair: -len(pair[1]))
    if len(ranked) == 1:
        ((reason, found),) = ranked
        return f"{share}, first {result.items[found[0]]!r}: {reason}"
    told = [f"{reason} ({len(found)}, first {result.items[found[0]]!r})" for reason, found in ranked[:_SHOWN]]
    rest = sum(len(found) for _, found in ranked[_SHOWN:])
    return f"{share}: {'; '.join([*told, f'others ({rest})'] if rest else told)}"
