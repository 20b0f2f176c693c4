"""Judgements of several files, people's beside measures', on one criterion or on each."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dialeval.data.codec.sources import conversion
from dialeval.display.notes import Note
from dialeval.errors import MissingField, UnknownName, Unsuitable
from dialeval.meta import fits, join, only_criterion
from dialeval.meta.criteria import criteria_of
from dialeval.meta.roles import people_among
from dialeval.ratings import located, read_dropped, read_judgements, unvetted_notes, without_raters

if TYPE_CHECKING:
    from dialeval.ratings import Joined, Ratings, RatingScale, Repeats


class Roles(NamedTuple):
    """Patterns of who is a person, who a measure, and which of people's criteria are looked at as measures."""

    people: Sequence[str] | None
    measures: Sequence[str] | None
    also: Sequence[str] | None


def join_files(
    sources: Sequence[str],
    format: str | None,
    criterion: str | None,
    roles: Roles,
    scale: RatingScale | None,
    repeats: Repeats | None = None,
    *,
    other_items: bool = False,
    leave_out: Path | None = None,
) -> Joined:
    """Return the judgements of all sources, people's beside measures'; errors name the files and, if known, the line.

    Without a criterion it is the only one that people judge, which is said on stderr.
    """
    ratings = _read(sources, format, repeats)
    left_out: tuple[Note, ...] = ()
    if leave_out is not None:
        ratings, left_out = without_raters(ratings, read_dropped(leave_out))
    with _naming(sources):
        criterion = criterion or _only_criterion(ratings, roles)
        joined = _join(ratings, criterion, roles, other_items)
    if scale is not None:
        with located(sources, format):
            people = ratings.by(raters=joined.rater_names, criteria=[criterion])
            scale.check(people, ", ".join(sources))
    notes = (*unvetted_notes(sources), *left_out, *joined.notes, *_repeated(repeats))
    return dataclasses.replace(joined, notes=notes)


def join_each(
    sets: Mapping[str, Sequence[str]],
    format: str | None,
    patterns: Sequence[str],
    roles: Roles,
    repeats: Repeats | None = None,
    *,
    other_items: bool = False,
    leave_out: Path | None = None,
) -> dict[str, list[Joined]]:
    """The judgements of each set's files, on each of people's criteria that a pattern fits, beside measures'.

    Criteria on which nothing is both rated and scored in a set are left out of it; those that no set has are named on
    stderr.
    """
    joined: dict[str, list[Joined]] = {}
    known: dict[str, None] = {}
    reasons: dict[str, Unsuitable] = {}
    notes: dict[str, None] = {}
    for set_, sources in sets.items():
        ratings = _read(sources, format, repeats)
        if leave_out is not None:
            ratings, left_out = without_raters(ratings, read_dropped(leave_out))
            notes |= dict.fromkeys(note.text for note in left_out)
        names = criteria_of(ratings, people=roles.people, measures=roles.measures)
        known |= dict.fromkeys(names)
        for name in names:
            if "all" not in patterns and not fits(name, patterns):
                continue
            try:
                with _naming(sources):
                    rated = _without_others(ratings, name, roles)
                    joined.setdefault(set_, []).append(_join(rated, name, roles, other_items))
            except Unsuitable as error:
                reasons.setdefault(name, error)
    if notes:
        print("\n".join(f"note: {note}" for note in notes), file=sys.stderr)
    if not joined and not reasons:
        todo = f"There are {', '.join(known) or 'none'}."
        raise UnknownName("criterion", ", ".join(patterns), tuple(known), todo=todo)
    if not joined:
        raise next(iter(reasons.values()))
    found = {both.criterion for every in joined.values() for both in every}
    missing = [name for name in reasons if name not in found]
    if missing:
        print(f"Nothing is both rated and scored on {', '.join(missing)}.", file=sys.stderr)
    return joined


def _without_others(ratings: Ratings, criterion: str, roles: Roles) -> Ratings:
    """The judgements without those of people who judged other criteria only, who would else count as measures."""
    human = people_among(ratings, people=roles.people, measures=roles.measures)
    this = ratings.criterion == ratings.criteria.index(criterion)
    human[ratings.rater[this]] = False
    beside = np.array([fits(name, roles.also or ()) for name in ratings.criteria], dtype=bool)
    return ratings.where(~human[ratings.rater] | beside[ratings.criterion])


def _repeated(repeats: Repeats | None) -> Iterator[Note]:
    if repeats == "separate":
        yield Note(
            "repeats", "where one rater judged an answer twice, each judgement is that of another rater"
        )
    elif repeats is not None:
        yield Note("repeats", f"where one rater judged an answer twice, the {repeats} counts")


@contextmanager
def _naming(sources: Sequence[str]) -> Iterator[None]:
    """Let errors about all judgements together say in which files they were."""
    try:
        yield
    except (UnknownName, Unsuitable) as error:
        raise Unsuitable(f"{', '.join(sources)}: {error}") from None


def _read(sources: Sequence[str], format: str | None, repeats: Repeats | None) -> Ratings:
    try:
        return read_judgements(sources, format=format, repeats=repeats)
    except MissingField as error:
        if format is None and error.field == "value":
            todo = conversion(error.path, "ratings-wide", kind="judgement")
            error.todo += f" If there is a column for each rater, make judgements of it with {todo}."
        raise


def _only_criterion(ratings: Ratings, roles: Roles) -> str:
    todo = "Give the human one with --human-criterion."
    criterion = only_criterion(ratings, people=roles.people, measures=roles.measures, todo=todo)
    print(f"People rated only {criterion!r}, so that is the human criterion.", file=sys.stderr)
    return criterion


def _join(ratings: Ratings, criterion: str, roles: Roles, other_items: bool) -> Joined:
    joined = join(
        ratings,
        criterion,
        people=roles.people,
        measures=roles.measures,
        also=_criteria(ratings, roles.also),
        other_items=other_items,
    )
    if not joined.measures:
        raise Unsuitable(
            f"There are people's ratings on {criterion!r} here, but no measure to compare with them: every one of "
            f"{len(ratings.raters)} raters judges {criterion!r}. Add a file of scores or a run folder, or give the "
            "measures among the raters with --measures."
        )
    return joined


def _criteria(ratings: Ratings, also: Sequence[str] | None) -> Sequence[str]:
    for pattern in also or ():
        if not any(fits(name, [pattern]) for name in ratings.criteria):
            raise UnknownName(
                "criterion", pattern, ratings.criteria, todo=f"There are {', '.join(ratings.criteria)}."
            )
    return also or ()
