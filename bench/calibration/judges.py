"""Estimates after a judge: coverage if uncertain verdicts and an audit go to people, from thresholds to intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from bench.calibration.table import Table, percent
from dialeval import Judgement, Ratings, estimate_systems, join
from dialeval.core import Resampling
from dialeval.judge.drift import JudgeIdentity, drift_of
from dialeval.judge.escalation import Escalation, JudgedAnswer, Wanted, escalate, strata_of
from dialeval.meta.escalated import EscalatedEstimates, estimate_escalated
from dialeval.stats.resampling.bootstrap import Floats

STUDIES: Final = 600
WITHIN: Final = 1.0
LEVELS: Final = {"old": 3.0, "new": 3.4}
COLUMNS: Final = (
    "judge",
    "answers",
    "rated before",
    "budget",
    "mean",
    "difference",
    "plain mean",
    "audit",
    "worth",
)
"""Shares of studies, in per cent, whose interval holds the true mean rating, the true difference, and the mean if the
drawn ratings are taken for a random sample; whose audit's interval holds the true share; median of ratings worth."""


@dataclass(frozen=True, slots=True)
class Judging:
    """A population of dialogues, the ratings of people, and a judge of them."""

    name: str
    bias: tuple[float, float]
    """By system: what the judge adds."""
    unsure: float = 0.35
    """Share of answers of which it is unsure."""
    noise: tuple[float, float] = (0.25, 1.2)
    """Standard deviation of its error where it is sure, and where not."""
    turns: int = 1
    """Turns of a dialogue, which share a mood."""
    raters: int = 1
    harsh: float = 0.0
    """By how much less people rate than the judge where it is unsure: a bias in one stratum."""


DESIGNS: Final = (
    Judging("honest", (0.0, 0.0)),
    Judging("lenient, more so to one system", (0.5, 0.9)),
    Judging("lenient where unsure", (0.2, 0.2), harsh=0.8),
    Judging("useless", (0.0, 0.0), noise=(3.0, 3.0)),
    Judging("lenient, five turns a dialogue", (0.5, 0.9), turns=5),
    Judging("lenient, three raters", (0.5, 0.9), raters=3),
)


def tables() -> Iterator[Table]:
    """Escalation by design and size; drift by size."""
    sizes = ((200, 0, 60), (200, 60, 60), (600, 80, 120))
    rows = (_row(design, *size) for design in DESIGNS for size in sizes)
    yield Table("Estimates after a judge: 95 % nominal, shares in per cent", COLUMNS, rows)
    of_few = ("judge", "answers", "rated", "mean", "difference", "worth")
    few = (_few(design, *size) for design in DESIGNS for size in ((200, 30), (200, 60), (600, 60)))
    yield Table("Estimates from few ratings of random answers: 95 % nominal, shares in per cent", of_few, few)
    columns = ("true shift of the judge, margin .2", "anchors", "equivalent")
    drifts = (_drift(shift, n) for shift in (0.0, 0.1, 0.2, 0.4) for n in (30, 100, 300))
    yield Table("Judges called equivalent, shares in per cent", columns, drifts)


def _few(design: Judging, items: int, rated: int) -> tuple[str, ...]:
    """Coverage of ``estimate_systems`` where people rated a random part of the answers of both systems."""
    rng = np.random.default_rng([items, rated, len(design.name), 1])
    truth = _true_means(design)
    held, worth = np.zeros((STUDIES, 2)), []
    for study in range(STUDIES):
        drawn = _draw(design, rng, items, 2 * rated)
        given = [
            Judgement(one.item, one.system, "judge_model", "judge_model", one.value) for one in drawn.answers
        ]
        given += [
            Judgement(one.item, one.system, "people", "overall", one.rating)
            for one in drawn.answers
            if one.rating is not None
        ]
        found = estimate_systems(join(Ratings.of(given), "overall"), "judge_model")
        (difference,) = found.differences
        mean = next(each for each in found.systems if each.system == "old")
        apart = truth[difference.a] - truth[difference.b]
        held[study] = _holds(mean.estimate.bounds, truth["old"]), _holds(difference.estimate.bounds, apart)
        worth.append(mean.effective_n or np.nan)
    shares = map(percent, np.nanmean(held, axis=0).tolist())
    return design.name, str(items), str(rated), *shares, f"{np.nanmedian(worth):.0f}"


class _Drawn(NamedTuple):
    """One study: what the judge said, and what people would say of everything."""

    answers: list[JudgedAnswer]
    ratings: dict[tuple[str, str], float]


def _row(design: Judging, items: int, before: int, budget: int) -> tuple[str, ...]:
    rng = np.random.default_rng([items, before, len(design.name)])
    truth = _true_means(design)
    held = np.zeros((STUDIES, 4))
    worth = []
    for study in range(STUDIES):
        drawn = _draw(design, rng, items, before)
        wanted = Wanted(agree=0.7, within=WITHIN, budget=budget, seed=study)
        acceptance, sent = escalate(drawn.answers, wanted)
        escalation = Escalation(1, "judge", "overall", wanted, acceptance, strata_of(sent), ())
        found = estimate_escalated(escalation, sent, _asked(sent, drawn))
        held[study] = _held(found, truth, sent, drawn)
        worth.append(found.estimates.systems[0].effective_n or np.nan)
    shares = [float(np.nanmean(column)) if np.isfinite(column).any() else None for column in held.T]
    return (
        design.name,
        str(items),
        str(before),
        str(budget),
        *map(percent, shares),
        f"{np.nanmedian(worth):.0f}",
    )


def _draw(design: Judging, rng: np.random.Generator, items: int, before: int) -> _Drawn:
    dialogues = items // design.turns
    mood = np.repeat(rng.normal(0, 0.5, dialogues), design.turns)
    answers, ratings = [], {}
    early = set(rng.choice(items, before // 2, replace=False).tolist())
    for place, (system, level) in enumerate(LEVELS.items()):
        quality = level + mood + rng.normal(0, 0.6, items)
        unsure = rng.random(items) < design.unsure
        rated = _rated(design, rng, quality - design.harsh * unsure)
        error = rng.normal(0, 1, items) * np.where(unsure, design.noise[1], design.noise[0])
        verdicts = quality + design.bias[place] + error
        sure = np.where(unsure, rng.uniform(0.3, 0.7, items), rng.uniform(0.7, 1, items))
        for item in range(items):
            name = f"d{item // design.turns}/{item}" if design.turns > 1 else str(item)
            known = float(rated[item]) if item in early else None
            answers.append(JudgedAnswer(name, system, float(verdicts[item]), float(sure[item]), known))
            ratings[name, system] = float(rated[item])
    return _Drawn(answers, ratings)


def _rated(design: Judging, rng: np.random.Generator, quality: Floats) -> Floats:
    """Mean over raters of ratings from 1 to 5."""
    given = quality + rng.normal(0, 0.5, (design.raters, len(quality)))
    means: Floats = np.clip(np.round(given), 1, 5).mean(axis=0)
    return means


def _true_means(design: Judging) -> dict[str, float]:
    rng = np.random.default_rng(99)
    n = 400_000
    found = {}
    for system, level in LEVELS.items():
        unsure = rng.random(n) < design.unsure
        quality = level + rng.normal(0, 0.5, n) + rng.normal(0, 0.6, n) - design.harsh * unsure
        found[system] = float(_rated(design, rng, quality).mean())
    return found


def _asked(sent: list[JudgedAnswer], drawn: _Drawn) -> dict[tuple[str, str], float]:
    return {(one.item, one.system): drawn.ratings[one.item, one.system] for one in sent if one.drawn}


def _held(
    found: EscalatedEstimates, truth: dict[str, float], sent: list[JudgedAnswer], drawn: _Drawn
) -> tuple[float, float, float, float]:
    """Whether the intervals hold the truth; NaN without an interval."""
    mean = _holds(found.estimates.systems[0].estimate.bounds, truth["old"])
    (difference,) = found.estimates.differences
    apart = _holds(difference.estimate.bounds, truth["old"] - truth["new"])
    given = [
        drawn.ratings[one.item, one.system]
        for one in sent
        if one.system == "old" and (one.drawn or one.stratum == "rated")
    ]
    reach = 1.96 * float(np.std(given, ddof=1)) / len(given) ** 0.5
    plain = _holds((float(np.mean(given)) - reach, float(np.mean(given)) + reach), truth["old"])
    sure = [one for one in sent if one.stratum == "sure"]
    right = [abs((one.value or 0) - drawn.ratings[one.item, one.system]) <= WITHIN for one in sure]
    return mean, apart, plain, _holds(found.agreement.bounds, float(np.mean(right)) if right else np.nan)


def _holds(bounds: tuple[float, float] | None, truth: float) -> float:
    return float("nan") if bounds is None else float(bounds[0] <= truth <= bounds[1])


def _drift(shift: float, anchors: int) -> tuple[str, ...]:
    """How often a judge that gives ``shift`` more on average, by whole points, is called equivalent."""
    rng = np.random.default_rng([anchors, int(100 * shift)])
    judges = JudgeIdentity("a|version=1", ()), JudgeIdentity("b|version=1", ())
    equivalent = 0
    for _ in range(STUDIES):
        then = rng.integers(1, 6, anchors).astype(np.float64)
        now = then + rng.choice([-1.0, 0.0, 1.0], anchors, p=[0.1, 0.8 - shift, 0.1 + shift])
        items = [str(place) for place in range(anchors)]
        found = drift_of(then, now, items, judges, limits=(1.0, 5.0), resampling=Resampling())
        equivalent += found.verdict == "equivalent"
    return f"{shift:g}", str(anchors), percent(equivalent / STUDIES)
