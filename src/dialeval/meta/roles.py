"""Which raters are people, which are measures, and what a measure is called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Signature
from dialeval.errors import Unsuitable
from dialeval.meta.ratings import Ratings
from dialeval.text.naming import split_call


def measuring(
    ratings: Ratings, criterion: str, *, people: Sequence[str] | None, measures: Sequence[str] | None
) -> NDArray[np.bool_]:
    """Whether each rater is a measure, shape (raters,); the others are people.

    A rater is a measure where it never judges the human criterion, where it is called as a metric of ours is (by its
    name or its whole signature), or where a pattern of ``measures`` fits. Where ``people`` is given, those whom its
    patterns fit are people and nobody else is.
    """
    judges = np.zeros(len(ratings.raters), dtype=bool)
    judges[ratings.rater[ratings.criterion == ratings.criteria.index(criterion)]] = True
    if people is None:
        chosen = [fits(name, measures or ()) or called_like_a_metric(name) for name in ratings.raters]
        return np.logical_or(~judges, chosen)
    persons = np.array([fits(name, people) for name in ratings.raters], dtype=bool)
    if not persons.any():
        shown = ", ".join(map(repr, ratings.raters[:5]))
        raise Unsuitable(f"No rater fits {' or '.join(people)}. The first raters are {shown}.")
    for name, person in zip(ratings.raters, persons.tolist(), strict=True):
        if person and fits(name, measures or ()):
            raise Unsuitable(
                f"The rater {name!r} fits a pattern of people and one of measures. Make one narrower."
            )
    return ~persons


def fits(rater: str, patterns: Sequence[str]) -> bool:
    """Whether the rater, or the call its signature begins with, is matched by one of the patterns."""
    names = (rater, _call(rater) or rater)
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def called_like_a_metric(rater: str) -> bool:
    """Whether the rater's name is a signature, or a metric of ours with or without parameters."""
    from dialeval.metrics import CORPUS_MEASURES, METRICS

    if _call(rater) is not None:
        return True
    try:
        call = split_call(rater)
    except ValueError:
        return False
    return not call.rest and (call.name in METRICS or call.name in CORPUS_MEASURES)


class Named(NamedTuple):
    """A measure's name in tables, and whose values it stands for."""

    name: str
    rater: str
    criterion: str


def named(pairs: Sequence[tuple[str, str]]) -> list[Named]:
    """The shortest telling name of each (rater, criterion), all of them different.

    A rater with a signature goes by its call (``bleu(order=4)``), another one with a single criterion by its own name,
    and one with several by its criteria; where that is not unique the rater is written before it, or in full.
    """
    criteria = Counter(rater for rater, _ in pairs)
    short = [(_call(rater) or rater) if criteria[rater] == 1 else criterion for rater, criterion in pairs]
    longer = [
        rater if criteria[rater] == 1 else f"{_call(rater) or rater}/{criterion}"
        for rater, criterion in pairs
    ]
    whole = [f"{rater}/{criterion}" for rater, criterion in pairs]
    names = short
    for alternative in (longer, whole):
        times = Counter(names)
        names = [name if times[name] == 1 else other for name, other in zip(names, alternative, strict=True)]
    return [Named(name, *pair) for name, pair in zip(names, pairs, strict=True)]


def _call(rater: str) -> str | None:
    try:
        return Signature.parse(rater).call
    except ValueError:
        return None
