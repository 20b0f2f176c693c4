"""``dialeval meta``: agreement of automatic measures with people."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from dialeval.cli.options import Cluster, Json, RepeatsOption, Seed, Trials, scale_given

if TYPE_CHECKING:
    from dialeval.meta import InstanceRule, Level

# Spelled out again: typer reads them before a command runs, and dialeval.stats is slow to import.
Coefficient: TypeAlias = Literal["spearman", "pearson", "kendall"]
Resample: TypeAlias = Literal["items", "systems", "both"]


def meta(
    judgements: Annotated[
        list[str],
        typer.Argument(help="Files of judgements and run folders, in any combination.", metavar="JUDGEMENTS"),
    ],
    human_criterion: Annotated[
        str | None,
        typer.Option(
            "--human-criterion", help="What people judged.", show_default="the only one, if there is one"
        ),
    ] = None,
    level: Annotated[
        list[str] | None,
        typer.Option(
            "--level",
            metavar="LEVEL",
            help="Only this one of system, item, item_within_system, system_within_item. Repeatable.",
        ),
    ] = None,
    coefficient: Annotated[
        Coefficient, typer.Option("--coefficient", help="The one with interval, tests and rank groups.")
    ] = "spearman",
    people: Annotated[
        list[str] | None,
        typer.Option("--people", metavar="GLOB", help="Raters who are people, as in 'worker*'. Repeatable."),
    ] = None,
    measures: Annotated[
        list[str] | None,
        typer.Option("--measures", metavar="GLOB", help="Raters that are measures. Repeatable."),
    ] = None,
    lower_is_better: Annotated[
        list[str] | None,
        typer.Option(
            "--lower-is-better",
            metavar="GLOB",
            help="Measures for which lower is better. Repeatable.",
            show_default="our own that say so",
        ),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            "--also", metavar="CRITERION", help="People's other criterion, as one more measure. Repeatable."
        ),
    ] = None,
    resample: Annotated[
        Resample, typer.Option("--resample", help="What intervals are about: other items, other systems.")
    ] = "items",
    cluster: Cluster = "auto",
    repeats: RepeatsOption = None,
    scale: Annotated[
        str | None,
        typer.Option("--scale", metavar="LOW-HIGH", help="Reject people's ratings outside it, as in 1-5."),
    ] = None,
    estimate: Annotated[
        bool,
        typer.Option("--estimate", help="Estimate systems' mean ratings over all items from the rated ones."),
    ] = False,
    estimate_by: Annotated[
        str | None,
        typer.Option(
            "--estimate-by",
            metavar="MEASURE",
            help="Estimate by this measure alone.",
            show_default="all, fitted",
        ),
    ] = None,
    plan: Annotated[
        bool,
        typer.Option("--plan", help="Estimate how many items, raters and systems the next study requires."),
    ] = False,
    combine: Annotated[bool, typer.Option("--combine", help="Add combinations of the measures.")] = False,
    instances: Annotated[
        list[str] | None,
        typer.Option(
            "--instances",
            metavar="'MEASURE>=X'",
            help="Test, system by system, whether answers are rated higher where this holds; X may be median, "
            "and MEASURE<=X is for those for which lower is better. Repeatable.",
        ),
    ] = None,
    format: Annotated[
        str | None, typer.Option("--from", help="The files' format (see 'dialeval data ls').")
    ] = None,
    seed: Seed = 0,
    trials: Trials = 1000,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The folder to write.", show_default="runs/meta-NAME")
    ] = None,
    plots: Annotated[
        bool, typer.Option("--plots", help="Also write each plot as an SVG file into plots/.")
    ] = False,
    json: Json = False,
) -> None:
    """Say how well measures agree with people, per system and per item, and which measure agrees better.

    People and measures are raters in one table, joined by item and system. Writes meta.json and meta.html.

    Example: dialeval meta runs/demo ratings.jsonl --human-criterion overall

    Example: dialeval meta ratings.jsonl scores.jsonl --level item --coefficient pearson --json
    """
    from dialeval.cli.meta.sources import Roles, join_files
    from dialeval.core import Resampling
    from dialeval.engine.progress import RichProgress
    from dialeval.files.documents import as_json
    from dialeval.files.folders import check_target
    from dialeval.meta import META_FILES, Inquiry, examine, points_of, write_findings, write_page
    from dialeval.meta.report.terminal import print_meta

    inquiry = Inquiry(
        levels=_levels(level),
        coefficient=coefficient,
        resampling=Resampling(resamples=trials, seed=seed, cluster=cluster),
        resample=resample,
        estimate=estimate or estimate_by is not None,
        estimate_by=estimate_by,
        combine=combine,
        plan=plan,
        lower_is_better=tuple(lower_is_better or ()),
        instances=_rules(instances or ()),
    )
    bounds = scale_given(scale)
    folder = out or Path("runs") / f"meta-{_name(judgements[0])}"
    check_target(folder, "meta.json", kind="meta", parts=META_FILES)
    roles = Roles(people, measures, also)
    joined = join_files(judgements, format, human_criterion, roles, bounds, repeats)
    for name in [*([estimate_by] if estimate_by else []), *(rule.measure for rule in inquiry.instances)]:
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


def _levels(names: Sequence[str] | None) -> tuple[Level, ...]:
    from dialeval.errors import UnknownName
    from dialeval.meta import LEVELS

    for name in names or ():
        if name not in LEVELS:
            unknown = UnknownName("level", name, LEVELS, todo=f"There are {', '.join(LEVELS)}.")
            raise typer.BadParameter(str(unknown), param_hint="--level")
    return tuple(level for level in LEVELS if names is None or level in names)


def _rules(texts: Sequence[str]) -> tuple[InstanceRule, ...]:
    from dialeval.errors import DialevalError
    from dialeval.meta import InstanceRule

    try:
        return tuple(InstanceRule.parse(text) for text in texts)
    except DialevalError as error:
        raise typer.BadParameter(str(error), param_hint="--instances") from None


def _name(source: str) -> str:
    """What a source is called: its name without its endings."""
    from dialeval.data.codec.sources import file_of

    return file_of(source).resolve().name.split(".")[0] or "judgements"


def _digests(sources: Sequence[str]) -> dict[str, str | None]:
    """The digest of each file, of a folder that of its results or choices; None for anything but a file."""
    from dialeval.data.codec.sources import file_of
    from dialeval.files.digests import hash_file
    from dialeval.ratings import choices_in

    def values_of(path: Path) -> Path:
        return (choices_in(path) or path / "results.parquet") if path.is_dir() else file_of(path)

    files = {source: values_of(Path(source)) for source in sources}
    return {source: hash_file(file) if file.is_file() else None for source, file in files.items()}
