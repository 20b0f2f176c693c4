"""``dialeval train acts``: a labeller of dialogue acts."""

from __future__ import annotations

import json as jsonlib
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from dialeval.cli.options import Json, Limit


def acts(
    corpus: Annotated[str, typer.Argument(metavar="CORPUS", help="Lines conversation|speaker|text|act.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The labeller's folder.")],
    test: Annotated[str | None, typer.Option("--test", help="Lines to measure its accuracy on.")] = None,
    encoder: Annotated[
        str, typer.Option(help="'minilm', or the folder of a Hugging Face encoder.")
    ] = "minilm",
    limit: Limit = None,
    json: Json = False,
) -> None:
    """Train a labeller of dialogue acts: softmax regression on sentence vectors of a frozen encoder.

    Example: dialeval train acts swda/train.txt.gz --test swda/test.txt -o acts
    """
    from dialeval.consistency.learning.acts import ACTS, read_utterances, train_acts, write_labeller
    from dialeval.files.folders import check_target
    from dialeval.stats import clopper_pearson

    check_target(out, ACTS, kind="labeller")
    given = list(islice(read_utterances(corpus), limit))
    labeller = train_acts(given, encoder=encoder)
    facts: dict[str, object] = {"utterances": len(given)}
    if test is not None:
        right, n = labeller.accuracy(list(read_utterances(test)))
        bounds = clopper_pearson(right, n)
        facts |= {"accuracy": right / n, "low": bounds.low, "high": bounds.high, "test": n}
    write_labeller(out, labeller, facts)
    if json:
        print(jsonlib.dumps({"folder": str(out), "acts": len(labeller.names), **facts}))
        return
    print(f"{len(given):,} utterances, {len(labeller.names)} dialogue acts: {out}")
    if test is not None:
        print(
            f"accuracy {facts['accuracy']:.3f} [{facts['low']:.3f}, {facts['high']:.3f}] of {facts['test']:,}"
        )
