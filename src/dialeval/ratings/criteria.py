"""The human criterion: which it is where nobody says, and names that are nearly alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from dialeval.display.notes import Note
from dialeval.errors import Unsuitable
from dialeval.ratings.roles import called_after_their_criterion, first_few, people_among
from dialeval.ratings.table import Ratings


def only_criterion(
    ratings: Ratings, *, people: Sequence[str] | None = None, measures: Sequence[str] | None = None, todo: str
) -> str:
    """The one criterion that people judge; Unsuitable lists them where there are several, and says what ``todo``."""
    human = people_among(ratings, people=people, measures=measures)
    theirs = human[ratings.rater] & ~np.isnan(ratings.value)
    counts = np.bincount(ratings.criterion[theirs], minlength=len(ratings.criteria)).tolist()
    ratings_by_criterion = {name: n for name, n in zip(ratings.criteria, counts, strict=True) if n}
    if len(ratings_by_criterion) == 1:
        return next(iter(ratings_by_criterion))
    if not ratings_by_criterion:
        raise Unsuitable(f"There are no ratings by people here, only scores of measures. {todo}")
    shown = ", ".join(f"{name!r} ({n:,})" for name, n in ratings_by_criterion.items())
    said = f"People rated {len(ratings_by_criterion)} criteria here, with this many ratings each: {shown}. {todo}"
    raise Unsuitable(said + _suspicion(ratings, list(ratings_by_criterion)))


def variants(name: str, among: Iterable[str]) -> list[str]:
    """Those names that differ from ``name``, but only in case or whitespace."""
    return [other for other in among if other != name and _plain(other) == _plain(name)]


def spelt_alike(ratings: Ratings, criterion: str, *, measures: Sequence[str] | None = None) -> Iterator[Note]:
    """A note for each criterion of people that is the human one except for case or whitespace."""
    theirs = people_among(ratings, human=criterion, measures=measures)[ratings.rater]
    for other in variants(criterion, ratings.criteria):
        similar = ratings.where(theirs & (ratings.criterion == ratings.criteria.index(other)))
        if len(similar):
            text = (
                f"{other!r} is {criterion!r} except for case or whitespace, and counts as another criterion: "
                f"{len(similar):,} judgements by {first_few(similar.raters)}; if they are the same, use one spelling"
            )
            yield Note("similar_criterion", text)


def _suspicion(ratings: Ratings, criteria: Sequence[str]) -> str:
    """What else may be wrong where people judge several criteria: they are measures, or the criteria are the same."""
    if called_after_their_criterion(ratings, None) == set(ratings.raters):
        return " Each rater has the name of its criterion, as measures do: if they are measures, add people's ratings."
    alike = next((pair for name in criteria if (pair := [name, *variants(name, criteria)])[1:]), None)
    if alike:
        names = " and ".join(map(repr, alike))
        return f" {names} differ only in case or whitespace: if they are the same, use one spelling."
    return ""


def _plain(name: str) -> str:
    """The name in lower case, with single spaces and none around it."""
    return " ".join(name.split()).casefold()
