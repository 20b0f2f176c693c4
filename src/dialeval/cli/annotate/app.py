"""``dialeval annotate``: people's ratings, and who agrees with whom."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from dialeval.cli.annotate.demo import demo
from dialeval.cli.annotate.export import export
from dialeval.cli.annotate.init import init
from dialeval.cli.annotate.preferences import preferences
from dialeval.cli.annotate.serve import serve
from dialeval.cli.annotate.sheets import take, tasks
from dialeval.cli.annotate.simulate import simulate
from dialeval.cli.options import Cluster, Json, RepeatsOption, Seed, Trials, scale_given

if TYPE_CHECKING:
    from dialeval.ratings import Cut, Ratings, RatingScale, Repeats

_NOMINAL: Final = ("circa",)
"""Formats whose values are names of categories: read from these, they have no order to be asked for."""
_SUMMARY = "Human ratings: collected in the browser; who agrees with whom, whom to drop, which systems are preferred."
app = typer.Typer(
    no_args_is_help=True,
    help=f"{_SUMMARY}\n\nExample: dialeval annotate agreement ratings.jsonl",
    short_help=_SUMMARY,
)

app.command("init")(init)
app.command("serve")(serve)
app.command("simulate")(simulate)
app.command("export")(export)
app.command("demo")(demo)
app.command("tasks")(tasks)
app.command("import")(take)


@app.command("agreement")
def agreement(
    ratings: Annotated[
        list[str], typer.Argument(metavar="RATINGS", help="Files of judgements, or - for standard input.")
    ],
    criterion: Annotated[
        list[str] | None, typer.Option("--criterion", metavar="NAME", help="Only this one. Repeatable.")
    ] = None,
    system: Annotated[
        list[str] | None, typer.Option("--system", metavar="NAME", help="Only this system. Repeatable.")
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="FORMAT", help="As in 'dialeval data convert'.", show_default="by ending"
        ),
    ] = None,
    classes: Annotated[
        list[str] | None,
        typer.Option("--classes", metavar="CUT", help="Also in two classes, as in '>3'. Repeatable."),
    ] = None,
    scale: Annotated[
        str | None, typer.Option("--scale", metavar="LOW-HIGH", help="Reject ratings outside it, as in 1-5.")
    ] = None,
    drop_below: Annotated[
        float | None,
        typer.Option(
            "--drop-below",
            metavar="KAPPA",
            help="Show raters below it, and what dropping them changes.",
        ),
    ] = None,
    drop_rule: Annotated[
        Literal["mean", "worst-first", "every-pair"],
        typer.Option(
            "--drop-rule", help="Which kappas must reach it, and whether raters are dropped one at a time."
        ),
    ] = "mean",
    repeats: RepeatsOption = None,
    raters: Annotated[
        Literal["fixed", "sampled"],
        typer.Option("--raters", help="Intervals for these raters, or also for other raters like them."),
    ] = "fixed",
    cluster: Cluster = "auto",
    trials: Trials = 1000,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Print how well raters agree on each criterion, what each rater did, and whom to drop.

    A column for each rater (CSV, TSV) is read with '--from ratings-wide'.

    Example: dialeval annotate agreement ratings.jsonl

    Example: dialeval annotate agreement sheet.csv --from ratings-wide --scale 1-5

    Example: dialeval annotate agreement ratings.jsonl --classes '>3' --drop-below 0.1
    """
    from dialeval.cli.annotate.tables import print_agreement
    from dialeval.core import Resampling
    from dialeval.ratings import agreement_json, agreement_of, drop_raters

    cuts = _cuts(classes or ())
    given = _ratings(ratings, format, repeats, criterion, system, scale_given(scale))
    resampling = Resampling(resamples=trials, seed=seed, cluster=cluster)
    agreements = agreement_of(given, cuts=cuts, resampling=resampling, raters=raters)
    dropped = None
    if drop_below is not None:
        comparable = [
            agreement.criterion
            for agreement in agreements
            if agreement.kappas is not None and agreement.raters > 1
        ]
        none = Resampling(resamples=0)
        dropped = [
            drop_raters(given, name, drop_below, rule=drop_rule, resampling=none) for name in comparable
        ]
    if json:
        print(jsonlib.dumps(agreement_json(agreements, dropped), ensure_ascii=False, allow_nan=False))
    else:
        print_agreement(agreements, dropped)


app.command("preferences")(preferences)


def _cuts(texts: Sequence[str]) -> list[Cut]:
    from dialeval.errors import DialevalError
    from dialeval.ratings import Cut

    try:
        return [Cut.parse(text) for text in texts]
    except DialevalError as error:
        raise typer.BadParameter(str(error), param_hint="--classes") from None


def _ratings(
    sources: list[str],
    format: str | None,
    repeats: Repeats | None,
    criteria: list[str] | None,
    systems: list[str] | None,
    scale: RatingScale | None,
) -> Ratings:
    """The ratings asked for; says on stderr what was counted once although it was given twice."""
    from dialeval.errors import UnknownName
    from dialeval.ratings import Ratings, located, variants

    read = _read(sources, format, repeats)
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


def _judgements(count: int) -> str:
    return "1 judgement was" if count == 1 else f"{count:,} judgements were"


def _read(sources: list[str], format: str | None, repeats: Repeats | None) -> Ratings:
    from dialeval.errors import MissingField
    from dialeval.ratings import read_judgements

    try:
        read = read_judgements(sources, format=format, repeats=repeats)
    except MissingField as error:
        if format is None and error.field == "value":
            error.todo += " If there is a column for each rater, say '--from ratings-wide'."
        raise
    return replace(read, nominal=frozenset(read.criteria)) if format in _NOMINAL else read


def _people(ratings: Ratings) -> Ratings:
    """The ratings without those of measures, unless there are no others; says on stderr how many are left out."""
    from dialeval.ratings import measures_among

    measures = measures_among(ratings)
    if not measures or len(measures) == len(ratings.raters):
        return ratings
    print(
        f"{len(measures):,} measures among the raters are left out; include one with --criterion",
        file=sys.stderr,
    )
    return ratings.by(raters=[rater for rater in ratings.raters if rater not in measures])
