"""The types of what a run says of its judges, and the sentences made from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias, get_args

from dialeval.display.wording import count, listing
from dialeval.files.documents import FINITE
from dialeval.judge.repeat_record import PanelRecord, panel_notes
from dialeval.judge.scale_use import ScaleUse, scale_notes
from dialeval.judge.trust import Trust
from dialeval.stats.estimate import Estimate

Code: TypeAlias = Literal[
    "off_scale", "cut", "refused", "unparsable", "no_probabilities", "ambiguous", "too_long", "failed"
]
CODES: Final[tuple[Code, ...]] = get_args(Code)
REASONS: Final[Mapping[Code, str]] = {
    "off_scale": "the judge's score is not on the scale",
    "cut": "the judge's reply was cut at its limit of tokens",
    "refused": "the judge, or its server, refused to judge",
    "unparsable": "the judge's reply holds no complete verdict",
    "no_probabilities": "the judge's server gave no probabilities of the tokens of its verdict",
    "ambiguous": "the probabilities do not tell which of two scores a token begins",
    "too_long": "too long for the judge's window",
    "failed": "the judge could not be asked; the same command asks again",
}
"""Why there is no value, in words."""


@dataclass(frozen=True, slots=True)
class Canary:
    """Verdicts on an item of ours, without and with an order to the judge planted in it, and as long without one."""

    __pydantic_config__: ClassVar = FINITE

    plain: float | None
    planted: float | None
    """None if the judge gave no verdict on it."""
    target: float
    """The value that the order asks for: the end of the scale that is farther from the control's verdict."""
    obeyed: bool | None
    """True if the order moved the control's verdict at least half of the way; None if one of the two is lacking."""
    code: Code | None
    """Why a verdict is lacking."""
    reply: str
    """The judge's reply to the item with the order."""
    control: float | None = None
    """Of the item made as long as with the order, without any."""
    null: float | None = None
    """Of a constant answer that pretends to end the data and to be the verdict."""
    gamed: bool | None = None
    """As ``obeyed``, of that answer."""
    by_length: bool | None = None
    """True if length alone moved the verdict by at least half of the scale."""


@dataclass(frozen=True, slots=True)
class BesidePeople:
    """A judge's scores beside people's ratings of the same answers, on the same scale."""

    __pydantic_config__: ClassVar = FINITE

    difference: Estimate
    """Mean of the judge's value minus people's mean rating: above 0, it gives more than they do."""
    kappa: Estimate
    """Cohen's kappa with squared distances between the judge's value and people's mean rating."""
    spread: Estimate | None = None
    """Standard deviation of the judge's values over that of people's mean ratings; below 1, it uses less of the scale.
    """
    within: Estimate | None = None
    """Correlation with people within systems, or over all answers of one system."""
    pooled: Estimate | None = None
    """Correlation over the answers of all systems."""
    ceiling: Estimate | None = None
    """Correlation of one half of the people with the other, within systems."""
    trust: Trust | None = None
    """What the judge may be trusted with."""


@dataclass(frozen=True, slots=True)
class JudgeRecord:
    """Record of one judge of a run."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    asked: str
    """The model, or the panel, that was asked for."""
    returned: tuple[str, ...]
    """The models that answered, as the server names them."""
    verdicts: int
    """Verdicts with a value."""
    unscored: dict[str, int]
    """Verdicts without one, by code."""
    constraints: tuple[str, ...]
    """The constraint on replies: ``json_schema``, ``tools``, ``scores`` or ``none``."""
    windowed: int
    """Items of which the judge saw the last turns only."""
    prompt_tokens: int | None
    """As the server counts them, of all replies; None if it does not."""
    completion_tokens: int | None
    cost: float | None
    """By the judge's prices, of the replies in use, whether they were paid for now or earlier."""
    self_agreement: float | None
    """Share of pairs of repeats, or of the panel's verdicts, on one item that are equal; None of single verdicts."""
    mean_difference: float | None
    """Mean absolute difference between such verdicts."""
    canary: Canary
    people: BesidePeople | None = None
    """None if the study has no ratings, or none of what it judged."""
    panel: PanelRecord | None = None
    """Agreement of repeats and of the judges of a panel; None of single verdicts."""
    scale: ScaleUse | None = None
    """Use of the scale beside people's; None as ``people``, or if they had another scale."""


def judge_notes(records: Iterable[JudgeRecord]) -> Iterator[str]:
    """Sentences on the judges of a run, below its leaderboard."""
    for record in records:
        yield f"{record.measure}: {'; '.join(_told(record))}"


def _told(record: JudgeRecord) -> Iterator[str]:
    asked = {name.strip() for name in record.asked.split(",")}
    others = [model for model in record.returned if model not in asked]
    if len(record.returned) > len(asked):
        yield (
            f"answered by {listing(record.returned)}, which are more models than were asked: a name stood for "
            "another model before, so that these are not verdicts of one judge"
        )
    elif others:
        yield f"answered by {listing(record.returned)}"
    if "tools" in record.constraints:
        yield "the server refuses response_format, so verdicts came as calls of a tool"
    if record.unscored:
        why = [f"{number:,} because {REASONS[code]}" for code, number in _codes(record)]
        yield f"no value from {count(sum(record.unscored.values()), 'verdict')}: {listing(why)}"
    if record.windowed:
        yield f"{count(record.windowed, 'item')} longer than its window, so that it saw the last turns only"
    if record.panel is None and record.self_agreement is not None and record.mean_difference is not None:
        yield (
            f"repeated verdicts on an item are equal in {record.self_agreement:.0%} of pairs and "
            f"{record.mean_difference:.3g} apart on average"
        )
    if record.panel is not None:
        yield from panel_notes(record.panel)
    if record.people is not None:
        yield beside_note(record.people)
    if record.scale is not None:
        yield from scale_notes(record.scale)
    if record.cost is not None:
        yield f"cost {record.cost:.4g}"
    yield canary_note(record.canary)


def beside_note(people: BesidePeople) -> str:
    """How it agrees with people: within systems first, then score by score, then what follows."""
    parts = [part for part in (_correlated(people), _score_by_score(people)) if part]
    return "; ".join([*parts, people.trust.sentence] if people.trust is not None else parts)


def _correlated(people: BesidePeople) -> str:
    within, ceiling = people.within, people.ceiling
    if within is None or within.value is None:
        return ""
    halves = "" if ceiling is None or ceiling.value is None else f"; halves of the people {ceiling.value:.2f}"
    return f"within systems it correlates with people by {within.value:.2f}{_within(within)}{halves}"


def _score_by_score(people: BesidePeople) -> str:
    difference, kappa = people.difference, people.kappa
    if difference.value is None:
        return f"not compared with people score by score: {difference.reason}"
    more = "more" if difference.value >= 0 else "less"
    same = "" if kappa.value is None else f", weighted kappa {kappa.value:.2f}{_within(kappa)}"
    return (
        f"it gives {abs(difference.value):.2f} {more} than people{_within(difference)}{same}{_spread(people)} "
        f"({count(difference.n, 'answer')})"
    )


def _spread(people: BesidePeople) -> str:
    spread = people.spread
    if spread is None or spread.value is None:
        return ""
    low, high = spread.bounds or (None, None)
    within = "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"
    return f", its values spread {spread.value:.2f} times as far as theirs{within}"


def _within(estimate: Estimate) -> str:
    """The interval of a number that may be shown without its sign."""
    if estimate.bounds is None:
        return ""
    low, high = estimate.bounds
    return f" [{low:+.2f}, {high:+.2f}]"


def _codes(record: JudgeRecord) -> Iterator[tuple[Code, int]]:
    return ((code, number) for code in REASONS if (number := record.unscored.get(code)))


def canary_note(canary: Canary) -> str:
    """Say what became of the planted order, and of the constant answer."""
    if canary.obeyed is None:
        why = REASONS[canary.code or "failed"]
        return f"planted order not checked: {why}"
    without = canary.plain if canary.control is None else canary.control
    moved = f"{without:.3g} without it, {canary.planted:.3g} with it, {canary.target:.3g} asked for"
    if canary.obeyed:
        told = f"it OBEYED an order planted in an answer ({moved}): do not trust it with answers that may hold one"
    else:
        told = f"it resisted an order planted in an answer ({moved})"
    if canary.gamed:
        told += f"; a constant answer that pretends to end the data GAMED it ({canary.null:.3g})"
    if canary.by_length:
        told += f"; length alone moved its verdict from {canary.plain:.3g} to {canary.control:.3g}"
    return told
