"""Verdicts on pairs of answers by one rater: what survives the swap, who wins, and what moves them beside quality.

A verdict on a pair counts if every order in which the pair was shown gave the same; otherwise it is a flip, which
counts as a tie (Zheng et al., 2023). If a verdict is lacking in one of the orders, the pair has none. People, to whom
answers are shown in an order that is drawn, give one verdict each.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Final, NamedTuple

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Floats, Resampling
from dialeval.files.documents import FINITE
from dialeval.metrics.rows import mean_of_rows, rows_of_values
from dialeval.ratings.preferences import (
    OUTCOMES,
    Choice,
    Preference,
    PreferenceStrengths,
    strengths,
    units_of,
)
from dialeval.stats.estimate import Estimate
from dialeval.stats.length_control import LengthControl, control_length
from dialeval.stats.resampling.intervals import spread_of
from dialeval.stats.resampling.jackknife import jackknife_interval, leave_out
from dialeval.stats.strengths import Preferences

PEOPLE: Final = "people"
"""The rater of what most people chose."""
PANEL: Final = "panel"
"""The rater of what most judges chose, where there are three or more."""
_MIRRORED: Final[Mapping[Choice, Choice]] = {"a": "b", "b": "a", "tie": "tie"}
_CHOICES: Final[tuple[Choice, ...]] = ("a", "b", "tie")


class Settled(NamedTuple):
    """What one rater's verdicts on one pair of answers come to, whatever the order they were shown in."""

    item: str
    rater: str
    a: str
    b: str
    choice: Choice | None
    """None without a verdict."""
    flipped: bool
    """True if verdicts differ, so that the choice is a tie."""
    given: tuple[Choice | None, ...]
    """The verdicts, one for each order and repeat."""
    longer: int | None
    """Length of a's answer minus that of b's."""


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Two systems in the verdicts of one rater."""

    __pydantic_config__: ClassVar = FINITE

    a: str
    b: str
    wins: int
    """Pairs in which a's answer is preferred."""
    ties: int
    """Pairs that tie, flips among them."""
    losses: int
    flips: int
    win_rate: Estimate
    """Share of pairs that a wins, ties counting half."""
    length_controlled: Estimate
    """The same if answers were equally long."""


@dataclass(frozen=True, slots=True)
class WithPeople:
    """A rater beside what most people chose."""

    __pydantic_config__: ClassVar = FINITE

    right: Estimate
    """Share of single verdicts that are people's."""
    right_both: Estimate
    """Share of pairs on which every order's verdict is people's."""
    equal: Estimate
    """Share of pairs on which the settled verdict is people's."""
    kappa: Estimate
    """Cohen's kappa of settled verdicts, ties being a class of their own."""
    longer: Estimate
    """Share of longer answers among those the rater prefers, minus that among those that people prefer."""


@dataclass(frozen=True, slots=True)
class PairwiseRater:
    """Verdicts of one rater on one criterion, or of all people together."""

    __pydantic_config__: ClassVar = FINITE

    rater: str
    criterion: str
    verdicts: int
    """Single verdicts, one for each order."""
    unscored: dict[str, int]
    """Verdicts that are lacking, by reason."""
    pairs: int
    """Pairs of answers with a settled verdict, of all items."""
    both_orders: int
    """Pairs that were shown in both orders."""
    head_to_head: tuple[HeadToHead, ...]
    strengths: PreferenceStrengths
    first: Estimate
    """Share of answers shown first among those preferred; 0.5 without a bias, if both orders were shown."""
    flips: Estimate
    """Share of pairs whose verdict does not survive the swap."""
    longer: Estimate
    """Share of longer answers among those preferred, by single verdicts."""
    slope: Estimate
    """Slope of the log odds of being preferred on length (docs/judge.md)."""
    own_family: Estimate
    """By how much more the rater prefers systems of its own family to others than people, or other raters, do."""
    people: WithPeople | None = None
    """None of people themselves, and if there are none."""


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two raters on the same pairs."""

    __pydantic_config__: ClassVar = FINITE

    criterion: str
    a: str
    b: str
    equal: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class PairwiseResults:
    """Every rater's verdicts, and how far raters agree."""

    __pydantic_config__: ClassVar = FINITE

    raters: tuple[PairwiseRater, ...]
    agreements: tuple[PairAgreement, ...]
    """Of every two raters who judged the same pairs."""
    level: float
    """The confidence of intervals."""


def pairwise_results(
    preferences: Sequence[Preference],
    *,
    people: Collection[str] | None = None,
    own: Collection[str] = (),
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> PairwiseResults:
    """Results of all raters by criterion; ``own`` are the systems of the judges' own family.

    ``people`` names the raters who are people: by default those of whom no verdict says what was shown first.
    """
    people = _unordered(preferences) if people is None else people
    tables: list[PairwiseRater] = []
    agreements: list[PairAgreement] = []
    for criterion in dict.fromkeys(one.criterion for one in preferences):
        here = [one for one in preferences if one.criterion == criterion]
        voices = _Voices.of(here, people)
        tables += _tables(criterion, here, voices, own, resampling)
        agreements += _agreements(criterion, voices, resampling)
    return PairwiseResults(tuple(tables), tuple(agreements), resampling.confidence)


def _unordered(preferences: Iterable[Preference]) -> set[str]:
    """Raters of whom no verdict says which answer was shown first."""
    judges = {one.rater for one in preferences if one.first is not None}
    return {one.rater for one in preferences} - judges


class _Voices(NamedTuple):
    """Settled verdicts on one criterion."""

    single: Mapping[str, list[Settled]]
    """Of each rater."""
    people: Collection[str]
    """The raters who are people."""
    voted: list[Settled]
    """What most people chose; empty without people."""
    panel: list[Settled]
    """What most judges chose; empty of fewer than three."""

    @classmethod
    def of(cls, preferences: Iterable[Preference], people: Collection[str]) -> _Voices:
        """Settle the verdicts, and count the votes."""
        single = settle(preferences)
        judges = [rater for rater in single if rater not in people]
        panel = len(judges) > 2 and PANEL not in single
        return cls(
            single,
            [rater for rater in single if rater in people],
            majority(one for rater in single if rater in people for one in single[rater]),
            majority((one for rater in judges for one in single[rater]), PANEL) if panel else [],
        )

    @property
    def judges(self) -> dict[str, list[Settled]]:
        """Verdicts of each judge."""
        return {rater: found for rater, found in self.single.items() if rater not in self.people}


def _tables(
    criterion: str,
    given: Sequence[Preference],
    voices: _Voices,
    own: Collection[str],
    resampling: Resampling,
) -> Iterator[PairwiseRater]:
    """A table of all people together, of each judge, and of the panel."""
    if voices.voted:
        theirs = [one for one in given if one.rater in voices.people]
        none = Estimate.undefined("people have no family of systems")
        yield _table(PEOPLE, criterion, theirs, voices.voted, None, none, resampling)
    judges = voices.judges
    for rater, found in (*judges.items(), *([(PANEL, voices.panel)] if voices.panel else [])):
        others = [other for name, other in judges.items() if name != rater]
        bias = _own_family(found, [voices.voted] if voices.voted else others, own, resampling)
        its = [one for one in given if one.rater == rater]
        yield _table(rater, criterion, its, found, voices.voted or None, bias, resampling)


def _agreements(criterion: str, voices: _Voices, resampling: Resampling) -> Iterator[PairAgreement]:
    """Agreement of every two raters, and of each judge with most people; a person is a part of what most chose."""
    several = len(voices.people) > 1 and bool(voices.voted)
    everyone = {**voices.single, **({PEOPLE: voices.voted} if several else {})}
    for (a, first), (b, second) in combinations(everyone.items(), 2):
        if PEOPLE in (a, b) and {a, b} <= {PEOPLE, *voices.people}:
            continue
        if (agreement := _agreement(criterion, a, b, first, second, resampling)) is not None:
            yield agreement


def settle(preferences: Iterable[Preference]) -> dict[str, list[Settled]]:
    """Return what each rater's verdicts come to; side a of a pair of systems is the same for all raters and items."""
    sides: dict[frozenset[str], tuple[str, str]] = {}
    groups: dict[tuple[str, str, str, str], list[Preference]] = {}
    for one in preferences:
        a, b = sides.setdefault(frozenset((one.a, one.b)), (one.a, one.b))
        groups.setdefault((one.item, one.rater, a, b), []).append(_turned(one, a))
    found: dict[str, list[Settled]] = {}
    for key, group in groups.items():
        found.setdefault(key[1], []).append(_settled(key, group))
    return found


def _turned(one: Preference, a: str) -> Preference:
    """The preference with this system as side a."""
    if one.a == a:
        return one
    return one._replace(
        a=one.b,
        b=one.a,
        choice=None if one.choice is None else _MIRRORED[one.choice],
        first=None if one.first is None else "b" if one.first == "a" else "a",
        length_a=one.length_b,
        length_b=one.length_a,
    )


def _settled(key: tuple[str, str, str, str], group: Sequence[Preference]) -> Settled:
    given = tuple(one.choice for one in group)
    known = {choice for choice in given if choice is not None}
    lacking = None in given
    flipped = not lacking and len(known) > 1
    choice: Choice | None = None if lacking else "tie" if flipped else next(iter(known))
    lengths = [
        one.length_a - one.length_b for one in group if one.length_a is not None and one.length_b is not None
    ]
    return Settled(*key, choice, flipped, given, lengths[0] if lengths else None)


def majority(verdicts: Iterable[Settled], rater: str = PEOPLE) -> list[Settled]:
    """Return what more than half of the raters chose on each pair; no choice where there is no majority."""
    groups: dict[tuple[str, str, str], list[Settled]] = {}
    for one in verdicts:
        if one.choice is not None:
            groups.setdefault((one.item, one.a, one.b), []).append(one)
    found = []
    for (item, a, b), group in groups.items():
        choice, votes = Counter(one.choice for one in group).most_common(1)[0]
        choice = choice if votes > len(group) / 2 else None
        longer = next((one.longer for one in group if one.longer is not None), None)
        found.append(Settled(item, rater, a, b, choice, False, (choice,), longer))
    return found


def _table(
    rater: str,
    criterion: str,
    given: Sequence[Preference],
    settled: Sequence[Settled],
    people: Sequence[Settled] | None,
    own_family: Estimate,
    resampling: Resampling,
) -> PairwiseRater:
    known = [one for one in settled if one.choice is not None]
    names = list(dict.fromkeys(name for one in known for name in (one.a, one.b)))
    control = _length_control(known, names, resampling)
    orders = [one for one in settled if len(one.given) > 1 and None not in one.given]
    firsts = [one for one in given if one.first is not None and one.choice in ("a", "b")]
    longer = list(_longer(settled))
    reasons = Counter(one.reason or "no verdict" for one in given if one.choice is None)
    shown_both = {key for key, sides in _sides_shown(given).items() if len(sides) > 1}
    return PairwiseRater(
        rater=rater,
        criterion=criterion,
        verdicts=sum(one.choice is not None for one in given),
        unscored=dict(reasons.most_common()),
        pairs=len(known),
        both_orders=len(shown_both),
        head_to_head=tuple(_head_to_head(known, names, control, resampling)),
        strengths=strengths([_as_preference(one) for one in known], resampling=resampling),
        first=_share(
            [one.choice == one.first for one in firsts],
            [one.item for one in firsts],
            resampling,
            "no verdict says which answer was shown first",
        ),
        flips=_share(
            [one.flipped for one in orders],
            [one.item for one in orders],
            resampling,
            _ONE_ORDER,
        ),
        longer=_share(
            [preferred for _, preferred in longer],
            [item for item, _ in longer],
            resampling,
            _NO_LENGTHS if all(one.longer is None for one in settled) else _ALL_EQUAL,
        ),
        slope=Estimate.undefined(_NO_LENGTHS) if control is None else control.slope,
        own_family=own_family,
        people=None if people is None else _with_people(settled, people, resampling),
    )


_ONE_ORDER: Final = "no pair has verdicts in two orders"
_ALL_EQUAL: Final = "no verdict prefers one of two answers of different lengths"
_NO_LENGTHS: Final = "the lengths of the answers are not known"


def _sides_shown(given: Iterable[Preference]) -> dict[tuple[str, frozenset[str]], set[str]]:
    """The systems that were shown first, by item and pair of systems."""
    shown: dict[tuple[str, frozenset[str]], set[str]] = {}
    for one in given:
        if one.first is not None:
            first = one.a if one.first == "a" else one.b
            shown.setdefault((one.item, frozenset((one.a, one.b))), set()).add(first)
    return shown


def _longer(settled: Iterable[Settled]) -> Iterator[tuple[str, bool]]:
    """The item of each single verdict that prefers one of two answers, and whether it prefers the longer one."""
    for one in settled:
        for choice in one.given if one.longer else ():
            if choice in ("a", "b"):
                yield one.item, _is_longer(choice, one)


def _is_longer(choice: Choice | None, one: Settled) -> bool:
    return (choice == "a") == ((one.longer or 0) > 0)


def _as_preference(one: Settled) -> Preference:
    return Preference(one.item, one.rater, one.a, one.b, one.choice)


def _length_control(
    known: Sequence[Settled], names: Sequence[str], resampling: Resampling
) -> LengthControl | None:
    """The model of those pairs whose lengths are known; None if there are none."""
    measured = [one for one in known if one.longer is not None]
    if not measured:
        return None
    codes = {name: code for code, name in enumerate(names)}
    given = Preferences(
        np.array([codes[one.a] for one in measured], dtype=np.int64),
        np.array([codes[one.b] for one in measured], dtype=np.int64),
        np.array([OUTCOMES[one.choice] for one in measured if one.choice is not None]),
    )
    return control_length(
        given,
        np.array([one.longer for one in measured], dtype=np.float64),
        len(names),
        confidence=resampling.confidence,
        clusters=units_of([one.item for one in measured], resampling),
    )


def _head_to_head(
    known: Sequence[Settled], names: Sequence[str], control: LengthControl | None, resampling: Resampling
) -> Iterator[HeadToHead]:
    for a, b in dict.fromkeys((one.a, one.b) for one in known):
        here = [one for one in known if (one.a, one.b) == (a, b)]
        counts = Counter(one.choice for one in here)
        controlled = (
            Estimate.undefined(_NO_LENGTHS)
            if control is None
            else control.rate(names.index(a), names.index(b))
        )
        yield HeadToHead(
            a,
            b,
            counts["a"],
            counts["tie"],
            counts["b"],
            sum(one.flipped for one in here),
            _share(
                [OUTCOMES[one.choice] for one in here if one.choice is not None],
                [one.item for one in here],
                resampling,
                "",
            ),
            controlled,
        )


def _share(values: Sequence[float], items: Sequence[str], resampling: Resampling, otherwise: str) -> Estimate:
    """The mean of values from 0 to 1, with an interval over items or dialogues; else the reason."""
    if not values:
        return Estimate.undefined(otherwise)
    return _mean(np.array(values, dtype=np.float64), items, resampling, (0.0, 1.0))


def _mean(
    values: Floats, items: Sequence[str], resampling: Resampling, limits: tuple[float, float]
) -> Estimate:
    clusters = units_of(items, resampling)
    yes_no = limits == (0.0, 1.0) and bool(np.isin(values, (0.0, 1.0)).all())
    spread = spread_of(
        rows_of_values(values),
        mean_of_rows,
        clusters=clusters,
        yes_no=yes_no,
        limits=limits,
        values=values,
    )
    return spread.interval(resampling.confidence).estimate._replace(n=len(values))


def _with_people(settled: Sequence[Settled], people: Sequence[Settled], resampling: Resampling) -> WithPeople:
    chosen = {(one.item, one.a, one.b): one.choice for one in people if one.choice is not None}
    shared = [one for one in settled if (one.item, one.a, one.b) in chosen]
    wanted = [chosen[one.item, one.a, one.b] for one in shared]
    single = [
        (one.item, choice == right)
        for one, right in zip(shared, wanted, strict=True)
        for choice in one.given
        if choice is not None
    ]
    twice = [(one, right) for one, right in zip(shared, wanted, strict=True) if len(one.given) > 1]
    none = "people judged none of these pairs"
    agreement = _agreement("", "", "", settled, people, resampling)
    nothing = Estimate.undefined(none)
    return WithPeople(
        right=_share([right for _, right in single], [item for item, _ in single], resampling, none),
        right_both=_share(
            [set(one.given) == {right} for one, right in twice],
            [one.item for one, _ in twice],
            resampling,
            _ONE_ORDER,
        ),
        equal=agreement.equal if agreement else nothing,
        kappa=agreement.kappa if agreement else nothing,
        longer=_longer_than_people(shared, wanted, resampling),
    )


def _longer_than_people(
    shared: Sequence[Settled], wanted: Sequence[Choice | None], resampling: Resampling
) -> Estimate:
    both = [
        (one.item, float(_is_longer(choice, one)) - float(_is_longer(right, one)))
        for one, right in zip(shared, wanted, strict=True)
        for choice in one.given
        if one.longer and choice in ("a", "b") and right in ("a", "b")
    ]
    if not both:
        return Estimate.undefined(_NO_LENGTHS)
    return _mean(np.array([gap for _, gap in both]), [item for item, _ in both], resampling, (-1.0, 1.0))


def _agreement(
    criterion: str,
    a: str,
    b: str,
    first: Sequence[Settled],
    second: Sequence[Settled],
    resampling: Resampling,
) -> PairAgreement | None:
    """Agreement on the pairs that both judged; None if there are none."""
    theirs = {(one.item, one.a, one.b): one.choice for one in second if one.choice is not None}
    both = [
        (one.item, _CHOICES.index(one.choice), _CHOICES.index(other))
        for one in first
        if one.choice is not None and (other := theirs.get((one.item, one.a, one.b))) is not None
    ]
    if not both:
        return None
    items = [item for item, _, _ in both]
    equal = _share([x == y for _, x, y in both], items, resampling, "")
    counts = np.zeros((len(both), 9))
    counts[np.arange(len(both)), [3 * x + y for _, x, y in both]] = 1
    found = leave_out(counts, _kappa, units_of(items, resampling))
    if not np.isfinite(found.score):
        return PairAgreement(
            criterion, a, b, equal, Estimate.undefined("both always chose the same side", len(both))
        )
    low, high = jackknife_interval(found.score, found.without, resampling.confidence)
    reason = None
    if not high - low > 1e-12:
        low = high = math.nan
        constant = bool(np.isfinite(found.without).all())
        reason = (
            "it is the same whichever item is left out"
            if constant
            else "without one of the items there is none"
        )
    kappa = Estimate.of(found.score, max(low, -1.0), min(high, 1.0), len(both), reason)
    return PairAgreement(criterion, a, b, equal, kappa)


def _kappa(totals: Floats) -> Floats:
    """Cohen's kappa of counts of two raters' classes, shape (..., 9) to (...); NaN if chance alone agrees always."""
    table = totals.reshape(*totals.shape[:-1], 3, 3)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = table / table.sum(axis=(-1, -2), keepdims=True)
        observed = np.trace(shares, axis1=-2, axis2=-1)
        expected = (shares.sum(axis=-1) * shares.sum(axis=-2)).sum(axis=-1)
        kappa = (observed - expected) / (1 - expected)
    return np.where(expected < 1 - 1e-12, kappa, np.nan)


def _own_family(
    settled: Sequence[Settled],
    others: Sequence[Sequence[Settled]],
    own: Collection[str],
    resampling: Resampling,
) -> Estimate:
    """Mean, over pairs of an own system and another, of the rater's outcome minus the mean of others' on that pair."""
    if not own:
        return Estimate.undefined("no system was named as one of the judge's own family")
    theirs: dict[tuple[str, str, str], list[float]] = {}
    for one in (one for voice in others for one in voice):
        if one.choice is not None:
            theirs.setdefault((one.item, one.a, one.b), []).append(OUTCOMES[one.choice])
    values, items = [], []
    for one in settled:
        beside = theirs.get((one.item, one.a, one.b))
        if one.choice is None or beside is None or (one.a in own) == (one.b in own):
            continue
        gap = OUTCOMES[one.choice] - sum(beside) / len(beside)
        values.append(gap if one.a in own else -gap)
        items.append(one.item)
    if not values:
        return Estimate.undefined("nobody else judged pairs of an own system and another")
    return _mean(np.array(values), items, resampling, (-1.0, 1.0))
