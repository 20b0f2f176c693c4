"""``dialeval consistency detect``: contradictions in dialogues, each quoted by its two turns."""

from __future__ import annotations

import json as jsonlib
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from dialeval.cli.options import From, Json, Limit

if TYPE_CHECKING:
    from dialeval.consistency.document import DetectedDocument

Dialogues: TypeAlias = Annotated[
    str, typer.Argument(metavar="DIALOGUES", help="A file of dialogues, or - for standard input.")
]
Model: TypeAlias = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="ADAPTER",
        help="The detector: 'shipped', or what 'dialeval train contradiction' wrote.",
    ),
]


def detect(
    dialogues: Dialogues,
    turn: Annotated[
        Literal["all", "last"],
        typer.Option("--turn", help="Compare all turns, or only the last one with those before it."),
    ] = "all",
    model: Model = "shipped",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A folder for detected.json and contradictions.html.")
    ] = None,
    format: From = None,
    limit: Limit = None,
    json: Json = False,
) -> None:
    """Find contradictions: every two utterances of one speaker, sentence by sentence, also within one utterance.

    For each dialogue the two most contradictory turns are quoted, with a calibrated probability. Dialogues with nothing
    to compare are counted by reason.

    Example: dialeval consistency detect dialogues.jsonl -o contradictions

    Example: dialeval consistency detect dialogues.jsonl --turn last --json
    """
    from dialeval.consistency.detecting.detecting import detect as detect_in
    from dialeval.consistency.detecting.metrics import ContradictionDetector
    from dialeval.consistency.folder import DETECTED, write_detected
    from dialeval.data import read
    from dialeval.engine.progress import RichProgress
    from dialeval.files.folders import check_target

    if out is not None:
        check_target(out, DETECTED, kind="detected")
    given = list(islice(read(dialogues, "dialogue", format=format), limit))
    with RichProgress("dialogues", len(given)) as progress:
        document = detect_in(given, ContradictionDetector(model), scope=turn, progress=progress)
    page = write_detected(out, document) if out is not None else None
    _show(document, out, page, json=json)


def _show(document: DetectedDocument, out: Path | None, page: Path | None, *, json: bool) -> None:
    from dialeval.consistency.report.tables import print_detected
    from dialeval.files.documents import as_json

    if json:
        places = {} if out is None else {"folder": str(out), "report": str(page)}
        print(jsonlib.dumps({**as_json(document), **places}, ensure_ascii=False, allow_nan=False))
        return
    print_detected(document)
    if page is not None:
        print(f"Report: {page}")
