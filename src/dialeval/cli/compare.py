"""``dialeval compare``: is A better than B, or is it noise?"""

from __future__ import annotations

import json as jsonlib
import shutil
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from dialeval.cli.options import Json, MetricNames

if TYPE_CHECKING:
    from dialeval.core import Resampling
    from dialeval.evaluation.compare import Comparison
    from dialeval.study.sides import Side


def compare(
    a: Annotated[
        str, typer.Argument(help="A run folder or an example file; FOLDER:SYSTEM picks one system.")
    ],
    b: Annotated[str, typer.Argument(help="The other one.")],
    metric: MetricNames = None,
    format: Annotated[
        str | None, typer.Option("--from", help="The format of the files (see 'dialeval data ls').")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Instead of the runs' seed.")] = None,
    trials: Annotated[
        int | None, typer.Option("--trials", min=1, help="Instead of the runs' resamples.")
    ] = None,
    level: Annotated[
        float | None, typer.Option("--level", min=0.5, max=0.9999, help="Of the intervals.")
    ] = None,
    cluster: Annotated[
        Literal["auto", "dialogue", "none"] | None,
        typer.Option("--cluster", help="Resample whole dialogues (ids DIALOGUE/TURN), or items."),
    ] = None,
    json: Json = False,
) -> None:
    """Say whether A is better than B, how sure that is, and how many more items would settle it.

    Systems are paired item by item. With several systems on a side, those of the same name are compared. Runs are
    compared as they were run; files by bleu(order=4) and rouge_l unless you name metrics.

    Example: dialeval compare runs/monday runs/tuesday

    Example: dialeval compare runs/demo:attentive runs/demo:hasty -m rouge_l
    """
    from dialeval.files.documents import as_json
    from dialeval.study import (
        compare_sides,
        open_sides,
        shared_statuses,
    )

    first, second = open_sides(a, b, metric, format=format)
    given = {"trials": trials, "seed": seed, "level": level, "cluster": cluster}
    resampling = _changed(given, first, second)
    pairs = compare_sides(first, second, resampling)
    statuses = shared_statuses(first, second)
    if json:
        asked = {
            name: [{"measure": label, "status": status} for label, status in known.items()]
            for name, known in statuses.items()
        }
        content = {"comparisons": as_json(pairs), **asked, "settings": resampling.as_json()}
        print(jsonlib.dumps(content, ensure_ascii=False))
        return
    for pair in pairs:
        _say(f"{pair.measure}: {pair.sentence}", indent="  ")
        _say(f"  {_detail(pair)}", indent="  ")
    for label, status in (row for known in statuses.values() for row in known.items()):
        _say(f"{label} asks questions. {status[:1].upper()}{status[1:]}.", indent="")
    _say(_how(resampling), indent="")


def _say(text: str, *, indent: str) -> None:
    width = shutil.get_terminal_size().columns
    print(
        textwrap.fill(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    )


def _detail(pair: Comparison) -> str:
    effect = "" if pair.effect_size is None else f"; effect size {pair.effect_size:.2f}"
    unpaired = f", {pair.unpaired} unpaired" if pair.unpaired else ""
    tally = "" if pair.wins is None else f"; wins {pair.wins}, ties {pair.ties}, losses {pair.losses}"
    scores = f"{pair.a} {pair.basis.score_a:.4f}, {pair.b} {pair.basis.score_b:.4f}" if pair.basis else ""
    return f"{scores} on {pair.n} items{unpaired}{tally}{effect}"


def _changed(given: Mapping[str, int | float | str | None], first: Side, second: Side) -> Resampling:
    """How the runs resampled, but for what is given."""
    from dialeval.core import Resampling
    from dialeval.study import shared_resampling

    complete = None not in given.values()
    content = Resampling().as_json() if complete else shared_resampling(first, second).as_json()
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return Resampling.of_json({**content, **changes})


def _how(resampling: Resampling) -> str:
    unit = "items" if resampling.cluster == "none" else "whole dialogues"
    return (
        f"({resampling.resamples:,} resamples of {unit}, seed {resampling.seed}, "
        f"{100 * resampling.confidence:g} % intervals; a jackknife for corpus measures)"
    )
