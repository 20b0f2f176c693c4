"""Joining of judgements: people on one side and measures on the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from dialeval.core import Integers
from dialeval.display.notes import Note
from dialeval.errors import UnknownName, Unsuitable
from dialeval.ratings.criteria import spelt_alike, variants
from dialeval.ratings.joined import Counts, Grid, Joined, MeasureGrid, PeopleRatings
from dialeval.ratings.roles import fits, measuring, named, taken_for_measures, told_roles
from dialeval.ratings.table import Ratings
from dialeval.stats.correlation.levels import settled

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
) -> Joined:
    """People's ratings on one criterion beside every measure of the table.

    ``people`` and ``measures`` are patterns of raters (``rater*``) for where the rule of `roles.measuring` guesses
    wrong. People's other criteria are set aside and counted; those that a pattern of ``also`` fits become measures.
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
    if not any(coverage.both for coverage in joined.coverage) and any(
        coverage.only_measure for coverage in joined.coverage
    ):
        raise _apart(joined)
    return joined


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
    """What a reader should know of names and roles before the numbers."""
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
        "same item ids and system names in both files."
    )
