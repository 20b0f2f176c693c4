"""Reader of the sources of ``dialeval meta``: judgements and run folders, as people and measures."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dialeval.display.notes import Note
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
) -> Joined:
    """The judgements of all sources, people's beside measures'; errors name the files, and the line where there is one.

    Without a criterion it is the only one that people judge, which is said on stderr.
    """
    from dialeval.ratings import located, unvetted_notes

    ratings = _read(sources, format, repeats)
    with _naming(sources):
        criterion = criterion or _only_criterion(ratings, roles)
        joined = _join(ratings, criterion, roles)
    if scale is not None:
        with located(sources, format):
            people = ratings.by(raters=joined.rater_names, criteria=[criterion])
            scale.check(people, ", ".join(sources))
    notes = (*unvetted_notes(sources), *joined.notes, *_repeated(repeats))
    return dataclasses.replace(joined, notes=notes)


def _repeated(repeats: Repeats | None) -> Iterator[Note]:
    from dialeval.display.notes import Note

    if repeats == "separate":
        yield Note(
            "repeats", "where one rater judged an answer twice, each judgement is that of another rater"
        )
    elif repeats is not None:
        yield Note("repeats", f"where one rater judged an answer twice, the {repeats} counts")


@contextmanager
def _naming(sources: Sequence[str]) -> Iterator[None]:
    """Let errors about all judgements together say in which files they were."""
    from dialeval.errors import UnknownName, Unsuitable

    try:
        yield
    except (UnknownName, Unsuitable) as error:
        raise Unsuitable(f"{', '.join(sources)}: {error}") from None


def _read(sources: Sequence[str], format: str | None, repeats: Repeats | None) -> Ratings:
    from dialeval.data.codec.sources import conversion
    from dialeval.errors import MissingField
    from dialeval.ratings import read_judgements

    try:
        return read_judgements(sources, format=format, repeats=repeats)
    except MissingField as error:
        if format is None and error.field == "value":
            todo = conversion(error.path, "ratings-wide", kind="judgement")
            error.todo += f" If there is a column for each rater, make judgements of it with {todo}."
        raise


def _only_criterion(ratings: Ratings, roles: Roles) -> str:
    from dialeval.ratings import only_criterion

    todo = "Give the human one with --human-criterion."
    criterion = only_criterion(ratings, people=roles.people, measures=roles.measures, todo=todo)
    print(f"People rated only {criterion!r}, so that is the human criterion.", file=sys.stderr)
    return criterion


def _join(ratings: Ratings, criterion: str, roles: Roles) -> Joined:
    from dialeval.errors import Unsuitable
    from dialeval.ratings import join

    also = _criteria(ratings, roles.also)
    joined = join(ratings, criterion, people=roles.people, measures=roles.measures, also=also)
    if not joined.measures:
        raise Unsuitable(
            f"There are people's ratings on {criterion!r} here, but no measure to compare with them: every one of "
            f"{len(ratings.raters)} raters judges {criterion!r}. Add a file of scores or a run folder, or give the "
            "measures among the raters with --measures."
        )
    return joined


def _criteria(ratings: Ratings, also: Sequence[str] | None) -> Sequence[str]:
    from dialeval.errors import UnknownName
    from dialeval.ratings import fits

    for pattern in also or ():
        if not any(fits(name, [pattern]) for name in ratings.criteria):
            raise UnknownName(
                "criterion", pattern, ratings.criteria, todo=f"There are {', '.join(ratings.criteria)}."
            )
    return also or ()
