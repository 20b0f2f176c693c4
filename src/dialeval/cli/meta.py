"""``dialeval meta``: agreement of automatic measures with people."""

from __future__ import annotations

import dataclasses
import json as jsonlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from dialeval.cli.execution import Sampling
from dialeval.cli.options import Json, LeaveOut, RepeatsOption, scale_given
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.core import Resampling
from dialeval.data.codec.sources import conversion, file_of
from dialeval.display.notes import Note
from dialeval.display.terminal import print_table
from dialeval.engine.progress import RichProgress
from dialeval.errors import DialevalError, MissingField, UnknownName, Unsuitable
from dialeval.files.digests import hash_file
from dialeval.files.documents import as_json
from dialeval.files.folders import check_target
from dialeval.meta import (
    LEVELS,
    META_FILES,
    Inquiry,
    InstanceRule,
    examine,
    fits,
    join,
    only_criterion,
    points_of,
    write_findings,
    write_page,
)
from dialeval.meta.criteria import as_rows, correlate_criteria, criteria_of, criteria_table
from dialeval.meta.report.terminal import print_meta
from dialeval.options import Argument, Option, Options
from dialeval.ratings import located, read_dropped, read_judgements, unvetted_notes, without_raters

if TYPE_CHECKING:
    from dialeval.meta import Level
    from dialeval.ratings import Joined, Ratings, RatingScale, Repeats


def meta(
    judgements: Annotated[
        list[str],
        Argument(help="Files of judgements and run folders, in any combination.", metavar="JUDGEMENTS"),
    ],
    human_criterion: Annotated[
        str | None,
        Option("--human-criterion", help="What people judged.", show_default="the only one, if there is one"),
    ] = None,
    criteria: Annotated[
        list[str] | None,
        Option(
            "--criteria",
            metavar="all|GLOB",
            help="Print one table of these criteria of people's, with p marked, and write nothing. Repeatable.",
        ),
    ] = None,
    level: Annotated[
        list[str] | None,
        Option(
            "--level",
            metavar="LEVEL",
            help="Only this one of system, item, item_within_system, system_within_item. Repeatable.",
        ),
    ] = None,
    people: Annotated[
        list[str] | None,
        Option("--people", metavar="GLOB", help="Raters who are people, as in 'worker*'. Repeatable."),
    ] = None,
    measures: Annotated[
        list[str] | None,
        Option("--measures", metavar="GLOB", help="Raters that are measures. Repeatable."),
    ] = None,
    also: Annotated[
        list[str] | None,
        Option(
            "--also", metavar="CRITERION", help="People's other criterion, as one more measure. Repeatable."
        ),
    ] = None,
    inquiry: Annotated[
        Inquiry,
        Options(
            *("lower_is_better", "coefficient", "resample"), *("estimate", "estimate_by", "plan", "combine")
        ),
    ] = Inquiry(),
    resampling: Sampling = Resampling(),
    leave_out: LeaveOut = None,
    repeats: RepeatsOption = None,
    scale: Annotated[
        str | None,
        Option("--scale", metavar="LOW-HIGH", help="Reject people's ratings outside it, as in 1-5."),
    ] = None,
    instances: Annotated[
        list[str] | None,
        Option(
            "--instances",
            metavar="'MEASURE>=X'",
            help="Test, system by system, whether answers are rated higher where this holds; X may be median, "
            "and MEASURE<=X is for those for which lower is better. Repeatable.",
        ),
    ] = None,
    format: Annotated[
        str | None, Option("--from", help="The files' format (see 'dialeval data ls').")
    ] = None,
    out: Annotated[
        Path | None, Option("--out", "-o", help="The folder to write.", show_default="runs/meta-NAME")
    ] = None,
    plots: Annotated[
        bool, Option("--plots", help="Also write each plot as an SVG file into plots/.")
    ] = False,
    json: Json = False,
) -> None:
    """Correlate measures with human ratings, per system and per item, and compare the measures.

    People and measures are raters in one table, joined by item and system. Writes meta.json and meta.html.

    Example: dialeval meta runs/demo ratings.jsonl --human-criterion overall

    Example: dialeval meta ratings.jsonl scores.jsonl --level item --coefficient pearson --json

    Example: dialeval meta ratings.jsonl scores.jsonl --criteria all
    """
    inquiry = replace(
        inquiry,
        levels=_levels(level),
        resampling=resampling,
        estimate=inquiry.estimate or inquiry.estimate_by is not None,
        instances=_rules(instances or ()),
    )
    if criteria:
        idle = {
            "--scale": scale,
            "--human-criterion": human_criterion,
            "--instances": instances,
            "--out": out,
            "--plots": plots,
            "--estimate": inquiry.estimate,
            "--combine": inquiry.combine,
            "--plan": inquiry.plan,
        }
        for name, value in idle.items():
            if value:
                raise BadUsage("cannot be combined with --criteria", where=name)
        if len(set(level or ())) > 1:
            raise BadUsage("give one level with --criteria", where="--level")
        roles = Roles(people, measures, also)
        _tell_criteria(judgements, format, criteria, roles, repeats, inquiry, leave_out, json=json)
        return
    bounds = scale_given(scale)
    folder = out or Path("runs") / f"meta-{_name(judgements[0])}"
    check_target(folder, "meta.json", kind="meta", parts=META_FILES)
    roles = Roles(people, measures, also)
    joined = join_files(
        judgements,
        format,
        human_criterion,
        roles,
        bounds,
        repeats,
        other_items=inquiry.levels == ("system",),
        leave_out=leave_out,
    )
    for name in [
        *([inquiry.estimate_by] if inquiry.estimate_by else []),
        *(rule.measure for rule in inquiry.instances),
    ]:
        joined.measure_named(name)  # a wrong name is worth knowing before the work
    findings = examine(joined, inquiry, RichProgress, sources=_digests(judgements))
    write_findings(findings, folder)
    if not json:
        print_meta(findings.document)  # before the page: its plots take a moment
    page = write_page(findings.document, points_of(findings.joined), folder, plots=plots)
    if json:
        content = {**as_json(findings.document), "folder": str(folder), "report": str(page)}
        print(jsonlib.dumps(content, ensure_ascii=False))
    else:
        print(f"Report: {page}")


def _tell_criteria(
    judgements: Sequence[str],
    format: str | None,
    patterns: Sequence[str],
    roles: Roles,
    repeats: Repeats | None,
    inquiry: Inquiry,
    leave_out: Path | None,
    *,
    json: bool,
) -> None:
    """Print a table of every measure against each criterion: per item, unless one other level is asked for."""
    level: Level = inquiry.levels[0] if len(inquiry.levels) == 1 else "item"
    joined = join_each(
        judgements, format, patterns, roles, repeats, other_items=level == "system", leave_out=leave_out
    )
    kind, resampling = inquiry.coefficient, inquiry.resampling
    rows = correlate_criteria(joined, level=level, coefficient=kind, resampling=resampling)
    if json:
        print(jsonlib.dumps({"level": level, "coefficient": kind, "rows": as_rows(rows)}, ensure_ascii=False))
        return
    print_table(criteria_table(rows, level=level, coefficient=kind))


def _levels(names: Sequence[str] | None) -> tuple[Level, ...]:
    for name in names or ():
        if name not in LEVELS:
            unknown = UnknownName("level", name, LEVELS, todo=f"There are {', '.join(LEVELS)}.")
            raise BadUsage(str(unknown), where="--level")
    return tuple(level for level in LEVELS if names is None or level in names)


def _rules(texts: Sequence[str]) -> tuple[InstanceRule, ...]:
    try:
        return tuple(InstanceRule.parse(text) for text in texts)
    except DialevalError as error:
        raise BadUsage(str(error), where="--instances") from None


def _name(source: str) -> str:
    """Return the name of a source without its endings."""
    return file_of(source).resolve().name.split(".")[0] or "judgements"


def _digests(sources: Sequence[str]) -> dict[str, str | None]:
    """The digest of each file, of a folder that of its results or choices; None for anything but a file."""

    def values_of(path: Path) -> Path:
        return path / "results.parquet" if path.is_dir() else file_of(path)

    files = {source: values_of(Path(source)) for source in sources}
    return {source: hash_file(file) if file.is_file() else None for source, file in files.items()}


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
    sources: Sequence[str],
    format: str | None,
    patterns: Sequence[str],
    roles: Roles,
    repeats: Repeats | None = None,
    *,
    other_items: bool = False,
    leave_out: Path | None = None,
) -> dict[str, Joined]:
    """The judgements of each of people's criteria that a pattern fits, or of all, beside measures'.

    Criteria on which nothing is both rated and scored are left out, which is said on stderr.
    """
    ratings = _read(sources, format, repeats)
    if leave_out is not None:
        ratings, left_out = without_raters(ratings, read_dropped(leave_out))
        print("\n".join(f"note: {note}" for note in left_out), file=sys.stderr)
    known = criteria_of(ratings, people=roles.people, measures=roles.measures)
    chosen = [name for name in known if "all" in patterns or fits(name, patterns)]
    if not chosen:
        todo = f"There are {', '.join(known) or 'none'}."
        raise UnknownName("criterion", ", ".join(patterns), known, todo=todo)
    joined, reasons = {}, {}
    for name in chosen:
        try:
            with _naming(sources):
                joined[name] = _join(ratings, name, roles, other_items)
        except Unsuitable as error:
            reasons[name] = error
    if not joined:
        raise reasons[chosen[0]]
    if reasons:
        print(f"Nothing is both rated and scored on {', '.join(reasons)}.", file=sys.stderr)
    return joined


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
