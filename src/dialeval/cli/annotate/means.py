"""``dialeval annotate means``: systems by their mean ratings, with every difference."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from dialeval.annotation.scales import read_scales
from dialeval.cli.annotate.reading import (
    OnlyCriteria,
    OnlySystems,
    RatingFiles,
    RatingsFormat,
    ScaleOption,
    chosen_ratings,
)
from dialeval.cli.options import Json, LeaveOut, RepeatsOption, scale_given
from dialeval.core import ABSENCES, Resampling
from dialeval.display.consoles import PrintableConsole
from dialeval.display.table import Cell, Column, Table, estimate_cell
from dialeval.display.terminal import print_table
from dialeval.display.wording import NOTHING, count, interval, listing, p_value, signed
from dialeval.evaluation.compare.sentences import CORRECTIONS
from dialeval.files.documents import as_json
from dialeval.options import Option, Options
from dialeval.ratings.mean_models import cross_checked
from dialeval.ratings.means import means_of
from dialeval.ratings.scale import RatingScale

if TYPE_CHECKING:
    from dialeval.ratings.means import CriterionMeans, CrossCheck, Disagreement, ModelName


def means(
    ratings: RatingFiles,
    criterion: OnlyCriteria = None,
    system: OnlySystems = None,
    format: RatingsFormat = None,
    scale: ScaleOption = None,
    lower_is_better: Annotated[
        list[str] | None,
        Option("--lower-is-better", metavar="NAME", help="A criterion on which lower is better. Repeatable."),
    ] = None,
    primary: Annotated[
        str | None,
        Option(
            "--primary", metavar="NAME", help="The criterion that decides, declared before anybody looked."
        ),
    ] = None,
    leave_out: LeaveOut = None,
    repeats: RepeatsOption = None,
    raters: Annotated[
        Literal["fixed", "sampled"],
        Option("--raters", help="Intervals and tests for these raters, or also for other raters like them."),
    ] = "fixed",
    resampling: Annotated[Resampling, Options("cluster")] = Resampling(),
    model: Annotated[
        Literal["none", "mixed"],
        Option("--model", help="Cross-check by a linear mixed model and an ordinal one (extra 'mixed')."),
    ] = "none",
    json: Json = False,
) -> None:
    """Print each system's mean rating and every difference, with intervals over items and raters.

    Example: dialeval annotate means ratings.jsonl

    Example: dialeval annotate means ratings.jsonl --raters sampled --model mixed
    """
    whole = scale_given(scale)
    given = chosen_ratings(ratings, format, repeats, criterion, system, whole, leave_out)
    scales = _declared(ratings) if whole is None else dict.fromkeys(given.criteria, whole)
    lower = tuple(lower_is_better or ())
    found = means_of(
        given,
        resampling=resampling,
        raters=raters,
        lower_is_better=lower,
        primary=primary,
        scales=scales,
    )
    if model == "mixed":
        found = cross_checked(given, found, resampling=resampling, primary=primary)
    if json:
        content = {"criteria": {one.criterion: one for one in found}}
        print(jsonlib.dumps(as_json(content), ensure_ascii=False, allow_nan=False))
    else:
        print_means(found)


def _declared(sources: list[str]) -> dict[str, RatingScale]:
    """Scales of the projects that these files were exported from; none of a criterion that two of them differ on."""
    found: dict[str, set[RatingScale]] = {}
    for source in sources:
        for criterion, scale in read_scales(Path(source)).items():
            found.setdefault(criterion, set()).add(scale)
    return {criterion: scales.pop() for criterion, scales in found.items() if len(scales) == 1}


TITLES: Final[Mapping[ModelName, str]] = {
    "linear": "linear mixed model",
    "ordinal": "ordinal probit model",
}
UNMODELLED: Final = (
    "that steps of the scale may be unequal",
    "that raters use the scale differently",
    "that few raters make its normal approximation too sure",
)
"""Limits of the linear model."""
TASTE: Final = "that a rater may like one system more"
"""A further limit of it if raters are fixed."""
NO_EFFECTS: Final = (
    "does not model items and raters: its p-values take all ratings to be independent",
    "estimates are in standard deviations of a latent normal variable",
)
"""Limits of the ordinal model, and the unit of its estimates."""
MEANS: Final = (
    "means do not model: that steps of the scale may be unequal; that some raters are stricter, where raters did not "
    "rate both systems"
)
SHORT: Final[Mapping[Disagreement, str]] = {"sign": "sign", "significance": "p"}
"""Short names of disagreements between a model and the means."""


def print_means(found: Sequence[CriterionMeans]) -> None:
    """Each criterion's tables, one below the other; the family of tests is named under the last differences."""
    console = PrintableConsole()
    tables = [table for one in found for table in _tables(one, found)]
    for index, table in enumerate(tables):
        if index:
            console.print()
        print_table(table, console)


def _tables(one: CriterionMeans, found: Sequence[CriterionMeans]) -> Iterator[Table]:
    yield _means(one)
    if one.differences:
        yield _differences(one, found)
    for check in one.models:
        yield _check(one, check)


def _means(one: CriterionMeans) -> Table:
    columns = (
        *(Column("system"), Column("mean", numeric=True)),
        *(Column("items", numeric=True), Column("ratings", numeric=True)),
    )
    rows = tuple(
        (
            Cell(row.system),
            estimate_cell(*row.mean[:3]),
            Cell(f"{row.mean.n:,}"),
            Cell(f"{row.ratings:,}"),
        )
        for row in one.systems
    )
    whose = "other raters like these" if one.interval_raters == "sampled" else "these raters"
    notes = [f"brackets hold {one.level:.0%} intervals for other items and {whose}"]
    if one.clusters is not None:
        notes.append(f"turns of a dialogue are resampled together ({one.clusters:,} dialogues)")
    notes += [
        f"no interval of {row.system}: {ABSENCES[row.absence]}"
        for row in one.systems
        if row.absence is not None
    ]
    notes += map(str, one.notes)
    title = (
        f"{one.criterion}: mean rating of {count(one.items, 'item')}, {count(one.raters, 'rater')}, "
        f"{count(one.ratings, 'rating')}"
    )
    return Table(title, columns, rows, tuple(notes))


def _differences(one: CriterionMeans, found: Sequence[CriterionMeans]) -> Table:
    columns = (
        *(Column("difference"), Column("of means", numeric=True), Column("p", numeric=True)),
        Column("verdict"),
    )
    rows = tuple(
        (
            Cell(_pair(pair.a, pair.b)),
            Cell(signed(pair.difference.value), interval(pair.difference.low, pair.difference.high)),
            Cell(p_value(pair.p_adjusted)),
            Cell(pair.verdict),
        )
        for pair in one.differences
    )
    notes = [
        f"no interval of {_pair(pair.a, pair.b)}: {ABSENCES[pair.absence]}"
        for pair in one.differences
        if pair.absence is not None
    ]
    notes += [*_family(one, found), *([MEANS] if one is found[-1] else [])]
    return Table(f"{one.criterion}: differences", columns, rows, tuple(notes))


def _pair(a: str, b: str) -> str:
    return f"{a} − {b}"


def _family(one: CriterionMeans, found: Sequence[CriterionMeans]) -> Iterator[str]:
    """Yield the family of tests over which p-values were corrected."""
    first = one.differences[0]
    if first.correction is None:
        yield "p: Student's t test; the only test, so not corrected"
        return
    criteria = [
        other.criterion for other in found if other.differences and other.differences[0].role == first.role
    ]
    role = f"{first.role} " if first.role else ""
    yield (
        f"p: Student's t tests after {CORRECTIONS[first.correction]} over one {role}family of "
        f"{count(first.family, 'test')}, every two systems on {listing(criteria)}"
    )


def _check(one: CriterionMeans, check: CrossCheck) -> Table:
    title = (
        f"{one.criterion}: cross-check by a{'n' if check.model == 'ordinal' else ''} {TITLES[check.model]}"
    )
    if check.reason is not None:
        return Table(title, (), (), (f"no estimates: {check.reason}",))
    columns = (
        *(Column("difference"), Column("estimate", numeric=True), Column("p", numeric=True)),
        *(Column("of means", numeric=True), Column("its p", numeric=True), Column("disagree on")),
    )
    rows = tuple(
        (
            Cell(_pair(pair.a, pair.b)),
            Cell(signed(pair.estimate.value), interval(pair.estimate.low, pair.estimate.high)),
            Cell(p_value(pair.p_adjusted)),
            Cell(signed(ours.difference.value)),
            Cell(p_value(ours.p_adjusted)),
            Cell(SHORT[pair.disagrees] if pair.disagrees else NOTHING),
        )
        for pair, ours in zip(check.differences, one.differences, strict=True)
    )
    return Table(title, columns, rows, tuple(_check_notes(one, check)))


def _check_notes(one: CriterionMeans, check: CrossCheck) -> Iterator[str]:
    disagreeing = [pair for pair in check.differences if pair.disagrees]
    for pair in disagreeing:
        what = "who is ahead" if pair.disagrees == "sign" else "whether the difference is significant"
        yield f"warning: {_pair(pair.a, pair.b)}: the model and the means disagree on {what}"
    if check.components:
        parts = ", ".join(f"{name} {value:.2f}" for name, value in check.components.items())
        yield f"standard deviations: {parts}"
    yield from map(str, check.notes)
    if check.model == "ordinal":
        yield from NO_EFFECTS
    else:
        left_out = UNMODELLED if one.interval_raters == "sampled" else (*UNMODELLED, TASTE)
        yield f"does not model: {'; '.join(left_out)}"
