"""Escalation: which answers people rate after a judge, with probabilities that are known, so that estimates stay valid.

Verdicts whose confidence reaches a threshold are accepted, because people agree with such verdicts often enough
(``stats.selective``). Of the others as many go to people as the budget allows, and with them a random audit of the
accepted ones: without it nobody would notice where the judge is sure and wrong. Every answer has a probability above 0
of being rated, which is written down.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Final, Literal, TypeAlias, get_args

import numpy as np

from dialeval.core import Floats
from dialeval.display.wording import count
from dialeval.errors import UnknownName, Unsuitable
from dialeval.files.documents import FINITE
from dialeval.options import Option
from dialeval.ratings.table import Ratings
from dialeval.stats.selective import Acceptance, accept

Stratum: TypeAlias = Literal["rated", "unsure", "sure"]
"""Rated before; its verdict is below the threshold, or there is none; its verdict is accepted."""
STRATA: Final[tuple[Stratum, ...]] = get_args(Stratum)
CONFIDENCE: Final = "confidence"
"""The criterion on which a judge says how sure it is of its verdicts."""
LEAST: Final = 2
"""Fewest answers that are drawn from a stratum of a system."""


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """A line of ``answers.jsonl``: one answer, its verdict, and its chance of being rated."""

    __pydantic_config__: ClassVar = FINITE

    item: str
    system: str
    value: float | None
    """The verdict; None if the judge gave none."""
    confidence: float | None
    rating: float | None
    """Mean of earlier ratings by people."""
    stratum: Stratum = "unsure"
    probability: float = 1.0
    """Of being among the answers that people rate."""
    drawn: bool = False
    """True if it is sent to people now."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of an escalation, the options of the command."""

    agree: Annotated[float, Option(metavar="SHARE")] = 0.85
    """Share of accepted verdicts with which people are to agree."""
    budget: Annotated[int, Option(min=2, metavar="N")] = 200
    """Answers that people may rate."""
    audit: Annotated[float, Option(metavar="SHARE")] = 0.25
    """Share of the budget for accepted verdicts."""
    level: Annotated[float, Option()] = 0.9
    """Confidence of the one-sided bound of agreement."""
    within: Annotated[float, Option(min=0, metavar="DISTANCE")] = 0.5
    """A verdict agrees with people if it is no farther than this from their mean rating."""
    seed: Annotated[int, Option(min=0, metavar="N")] = 0
    """Seed of everything random."""

    def __post_init__(self) -> None:
        for name, low, high in (("agree", 0, 1), ("audit", 0, 1), ("level", 0.5, 1)):
            if not low < getattr(self, name) < high:
                raise Unsuitable(
                    f"'{name}': found {getattr(self, name):g}, expected a number between {low:g} and {high:g}."
                )


@dataclass(frozen=True, slots=True)
class StratumCount:
    """One stratum of one system."""

    system: str
    stratum: Stratum
    answers: int
    drawn: int


@dataclass(frozen=True, slots=True)
class Escalation:
    """What was drawn and why: the content of ``escalation.json``."""

    __pydantic_config__: ClassVar = FINITE

    format: Literal[1]
    judge: str
    criterion: str
    wanted: Wanted
    acceptance: Acceptance
    strata: tuple[StratumCount, ...]
    sources: tuple[str, ...]


def judged_answers(
    ratings: Ratings,
    *,
    judge: str,
    confidence: str | None = None,
    people: Collection[str] = (),
    criterion: str | None = None,
) -> list[JudgedAnswer]:
    """Every answer that the judge was asked about, with confidence and people's mean rating where there are any.

    ``judge`` and ``people`` are raters. Without ``confidence``, a rater, it is what the judge says on the criterion
    ``confidence``.
    """
    verdicts: dict[tuple[str, str], float | None] = {}
    sure: dict[tuple[str, str], float] = {}
    rated: dict[tuple[str, str], list[float]] = {}
    judged_on = _judged_on(ratings, judge, criterion)
    for row in range(len(ratings)):
        item, system, rater, on = ratings.names_of(row)
        value, key = float(ratings.value[row]), (item, system)
        if rater == (confidence or judge) and (confidence is not None or on == CONFIDENCE):
            if math.isfinite(value):
                sure[key] = value
        elif rater == judge and on == judged_on:
            verdicts[key] = value if math.isfinite(value) else None
        elif rater in people and on == criterion and math.isfinite(value):
            rated.setdefault(key, []).append(value)
    return [
        JudgedAnswer(
            *key, value, sure.get(key), math.fsum(own) / len(own) if (own := rated.get(key)) else None
        )
        for key, value in verdicts.items()
    ]


def _judged_on(ratings: Ratings, judge: str, criterion: str | None) -> str:
    """The criterion of the judge's verdicts: people's, or the only one beside its confidence."""
    own = ratings.by(raters=[judge])
    known = [name for name in own.criteria if name != CONFIDENCE]
    if criterion in known or len(known) == 1:
        return criterion if criterion is not None and criterion in known else known[0]
    raise UnknownName("criterion of the judge", criterion or "", known, todo=f"There are {', '.join(known)}.")


def escalate(answers: Sequence[JudgedAnswer], wanted: Wanted) -> tuple[Acceptance, list[JudgedAnswer]]:
    """The threshold, and the answers with their strata, probabilities, and whether they are sent to people."""
    confidence = _column(answers, "confidence")
    apart = np.abs(_column(answers, "value") - _column(answers, "rating"))
    agrees = np.where(np.isfinite(apart), apart <= wanted.within + 1e-9, np.nan)
    acceptance = accept(confidence, agrees, wanted.agree, level=wanted.level)
    sorted_out = [replace(answer, stratum=_stratum(answer, acceptance)) for answer in answers]
    return acceptance, _drawn(sorted_out, wanted)


def _column(answers: Iterable[JudgedAnswer], name: str) -> Floats:
    values = [getattr(answer, name) for answer in answers]
    return np.array([math.nan if value is None else value for value in values], dtype=np.float64)


def _stratum(answer: JudgedAnswer, acceptance: Acceptance) -> Stratum:
    if answer.rating is not None:
        return "rated"
    sure, least = answer.confidence, acceptance.threshold
    return (
        "sure"
        if least is not None and sure is not None and sure >= least and answer.value is not None
        else "unsure"
    )


def _drawn(answers: Sequence[JudgedAnswer], wanted: Wanted) -> list[JudgedAnswer]:
    """The answers with those that are drawn: a simple random sample of each stratum of each system."""
    places: dict[tuple[str, Stratum], list[int]] = {}
    for place, answer in enumerate(answers):
        if answer.stratum != "rated":
            places.setdefault((answer.system, answer.stratum), []).append(place)
    sizes = _shares({key: len(own) for key, own in places.items()}, wanted)
    found = list(answers)
    draw = np.random.default_rng(wanted.seed)
    for key, own in places.items():
        chosen = set(draw.choice(own, sizes[key], replace=False).tolist())
        for place in own:
            chance = sizes[key] / len(own)
            found[place] = replace(found[place], probability=chance, drawn=place in chosen)
    return found


def _shares(sizes: Mapping[tuple[str, Stratum], int], wanted: Wanted) -> dict[tuple[str, Stratum], int]:
    """Return how many are drawn from each stratum of each system: in proportion, and at least two."""
    least = {key: min(LEAST, size) for key, size in sizes.items()}
    if sum(least.values()) > wanted.budget:
        raise Unsuitable(
            f"Found a budget of {count(wanted.budget, 'answer')}, expected at least {sum(least.values())}: "
            f"{LEAST} of each kind of each system, without which nothing can be estimated. Raise the budget."
        )
    total = {part: sum(size for (_, own), size in sizes.items() if own == part) for part in STRATA}
    floor = {part: sum(few for (_, own), few in least.items() if own == part) for part in STRATA}
    audit = min(total["sure"], max(floor["sure"], round(wanted.audit * wanted.budget)))
    audit = min(audit, wanted.budget - floor["unsure"])
    unsure = min(total["unsure"], wanted.budget - audit)
    audit = min(total["sure"], wanted.budget - unsure)
    drawn: dict[tuple[str, Stratum], int] = {}
    for part, number in (("sure", audit), ("unsure", unsure)):
        own = {key: size for key, size in sizes.items() if key[1] == part}
        drawn |= _in_proportion(own, {key: least[key] for key in own}, number)
    return drawn


def _in_proportion(
    sizes: Mapping[tuple[str, Stratum], int], least: Mapping[tuple[str, Stratum], int], number: int
) -> dict[tuple[str, Stratum], int]:
    """Shares of a number by size, none below its least; what is left goes where most is lacking."""
    found = dict(least)
    total = sum(sizes.values())
    for _ in range(number - sum(found.values())):
        open_ = [key for key in sizes if found[key] < sizes[key]]
        if not open_:
            break
        found[max(open_, key=lambda key: number * sizes[key] / total - found[key])] += 1
    return found


def strata_of(answers: Iterable[JudgedAnswer]) -> tuple[StratumCount, ...]:
    """Sizes of the strata of each system, in order of first sight."""
    counts: dict[tuple[str, Stratum], list[int]] = {}
    for answer in answers:
        own = counts.setdefault((answer.system, answer.stratum), [0, 0])
        own[0] += 1
        own[1] += answer.drawn
    return tuple(StratumCount(*key, *own) for key, own in counts.items())


def sentences(escalation: Escalation) -> list[str]:
    """Return what is sent to people, in words."""
    accepted, wanted = escalation.acceptance, escalation.wanted
    if accepted.threshold is None:
        said = f"no verdict is accepted: {accepted.agreement.reason}"
    else:
        share, low = accepted.agreement.number, accepted.agreement.low or 0.0
        said = (
            f"verdicts with a confidence of {accepted.threshold:.4g} or more are accepted: people agree with "
            f"{share:.1%} of {accepted.kept:,} such verdicts (at least {low:.1%}, at {wanted.level:.0%}); "
            f"{accepted.of:,} were rated"
        )
    return [said, "; ".join(_sent(escalation.strata))]


def _sent(strata: Sequence[StratumCount]) -> Iterator[str]:
    words = {
        "unsure": "of which the judge is not sure enough",
        "sure": "that are accepted, as an audit",
    }
    parts = []
    for part, which in words.items():
        own = [one for one in strata if one.stratum == part]
        if own:
            answers = count(sum(one.answers for one in own), "answer")
            parts.append(f"{sum(one.drawn for one in own):,} of {answers} {which}")
    yield f"to people: {' and '.join(parts) or 'nothing'}"
    before = sum(one.answers for one in strata if one.stratum == "rated")
    if before:
        yield f"{count(before, 'answer')} rated before"
