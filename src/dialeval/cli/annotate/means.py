"""``dialeval annotate means``: which systems raters rate higher, criterion by criterion."""

from __future__ import annotations

import json as jsonlib
from typing import Annotated, Literal

import typer

from dialeval.cli.annotate.reading import (
    OnlyCriteria,
    OnlySystems,
    RatingFiles,
    RatingsFormat,
    ScaleOption,
    chosen_ratings,
)
from dialeval.cli.options import Cluster, Json, RepeatsOption, scale_given


def means(
    ratings: RatingFiles,
    criterion: OnlyCriteria = None,
    system: OnlySystems = None,
    format: RatingsFormat = None,
    scale: ScaleOption = None,
    lower_is_better: Annotated[
        list[str] | None,
        typer.Option(
            "--lower-is-better", metavar="NAME", help="A criterion on which lower is better. Repeatable."
        ),
    ] = None,
    primary: Annotated[
        str | None,
        typer.Option(
            "--primary", metavar="NAME", help="The criterion that decides, declared before anybody looked."
        ),
    ] = None,
    repeats: RepeatsOption = None,
    raters: Annotated[
        Literal["fixed", "sampled"],
        typer.Option(
            "--raters", help="Intervals and tests for these raters, or also for other raters like them."
        ),
    ] = "fixed",
    cluster: Cluster = "auto",
    model: Annotated[
        Literal["none", "mixed"],
        typer.Option(
            "--model", help="Cross-check by a linear mixed model and an ordinal one (extra 'mixed')."
        ),
    ] = "none",
    json: Json = False,
) -> None:
    """Print each system's mean rating and every difference, with intervals over items and raters.

    Example: dialeval annotate means ratings.jsonl

    Example: dialeval annotate means ratings.jsonl --raters sampled --model mixed
    """
    from dialeval.cli.annotate.mean_tables import print_means
    from dialeval.core import Resampling
    from dialeval.files.documents import as_json
    from dialeval.ratings.means.cross_check import cross_checked
    from dialeval.ratings.means.systems import means_of

    given = chosen_ratings(ratings, format, repeats, criterion, system, scale_given(scale))
    resampling = Resampling(cluster=cluster)
    lower = tuple(lower_is_better or ())
    found = means_of(given, resampling=resampling, raters=raters, lower_is_better=lower, primary=primary)
    if model == "mixed":
        found = cross_checked(given, found, resampling=resampling, primary=primary)
    if json:
        content = {"criteria": {one.criterion: one for one in found}}
        print(jsonlib.dumps(as_json(content), ensure_ascii=False, allow_nan=False))
    else:
        print_means(found)
