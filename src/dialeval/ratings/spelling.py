"""Names that differ only in case or blanks, which are one name as often as not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from dialeval.ratings.roles import first_few, fits, measures_among
from dialeval.ratings.table import Ratings


def plain(name: str) -> str:
    """The name in lower case, with one blank where there are several and none around it."""
    return " ".join(name.split()).casefold()


def variants(name: str, among: Iterable[str]) -> list[str]:
    """Those names that differ from ``name``, though only in case or blanks."""
    return [other for other in among if other != name and plain(other) == plain(name)]


def spelt_alike(ratings: Ratings, criterion: str, *, measures: Sequence[str] | None = None) -> Iterator[str]:
    """A note for each criterion of people that is the human one but for case or blanks."""
    known = measures_among(ratings, human=criterion)
    persons = [name not in known and not fits(name, measures or ()) for name in ratings.raters]
    theirs = np.array(persons, dtype=bool)[ratings.rater]
    for other in variants(criterion, ratings.criteria):
        own = ratings.where(theirs & (ratings.criterion == ratings.criteria.index(other)))
        if len(own):
            yield (
                f"{other!r} is {criterion!r} but for case or blanks, and counts as another criterion: {len(own):,} "
                f"judgements by {first_few(own.raters)}; if they are one, write them alike"
            )
