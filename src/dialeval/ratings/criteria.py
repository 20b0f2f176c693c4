"""The human criterion: which it is where nobody says, and names that are nearly alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from dialeval.display.notes import Note
from dialeval.errors import Unsuitable
from dialeval.ratings.roles import called_after_their_criterion, first_few, fits, measures_among
from dialeval.ratings.table import Ratings


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
        raise Unsuitable(f"There are no ratings by people here, only scores of measures. {todo}")
    shown = ", ".join(f"{name!r} ({n:,})" for name, n in found.items())
    said = f"People rated {len(found)} criteria here, with this many ratings each: {shown}. {todo}"
    raise Unsuitable(said + _suspicion(ratings, list(found)))


def variants(name: str, among: Iterable[str]) -> list[str]:
    """Those names that differ from ``name``, though only in case or blanks."""
    return [other for other in among if other != name and _plain(other) == _plain(name)]


def spelt_alike(ratings: Ratings, criterion: str, *, measures: Sequence[str] | None = None) -> Iterator[Note]:
    """A note for each criterion of people that is the human one but for case or blanks."""
    known = measures_among(ratings, human=criterion)
    persons = [name not in known and not fits(name, measures or ()) for name in ratings.raters]
    theirs = np.array(persons, dtype=bool)[ratings.rater]
    for other in variants(criterion, ratings.criteria):
        own = ratings.where(theirs & (ratings.criterion == ratings.criteria.index(other)))
        if len(own):
            text = (
                f"{other!r} is {criterion!r} except for case or whitespace, and counts as another criterion: "
                f"{len(own):,} judgements by {first_few(own.raters)}; if they are the same, use one spelling"
            )
            yield Note("similar_criterion", text)


def _suspicion(ratings: Ratings, found: Sequence[str]) -> str:
    """What else may be wrong where people judge several criteria: they are no people, or the criteria are one."""
    if called_after_their_criterion(ratings, None) == set(ratings.raters):
        return " Each rater has the name of its criterion, as measures do: if they are measures, add people's ratings."
    alike = next((pair for name in found if (pair := [name, *variants(name, found)])[1:]), None)
    if alike:
        names = " and ".join(map(repr, alike))
        return f" {names} differ only in case or whitespace: if they are the same, use one spelling."
    return ""


def _plain(name: str) -> str:
    """The name in lower case, with one blank where there are several and none around it."""
    return " ".join(name.split()).casefold()
