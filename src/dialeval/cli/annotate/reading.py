"""Ratings that commands on raters are asked about: read, selected, and without measures."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from dialeval.annotation.pace import read_flags
from dialeval.errors import MissingField, UnknownName
from dialeval.meta import measures_among, variants
from dialeval.options import Argument, Option
from dialeval.ratings import Ratings, located, read_dropped, read_judgements, without_raters

if TYPE_CHECKING:
    from dialeval.display.notes import Note
    from dialeval.ratings import RatingScale, Repeats


RatingFiles: TypeAlias = Annotated[
    list[str], Argument(metavar="RATINGS", help="Files of judgements, or - for standard input.")
]
OnlyCriteria: TypeAlias = Annotated[
    list[str] | None, Option("--criterion", metavar="NAME", help="Only this criterion. Repeatable.")
]
OnlySystems: TypeAlias = Annotated[
    list[str] | None, Option("--system", metavar="NAME", help="Only this system. Repeatable.")
]
RatingsFormat: TypeAlias = Annotated[
    str | None,
    Option("--from", metavar="FORMAT", help="As in 'dialeval data convert'.", show_default="by ending"),
]
ScaleOption: TypeAlias = Annotated[
    str | None,
    Option("--scale", metavar="LOW-HIGH", help="The scale raters had, as in 1-5: reject ratings outside it."),
]

_NOMINAL: Final = ("circa",)
"""Formats whose values are names of categories: read from these, they have no order to be asked for."""


def chosen_ratings(
    sources: list[str],
    format: str | None,
    repeats: Repeats | None,
    criteria: list[str] | None,
    systems: list[str] | None,
    scale: RatingScale | None,
    leave_out: Path | None = None,
) -> Ratings:
    """The ratings asked for; says on stderr what was counted once although it was given twice, and who is left out."""
    read = _read(sources, format, repeats)
    if leave_out is not None:
        read, notes = without_raters(read, read_dropped(leave_out))
        for note in notes:
            print(f"warning: {note}", file=sys.stderr)
    if read.repeated:
        counted = "counted once" if repeats is None else f"of each answer, the {repeats} counts"
        print(f"warning: {_judgements(read.repeated)} given twice: {counted}", file=sys.stderr)
    for name in read.criteria:
        for other in variants(name, read.criteria[: read.criteria.index(name)]):
            said = f"{other!r} and {name!r} differ only in case or whitespace, and count as two criteria"
            print(f"warning: {said}; if they are the same, use one spelling", file=sys.stderr)
    for system in systems or []:
        if system not in read.systems:
            todo = f"{', '.join(sources)} has {', '.join(map(repr, read.systems[:8]))}."
            raise UnknownName("system", system, read.systems, todo=todo)
    chosen: Ratings = read if systems is None else read.by(systems=systems)
    if not criteria:
        chosen = _people(chosen)
    else:
        chosen = Ratings.merge([chosen.criterion_named(name) for name in dict.fromkeys(criteria)])
    if scale is not None:
        with located(sources, format):
            scale.check(chosen, ", ".join(sources))
    return chosen


def exported_flags(sources: list[str], ratings: Ratings) -> Mapping[str, tuple[Note, ...]]:
    """Flags of these raters in the files that ``annotate export`` wrote beside the judgements; says so on stderr."""
    found: dict[str, tuple[Note, ...]] = {}
    for source in sources:
        for rater, notes in read_flags(Path(source)).items():
            if rater in ratings.raters:
                found[rater] = (*found.get(rater, ()), *notes)
    for rater, notes in found.items():
        print(f"warning: {rater} {'; '.join(map(str, notes))}", file=sys.stderr)
    return found


def _judgements(count: int) -> str:
    return "1 judgement was" if count == 1 else f"{count:,} judgements were"


def _read(sources: list[str], format: str | None, repeats: Repeats | None) -> Ratings:
    try:
        read = read_judgements(sources, format=format, repeats=repeats)
    except MissingField as error:
        if format is None and error.field == "value":
            error.todo += " If there is a column for each rater, say '--from ratings-wide'."
        raise
    return replace(read, nominal=frozenset(read.criteria)) if format in _NOMINAL else read


def _people(ratings: Ratings) -> Ratings:
    """The ratings without those of measures, unless there are no others; says on stderr how many are left out."""
    measures = measures_among(ratings)
    if not measures or len(measures) == len(ratings.raters):
        return ratings
    print(
        f"{len(measures):,} measures among the raters are left out; include one with --criterion",
        file=sys.stderr,
    )
    return ratings.by(raters=[rater for rater in ratings.raters if rater not in measures])
