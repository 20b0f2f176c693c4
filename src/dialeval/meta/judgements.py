"""Judgements of people on one criterion, joined with those of measures."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from dialeval.core import Integers
from dialeval.display.notes import Note
from dialeval.display.wording import first_few
from dialeval.errors import UnknownName, Unsuitable
from dialeval.meta.roles import (
    called_after_their_criterion,
    fits,
    measuring,
    named,
    people_among,
    taken_for_measures,
    told_roles,
)
from dialeval.ratings.joined import Counts, Grid, Joined, MeasureGrid, PeopleRatings
from dialeval.ratings.table import Ratings
from dialeval.stats.correlation.levels import settled


def only_criterion(
    ratings: Ratings, *, people: Sequence[str] | None = None, measures: Sequence[str] | None = None, todo: str
) -> str:
    """The one criterion that people judge; Unsuitable lists them if there are several, and says what ``todo``."""
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
    """Other possible reasons why people judge several criteria: they are measures, or the criteria are the same."""
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


PEOPLE: Final = "people"
"""The rater of a criterion of people's that is looked at as a measure."""
IDENTITY: Final = "system identity"
"""The name of the baseline that knows nothing but the system."""


def join(
    ratings: Ratings,
    human_criterion: str,
    *,
    people: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
    also: Sequence[str] = (),
    other_items: bool = False,
) -> Joined:
    """People's ratings on one criterion beside every measure of the table.

    ``people`` and ``measures`` are patterns of raters (``rater*``) for where the rule of `roles.measuring` guesses
    wrong. People's other criteria are set aside and counted; those that a pattern of ``also`` fits become measures.
    With ``other_items``, people and measures may have no item in common, as long as they have systems in common:
    this is enough at level ``system``.
    """
    if human_criterion not in ratings.criteria:
        known = f"There are {', '.join(sorted(ratings.criteria))}." if ratings.criteria else "There are none."
        raise UnknownName("criterion", human_criterion, ratings.criteria, todo=known)
    machine = measuring(ratings, human_criterion, people=people, measures=measures)
    by_people = ~machine[ratings.rater]
    wanted = ratings.criterion == ratings.criteria.index(human_criterion)
    human = ratings.where(by_people & wanted)
    said = ~np.isnan(human.value)
    if not said.any():
        raise _nobody(ratings, human_criterion, len(human))
    other = ratings.where(by_people & ~wanted)
    automatic = ratings.where(~by_people)
    beside = [name for name in other.criteria if fits(name, also)]
    axes = _Axes.of([human, automatic, other.by(criteria=beside)])
    grids = [*_measures(automatic, axes), *_criteria(other, beside, axes, automatic)]
    joined = Joined(
        human=axes.mean(human),
        people=axes.people(human.where(said)),
        criterion=human_criterion,
        measures=tuple(grids),
        counts=Counts(int(said.sum()), int((~said).sum()), ratings.repeated, _set_aside(other, beside)),
        notes=_notes(ratings, human, automatic, people, measures),
    )
    if any(coverage.both for coverage in joined.coverage) or not any(
        coverage.only_measure for coverage in joined.coverage
    ):
        return joined
    if other_items and _same_systems(joined):
        return dataclasses.replace(joined, notes=(*joined.notes, OTHER_ITEMS))
    raise _apart(joined)


OTHER_ITEMS: Final = Note(
    "other_items",
    "no item is both rated and scored: over systems, people's means are over their items and measures' over theirs",
)


def _same_systems(joined: Joined) -> bool:
    rated = (~np.isnan(joined.human.values)).any(axis=1)
    return any(bool((rated & (~np.isnan(measure.values)).any(axis=1)).any()) for measure in joined.measures)


def system_identity(joined: Joined) -> MeasureGrid:
    """A measure that knows nothing but the system: each rated answer has its system's mean human rating.

    What it reaches at item level is how much of a pooled correlation tells systems apart, not responses. Within a
    system it is constant, so there it is undefined.
    """
    values = joined.human.values
    rated = ~np.isnan(values)
    sums = np.where(rated, values, 0.0).sum(axis=1)
    means = np.divide(sums, rated.sum(axis=1), out=np.full(len(sums), np.nan), where=rated.any(axis=1))
    grid = Grid(joined.systems, joined.items, np.where(rated, settled(means)[:, None], np.nan))
    return MeasureGrid(IDENTITY, IDENTITY, joined.criterion, grid)


class _Axes(NamedTuple):
    """Systems and items of the grids, in order of first sight."""

    systems: tuple[str, ...]
    items: tuple[str, ...]

    @classmethod
    def of(cls, parts: Sequence[Ratings]) -> _Axes:
        """Those with a value in one of the parts."""
        valued = [part.where(~np.isnan(part.value)) for part in parts]
        systems = dict.fromkeys(name for part in valued for name in part.systems)
        items = dict.fromkeys(name for part in valued for name in part.items)
        return cls(tuple(systems), tuple(items))

    def mean(self, ratings: Ratings) -> Grid:
        """The mean over raters of each answer's values; ``ratings`` are on one criterion."""
        valued = ratings.where(~np.isnan(ratings.value))
        system, item = self._places(valued)
        cells, size = system * len(self.items) + item, len(self.systems) * len(self.items)
        sums, counts = np.bincount(cells, valued.value, size), np.bincount(cells, minlength=size)
        means = np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 0)
        # Single values are nobody's sum: they stay as they were given.
        means = settled(means) if (counts > 1).any() else means
        return Grid(self.systems, self.items, means.reshape(len(self.systems), len(self.items)))

    def people(self, ratings: Ratings) -> PeopleRatings:
        system, item = self._places(ratings)
        return PeopleRatings(ratings.raters, ratings.rater, system, item, ratings.value)

    def _places(self, ratings: Ratings) -> tuple[Integers, Integers]:
        systems = {name: index for index, name in enumerate(self.systems)}
        items = {name: index for index, name in enumerate(self.items)}
        of_system = np.array([systems[name] for name in ratings.systems], dtype=np.int64)
        of_item = np.array([items[name] for name in ratings.items], dtype=np.int64)
        return of_system[ratings.system], of_item[ratings.item]


def _measures(automatic: Ratings, axes: _Axes) -> Iterator[MeasureGrid]:
    keys = automatic.rater * max(1, len(automatic.criteria)) + automatic.criterion
    first = np.sort(np.unique(keys, return_index=True)[1])
    pairs = [
        (automatic.raters[automatic.rater[row]], automatic.criteria[automatic.criterion[row]])
        for row in first
    ]
    for row, name in zip(first, named(pairs), strict=True):
        yield MeasureGrid(*name, axes.mean(automatic.where(keys == keys[row])))


def _criteria(
    other: Ratings, beside: Sequence[str], axes: _Axes, automatic: Ratings
) -> Iterator[MeasureGrid]:
    for criterion in beside:
        taken = criterion in automatic.criteria or criterion in automatic.raters
        name = f"{PEOPLE}/{criterion}" if taken else criterion
        yield MeasureGrid(name, PEOPLE, criterion, axes.mean(other.by(criteria=[criterion])))


def _set_aside(other: Ratings, beside: Sequence[str]) -> Mapping[str, int]:
    times = np.bincount(other.criterion, minlength=len(other.criteria)).tolist()
    rows = zip(other.criteria, times, strict=True)
    return MappingProxyType({name: count for name, count in rows if name not in beside})


def _nobody(ratings: Ratings, criterion: str, silent: int) -> Unsuitable:
    found = f"{silent} judgements by people, none with a value" if silent else "only measures"
    raters = ", ".join(map(repr, ratings.raters[:5]))
    return Unsuitable(
        f"People's ratings on {criterion!r} are required, but found {found}. The first raters are {raters}: give the "
        "people among them, or another criterion."
    )


def _notes(
    ratings: Ratings,
    human: Ratings,
    automatic: Ratings,
    people: Sequence[str] | None,
    measures: Sequence[str] | None,
) -> tuple[Note, ...]:
    """Notes on names and roles that come before the numbers."""
    (criterion,) = human.criteria
    twice = ratings.repeated
    return (
        *spelt_alike(ratings, criterion, measures=measures),
        *(told_roles(human.raters, automatic.raters, people=people) if people or measures else ()),
        *taken_for_measures(automatic, criterion, people=people, measures=measures),
        *([Note("given_twice", f"duplicate judgements, counted once: {twice:,}")] if twice else ()),
    )


def _apart(joined: Joined) -> Unsuitable:
    human, measure = (
        next(answer for answer in joined.unjoined if (answer.side == "human") == by_people)
        for by_people in (True, False)
    )
    alike = variants(measure.item, joined.items) or variants(measure.system, joined.systems)
    hint = f"{alike[0]!r} is the same except for case or whitespace. " if alike else ""
    return Unsuitable(
        f"No answer is both rated by people and scored by a measure. People rated item {human.item!r} of system "
        f"{human.system!r}; {measure.side} scored item {measure.item!r} of system {measure.system!r}. {hint}Use the "
        f"same item ids and system names in both files{_or_over_systems(joined)}."
    )


def _or_over_systems(joined: Joined) -> str:
    """What else can be done if the systems are the same."""
    return ", or compare systems alone with --level system" if _same_systems(joined) else ""
