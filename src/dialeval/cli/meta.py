"""``dialeval meta``: agreement of automatic measures with people."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dialeval.cli.execution import Sampling
from dialeval.cli.joining import Roles, join_each, join_files
from dialeval.cli.options import Json, LeaveOut, RepeatsOption, scale_given
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.core import Resampling
from dialeval.data.codec.sources import file_of
from dialeval.display.terminal import print_table
from dialeval.engine.progress import RichProgress
from dialeval.errors import DialevalError, UnknownName
from dialeval.files.digests import hash_file
from dialeval.files.documents import as_json
from dialeval.files.folders import check_target
from dialeval.meta import (
    LEVELS,
    META_FILES,
    Inquiry,
    InstanceRule,
    examine,
    points_of,
    write_findings,
    write_page,
)
from dialeval.meta.criteria import correlate_criteria, criteria_json, criteria_tables
from dialeval.meta.report.terminal import print_meta
from dialeval.options import Argument, Option, Options

if TYPE_CHECKING:
    from dialeval.meta import Level


def meta(
    judgements: Annotated[
        list[str] | None,
        Argument(help="Files of judgements and run folders, in any combination.", metavar="JUDGEMENTS"),
    ] = None,
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
    sets: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="NAME=FILE",
            help="With --criteria: a set of answers, such as turns, dialogues or another corpus, with rows of its own. "
            "JUDGEMENTS belong to every set. Repeatable.",
        ),
    ] = None,
    average: Annotated[
        bool, Option("--average", help="With --criteria: Pearson, Spearman and the mean of both.")
    ] = False,
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
            *("lower_is_better", "coefficient", "resample"),
            *("estimate", "estimate_by", "trust", "plan", "combine"),
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

    Example: dialeval meta ratings.jsonl --criteria all --set turn=turns.jsonl --set dialogue=dialogues.jsonl
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
            "--coefficient": average and inquiry.coefficient != "spearman",
        }
        for name, value in idle.items():
            if value:
                other = "--average" if name == "--coefficient" else "--criteria"
                raise BadUsage(f"cannot be combined with {other}", where=name)
        if len(set(level or ())) > 1:
            raise BadUsage("give one level with --criteria", where="--level")
        named = _sets(judgements or (), sets or ())
        level_ = inquiry.levels[0] if len(inquiry.levels) == 1 else "item"
        joined_sets = join_each(
            named,
            format,
            criteria,
            Roles(people, measures, also),
            repeats,
            other_items=level_ == "system",
            leave_out=leave_out,
        )
        kind = "average" if average else inquiry.coefficient
        found = correlate_criteria(joined_sets, level=level_, coefficient=kind, resampling=resampling)
        if json:
            print(jsonlib.dumps(criteria_json(found), ensure_ascii=False))
        else:
            for number, table in enumerate(criteria_tables(found)):
                print(end="\n" if number else "")
                print_table(table)
        return
    for option, given in (("--set", sets), ("--average", average)):
        if given:
            raise BadUsage("needs --criteria", where=option)
    if not judgements:
        raise BadUsage("Missing argument 'JUDGEMENTS'.")
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


def _sets(shared: Sequence[str], named: Sequence[str]) -> dict[str, list[str]]:
    """The files of each set of answers, those of every set first; one set without a name if none is named."""
    found: dict[str, list[str]] = {}
    for text in named:
        name, equals, file = text.partition("=")
        if not (name and equals and file):
            raise BadUsage(f"{text!r} is not NAME=FILE, as in turn=turns.jsonl", where="--set")
        found.setdefault(name, [*shared]).append(file)
    if not found and not shared:
        raise BadUsage("Missing argument 'JUDGEMENTS'.")
    return found or {"": [*shared]}


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
