"""Which criterion is the human one, where nobody says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialeval.errors import Unsuitable
from dialeval.meta.ratings import Ratings
from dialeval.meta.roles import fits, measures_among


def only_criterion(
    ratings: Ratings, *, people: Sequence[str] | None = None, measures: Sequence[str] | None = None, todo: str
) -> str:
    """The one criterion that people judge; Unsuitable lists them where there are several, and says what ``todo``."""
    if people is None:
        known = measures_among(ratings)
        persons = [name not in known and not fits(name, measures or ()) for name in ratings.raters]
    else:
        persons = [fits(name, people) for name in ratings.raters]
    theirs = np.array(persons, dtype=bool)[ratings.rater] & ~np.isnan(ratings.value)
    counts = np.bincount(ratings.criterion[theirs], minlength=len(ratings.criteria)).tolist()
    found = {name: n for name, n in zip(ratings.criteria, counts, strict=True) if n}
    if len(found) == 1:
        return next(iter(found))
    if not found:
        raise Unsuitable(f"There is no judgement of a person here, only of measures. {todo}")
    shown = ", ".join(f"{name!r} ({n:,})" for name, n in found.items())
    raise Unsuitable(f"People judge {len(found)} criteria here, with so many ratings each: {shown}. {todo}")
