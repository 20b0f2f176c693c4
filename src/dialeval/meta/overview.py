"""Overview of the ratings: raters and items, means of systems, and judgements that did not join."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

import numpy as np

from dialeval.core import Floats
from dialeval.files.documents import finite
from dialeval.meta.document import Human, Mean, NotJoined, Pairs, Points
from dialeval.ratings.joined import Joined
from dialeval.stats.correlation.identity import identity_correlation

MOST_UNJOINED: Final = 20
"""How many answers of unknown items and systems are listed; ``unjoined.jsonl`` has them all."""


def count_people(joined: Joined) -> Human:
    """How many people rated how many answers, and how much knowing the system alone would say of their ratings."""
    rated = ~np.isnan(joined.human.values)
    values = joined.scored.human.values
    reason = _no_identity(values)
    identity = identity_correlation(values if reason is None else np.empty((0, 0)))
    return Human(
        criterion=joined.criterion,
        raters=len(joined.rater_names),
        ratings=joined.counts.ratings,
        could_not_say=joined.counts.could_not_say,
        repeated=joined.counts.repeated,
        cells=int(rated.sum()),
        items=int(rated.any(axis=0).sum()),
        systems=int(rated.any(axis=1).sum()),
        set_aside=joined.counts.set_aside,
        system_identity=finite(identity.observed),
        system_identity_reason=reason,
        system_identity_by_chance=finite(identity.by_chance),
        system_identity_corrected=finite(identity.corrected),
    )


def system_means(joined: Joined) -> Iterator[Mean]:
    """Each system's means over the answers that people and a measure both have."""
    for (measure, system), pairs in points_of(joined).items():
        if n := len(pairs.human):
            yield Mean(measure, system, float(pairs.human.mean()), float(pairs.value.mean()), n)


def points_of(joined: Joined) -> Points:
    """The answers that both people and a measure have, measure by measure, system by system, in order of the items."""
    human = joined.human.values
    points = {}
    for measure in joined.measures:
        both = ~np.isnan(human) & ~np.isnan(measure.values)
        for row, system in enumerate(joined.systems):
            chosen = both[row]
            points[measure.name, system] = Pairs(human[row, chosen], measure.values[row, chosen])
    return points


def not_joined(joined: Joined) -> NotJoined:
    """How many answers only one side has, and the first of those whose item or system the other does not know."""
    apart = joined.apart
    return NotJoined(
        human=int(apart.human.sum()),
        measures=joined.coverage,
        unknown=int(apart.strange.sum()),
        not_rated=int((apart.measures & ~apart.strange).sum()),
        not_scored=int((apart.human & ~apart.strange).sum()),
        first=tuple(islice(joined.strangers(), MOST_UNJOINED)),
    )


def _no_identity(ratings: Floats) -> str | None:
    """Why knowing the system of an answer says nothing; None where it does."""
    rated = ~np.isnan(ratings)
    if rated.any(axis=1).sum() < 2:
        return "fewer than two systems were rated"
    if rated.sum(axis=1).max(initial=0) < 2:
        return "no system has two rated answers: its mean is the answer's own"
    return None if np.ptp(ratings[rated]) else "all ratings are equal"
