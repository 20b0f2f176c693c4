"""``dialeval consistency detect``: contradictions in dialogues, each quoted by its two turns."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from dialeval.cli.options import (
    Address,
    CacheFolder,
    ColumnsOption,
    EngineOption,
    From,
    Jobs,
    Json,
    Limit,
    Resume,
    engine_given,
)

if TYPE_CHECKING:
    from dialeval.consistency.detecting.dialogues import Cost
    from dialeval.consistency.document import DetectedDocument
    from dialeval.data import Dialogue
    from dialeval.engine import Progress

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
    speakers: Annotated[
        Literal["system", "all"],
        typer.Option(
            "--speakers",
            help="Compare the turns of the dialogue's system, where it is known, or those of every speaker.",
        ),
    ] = "system",
    reach: Annotated[
        int | None,
        typer.Option(
            "--reach",
            metavar="N",
            min=0,
            help="Compare a turn with those up to N turns back; 0 for all. Pairs farther apart are counted.",
            show_default="60; all with --turn last",
        ),
    ] = None,
    model: Model = "shipped",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A folder for detected.json and contradictions.html.")
    ] = None,
    format: From = None,
    columns: ColumnsOption = None,
    limit: Limit = None,
    jobs: Jobs = 1,
    engine: EngineOption = None,
    address: Address = None,
    resume: Resume = True,
    cache: CacheFolder = None,
    json: Json = False,
) -> None:
    """Find contradictions: every two utterances of one speaker, sentence by sentence, also within one utterance.

    For each dialogue the two most contradictory turns of the system are quoted, with a calibrated probability. Those
    with nothing to compare are counted by reason. Time grows with the number of pairs, which is printed at the start.
    Interrupted? The same command resumes.

    Example: dialeval consistency detect dialogues.jsonl -o contradictions

    Example: dialeval consistency detect dialogues.jsonl --turn last --json
    """
    from dialeval.cli.workshop import open_workshop
    from dialeval.consistency.detecting.detecting import detect as detect_in, talk_of
    from dialeval.consistency.detecting.detector import SHIPPED
    from dialeval.consistency.detecting.dialogues import REACH, Reading, cost_of
    from dialeval.consistency.detecting.metrics import ContradictionDetector
    from dialeval.consistency.detecting.scoring import Work
    from dialeval.consistency.folder import DETECTED, write_detected
    from dialeval.data import read
    from dialeval.files.folders import check_target

    if out is not None:
        check_target(out, DETECTED, kind="detected")
    given = list(islice(read(dialogues, "dialogue", format=format, columns=columns), limit))
    usual = REACH if turn == "all" else 0
    reading = Reading(turn, (usual if reach is None else reach) or None)
    detector = ContradictionDetector(model)
    if model == SHIPPED:
        _warn_of_scripts(given)
    costs = [cost_of(*talk_of(dialogue, reading, speakers).case) for dialogue in given]
    chosen = engine_given(engine, address)
    with (
        open_workshop(jobs=jobs, cache=cache, resume=resume, engine=chosen) as shop,
        _bar(costs, reading.reach) as progress,
    ):
        work = Work(shop.executor, shop.cache, detector.key, progress)
        document = detect_in(given, detector, reading=reading, speakers=speakers, work=work)
    page = write_detected(out, document) if out is not None else None
    _show(document, out, page, json=json)
    _refuse_nothing(document)


def _refuse_nothing(document: DetectedDocument) -> None:
    """Fail if no dialogue could be checked."""
    from dialeval.display.wording import count
    from dialeval.errors import RunFailed

    if any(each.reason is None for each in document.dialogues):
        return
    why = "; ".join(f"{count(n, 'dialogue')}: {reason}" for reason, n in document.excluded.items())
    raise RunFailed(f"Nothing was checked. {why}. --speakers all compares the turns of every speaker.")


def _warn_of_scripts(dialogues: Sequence[Dialogue]) -> None:
    """The shipped detector read English only, and gives a verdict on anything."""
    from dialeval.consistency.detecting.sentences import mostly_latin
    from dialeval.display.wording import count

    other = sum(not mostly_latin(turn.text for turn in dialogue.turns) for dialogue in dialogues)
    if other:
        print(
            f"{count(other, 'dialogue')} mostly in another script than Latin: the shipped detector learnt from English "
            "alone, so its verdicts there mean little. 'dialeval train contradiction' trains one of your own.",
            file=sys.stderr,
        )


def _bar(costs: Sequence[Cost], reach: int | None) -> AbstractContextManager[Progress]:
    """The number of pairs on stderr, then a bar, or lines with the time left where stderr is not a terminal."""
    from dialeval.display.wording import count
    from dialeval.engine.progress import PlainProgress, RichProgress

    pairs = sum(cost.passages for cost in costs)
    print(f"{count(len(costs), 'dialogue')}, {count(pairs, 'pair')} of passages to compare", file=sys.stderr)
    if beyond := sum(cost.beyond for cost in costs):
        print(
            f"{count(beyond, 'pair')} of turns more than {reach} turns apart are not compared; --reach 0 compares them",
            file=sys.stderr,
        )
    return RichProgress("pairs", pairs) if sys.stderr.isatty() else PlainProgress("pairs", pairs)


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
