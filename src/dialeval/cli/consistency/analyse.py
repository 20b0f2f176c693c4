"""``dialeval consistency analyse``: what makes systems contradict themselves, and what the detector misses."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import Annotated

import typer

from dialeval.cli.consistency.detect import Model
from dialeval.cli.options import Json


def analyse(
    labelled: Annotated[
        list[str],
        typer.Argument(
            metavar="LABELLED...",
            help="What 'dialeval consistency label' wrote, or contexts of rgm.",
        ),
    ],
    model: Model = "shipped",
    acts: Annotated[
        Path | None, typer.Option("--acts", help="A labeller that 'dialeval train acts' wrote.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A folder for analysis.json and analysis.html.")
    ] = None,
    json: Json = False,
) -> None:
    """Analyse labelled answers: contexts that provoke several systems, features of the question, detector misses.

    Example: dialeval consistency analyse labelled.jsonl -o analysis
    """
    from dialeval.consistency.analysing.analysis import analyse as analyse_answers
    from dialeval.consistency.analysing.reading import read_labelled
    from dialeval.consistency.detecting.detector import PairDetector
    from dialeval.consistency.folder import ANALYSIS, write_analysis
    from dialeval.consistency.learning.acts import read_labeller
    from dialeval.consistency.report.tables import print_analysis
    from dialeval.files.documents import as_json
    from dialeval.files.folders import check_target

    if out is not None:
        check_target(out, ANALYSIS, kind="analysis")
    labeller = read_labeller(acts) if acts is not None else None
    document = analyse_answers(read_labelled(labelled), detector=PairDetector(model), labeller=labeller)
    page = write_analysis(out, document) if out is not None else None
    if json:
        places = {} if out is None else {"folder": str(out), "report": str(page)}
        print(jsonlib.dumps({**as_json(document), **places}, ensure_ascii=False, allow_nan=False))
        return
    print_analysis(document)
    if page is not None:
        print(f"Report: {page}")
