"""``dialeval annotate``: people's ratings, and who agrees with whom."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dialeval.cli.annotate.demo import demo
from dialeval.cli.annotate.export import export
from dialeval.cli.annotate.init import init
from dialeval.cli.annotate.means import means
from dialeval.cli.annotate.preferences import preferences
from dialeval.cli.annotate.reading import (
    OnlyCriteria,
    OnlySystems,
    RatingFiles,
    RatingsFormat,
    ScaleOption,
    chosen_ratings,
    exported_flags,
)
from dialeval.cli.annotate.serve import serve
from dialeval.cli.annotate.sheets import take, tasks
from dialeval.cli.annotate.simulate import simulate
from dialeval.cli.options import Cluster, Json, RepeatsOption, Seed, Trials, scale_given

if TYPE_CHECKING:
    from dialeval.ratings import Cut

_SUMMARY = (
    "Human ratings: collected in the browser; who agrees with whom, and which systems are rated higher."
)
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
    ratings: RatingFiles,
    criterion: OnlyCriteria = None,
    system: OnlySystems = None,
    format: RatingsFormat = None,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--classes", metavar="CUT", help="Also report agreement on two classes, as in '>3'. Repeatable."
        ),
    ] = None,
    scale: ScaleOption = None,
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
    from dialeval.ratings import agreement_json, agreement_of, drop_raters, with_flags

    cuts = _cuts(classes or ())
    given = chosen_ratings(ratings, format, repeats, criterion, system, scale_given(scale))
    resampling = Resampling(resamples=trials, seed=seed, cluster=cluster)
    agreements = agreement_of(given, cuts=cuts, resampling=resampling, raters=raters)
    agreements = with_flags(agreements, exported_flags(ratings, given))
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
    if all(agreement.raters < 2 for agreement in agreements):
        from dialeval.errors import RunFailed

        raise RunFailed("No agreement was computed: no criterion has answers of two raters.")


app.command("means")(means)
app.command("preferences")(preferences)


def _cuts(texts: Sequence[str]) -> list[Cut]:
    from dialeval.errors import DialevalError
    from dialeval.ratings import Cut

    try:
        return [Cut.parse(text) for text in texts]
    except DialevalError as error:
        raise typer.BadParameter(str(error), param_hint="--classes") from None
