"""Drift of a judge: verdicts of two judges, or of one then and now, on the same answers.

The same answers, judged twice, anchor one judge to the other. The judges are equivalent if the mean difference of their
verdicts is shown to lie within a margin (two one-sided tests: Schuirmann, 1987). Few anchors on which nothing changed
prove little, so to the variance one change of a step of the scale in either direction is added, as one item is to
either kind of disagreement in Bonett and Price's interval (2012).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.core import Floats, Resampling, Signature
from dialeval.display.wording import count, listing
from dialeval.files.documents import FINITE
from dialeval.metrics.rows import mean_of_rows
from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.jackknife import jackknife_error, leave_out, t_quantile

Verdict: TypeAlias = Literal["equivalent", "drifted", "undecided"]
MARGIN: Final = 0.05
"""Margin as a share of the scale, if none is declared."""
LEAST: Final = 10
"""Fewest anchors."""
STEPS: Final = 4
"""Steps of a scale of probabilities; scales of scores have steps of 1."""


class JudgeIdentity(NamedTuple):
    """Which judge gave the verdicts."""

    signature: str
    """Rubric, model asked, decoding and version of the prompt."""
    returned: tuple[str, ...]
    """The models that answered, as the server names them."""


@dataclass(frozen=True, slots=True)
class Drift:
    """Verdicts of one judge beside earlier ones, or another's, on the same answers."""

    __pydantic_config__: ClassVar = FINITE

    format: Literal[1]
    then: JudgeIdentity
    now: JudgeIdentity
    verdict: Verdict
    difference: Estimate
    """Mean of the verdicts now minus those then, with the interval of confidence 1 - 2 alpha."""
    margin: float
    equal: float | None
    """Share of anchors with the same verdict."""
    mean_difference: float | None
    """Mean absolute difference of the two verdicts on an anchor."""
    needed: int | None
    """Number of anchors that would decide, if the difference stays; None if the verdict stands, or none would."""
    unscored: int = 0
    """Anchors without a verdict of one of the two."""

    @property
    def sentence(self) -> str:
        """Return what was found."""
        value, low, high, n, reason = self.difference
        if value is None or low is None or high is None:
            return f"not comparable: {reason}"
        seen = f"{value:+.3g} [{low:+.3g}, {high:+.3g}] on {count(n, 'answer')} judged by both, margin {self.margin:g}"
        if self.verdict == "undecided":
            more = "" if self.needed is None else f"; about {self.needed:,} would decide"
            return f"undecided, so not comparable: {seen}{more}"
        return f"{'equivalent' if self.verdict == 'equivalent' else 'not comparable'}: {seen}"


def drift_of(
    then: Floats,
    now: Floats,
    items: Sequence[str],
    judges: tuple[JudgeIdentity, JudgeIdentity],
    *,
    limits: tuple[float, float],
    margin: float | None = None,
    resampling: Resampling,
) -> Drift:
    """The difference of two judges' verdicts on anchors, NaN where one has none; ``limits`` are the ends of the scale.

    Anchors of one item, or of the turns of a dialogue, are left out together.
    """
    both = np.isfinite(then) & np.isfinite(now)
    apart, n = (now - then)[both], int(both.sum())
    margin = MARGIN * (limits[1] - limits[0]) if margin is None else margin
    step = 1.0 if limits[1] - limits[0] > 1 else (limits[1] - limits[0]) / STEPS
    names = [item for item, known in zip(items, both.tolist(), strict=True) if known]
    difference = _difference(apart, names, step, resampling)
    low, high = difference.bounds or (-math.inf, math.inf)
    verdict: Verdict = "undecided"
    if -margin < low and high < margin:
        verdict = "equivalent"
    elif low >= margin or high <= -margin:
        verdict = "drifted"
    return Drift(
        1,
        *judges,
        verdict,
        difference,
        margin,
        float((np.abs(apart) < 1e-9).mean()) if n else None,
        float(np.abs(apart).mean()) if n else None,
        _needed(difference, margin) if verdict == "undecided" else None,
        len(both) - n,
    )


def _difference(apart: Floats, items: Sequence[str], step: float, resampling: Resampling) -> Estimate:
    n = len(apart)
    if n < LEAST:
        return Estimate.undefined(f"{count(n, 'answer')} judged by both, where {LEAST} are needed", n)
    distinct = tuple(dict.fromkeys(items))
    codes = resampling.clusters(distinct)
    unit = dict(zip(distinct, range(len(distinct)) if codes is None else codes.tolist(), strict=True))
    units = np.unique([unit[item] for item in items], return_inverse=True)[1]
    found = leave_out(np.column_stack([apart, np.ones(n)]), mean_of_rows, units)
    added = 2 * step**2 / (n + 2) ** 2
    error = math.sqrt(jackknife_error(found.without) ** 2 + added)
    reach = t_quantile(len(found.without) - 1, 1 - 2 * resampling.alpha) * error
    if not math.isfinite(reach):
        return Estimate.of(found.score, math.nan, math.nan, n, "all answers judged by both are to one item")
    return Estimate(found.score, found.score - reach, found.score + reach, n)


def _needed(difference: Estimate, margin: float) -> int | None:
    """Anchors with which the interval would lie within the margin, or outside of it."""
    if difference.bounds is None:
        return LEAST if difference.value is None else None
    value, high = difference.number, difference.bounds[1]
    room = abs(margin - abs(value))
    return math.ceil(difference.n * ((high - value) / room) ** 2) + 1 if room > 0.01 * margin else None


def changes(then: JudgeIdentity, now: JudgeIdentity) -> str | None:
    """Return what differs between two judges, in words; None if nothing does."""
    found = []
    if then.signature != now.signature:
        first, second = (dict(_parts(each.signature)) for each in (then, now))
        keys = [key for key in dict.fromkeys([*first, *second]) if first.get(key) != second.get(key)]
        found += [f"{key} ({first.get(key, 'unset')} and {second.get(key, 'unset')})" for key in keys]
    if then.returned != now.returned:
        names = [listing(each.returned) or "not named" for each in (then, now)]
        found.append(f"model returned ({names[0]} and {names[1]})")
    return listing(found) if found else None


def _parts(signature: str) -> Iterator[tuple[str, object]]:
    try:
        read = Signature.parse(signature)
    except ValueError:  # recorded elsewhere, it has a name and no signature
        yield "name", signature
        return
    yield from read.parameters
    for key, fact in read.facts:
        yield {"rubric": "text of the rubric", "prompt": "version of the prompt"}.get(key, key), fact
    yield "version", read.version
