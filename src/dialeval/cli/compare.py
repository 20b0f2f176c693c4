"""``dialeval compare``: is A better than B, or is it noise?"""

from __future__ import annotations

import json as jsonlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from dialeval.cli.options import Json, MetricNames, Seed, Trials

if TYPE_CHECKING:
    from dialeval.compare import Comparison
    from dialeval.core import Result

Side: TypeAlias = "Mapping[tuple[str, str], Result]"


def compare(
    a: Annotated[
        str, typer.Argument(help="A run folder or an example file; FOLDER:SYSTEM picks one system.")
    ],
    b: Annotated[str, typer.Argument(help="The other one.")],
    metric: MetricNames = None,
    seed: Seed = 0,
    trials: Trials = 1000,
    cluster: Annotated[
        bool, typer.Option("--cluster", help="Resample whole dialogues (ids DIALOGUE/TURN).")
    ] = False,
    json: Json = False,
) -> None:
    """Say whether A is better than B, how sure that is, and how many more items would settle it.

    Systems are paired item by item. With several systems on a side, those of the same name are compared.

    Example: dialeval compare runs/monday runs/tuesday

    Example: dialeval compare runs/demo:attentive runs/demo:hasty -m rouge_l
    """
    from dialeval.evaluate import by_dialogue
    from dialeval.study import compare_sides, comparison_json, open_side

    group = by_dialogue if cluster else None
    pairs = compare_sides(
        open_side(a, metric), open_side(b, metric), trials=trials, seed=seed, clusters=group
    )
    if json:
        rows = [{"measure": label, **comparison_json(pair)} for label, pair in pairs]
        print(jsonlib.dumps({"comparisons": rows}, ensure_ascii=False))
        return
    for label, pair in pairs:
        print(f"{label}: {pair.verdict}")
        print(f"    {_detail(pair)}")


def _detail(pair: Comparison) -> str:
    effect = "undefined" if pair.effect_size is None else f"{pair.effect_size:.2f}"
    unpaired = f", {pair.unpaired} unpaired" if pair.unpaired else ""
    return (
        f"{pair.a} {pair.score_a:.4f}, {pair.b} {pair.score_b:.4f} on {pair.n} items{unpaired}; "
        f"wins {pair.wins}, ties {pair.ties}, losses {pair.losses}; effect size {effect}"
    )
