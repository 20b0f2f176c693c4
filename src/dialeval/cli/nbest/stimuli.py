"""``dialeval nbest stimuli``: histories and polar questions from pairs of natural language inference."""

from __future__ import annotations

import json as jsonlib
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from dialeval.cli.options import Json, Limit, Seed, SkipBad

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dialeval.nbest.document import StimuliSummary, Stimulus


def stimuli(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Pairs: premise, hypothesis, label; - for stdin.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the stimuli here, a line each.")
    ] = None,
    training: Annotated[
        Path | None,
        typer.Option(
            "--training",
            help="Write questions for unlikelihood training here, of premises with an entailed and a contradicted "
            "hypothesis, which are then not tested.",
        ),
    ] = None,
    genre: Annotated[
        str | None, typer.Option("--genre", help="Only pairs of this genre, such as telephone.")
    ] = None,
    show: Annotated[int, typer.Option("--show", min=0, help="Print N stimuli, drawn at random.")] = 0,
    seed: Seed = 0,
    limit: Limit = None,
    skip_bad: SkipBad = False,
    json: Json = False,
) -> None:
    """Turn inference pairs into stimuli: ENTQ, to which yes fits, and CNTQ, to which no fits.

    Every pair that is left out is counted under the first rule that applies.

    Example: dialeval nbest stimuli multinli.jsonl -o stimuli.jsonl --genre telephone
    """
    from collections import Counter

    from dialeval.data import SideFile, refuse
    from dialeval.data.writing import write
    from dialeval.nbest.document import StimuliSummary
    from dialeval.nbest.folder import write_stimuli
    from dialeval.nbest.stimuli.building import build_stimuli
    from dialeval.nbest.stimuli.pairs import read_pairs
    from dialeval.nbest.stimuli.sentence import default_tagger

    if out is None and training is None and not show:
        raise typer.BadParameter("give -o, --training or --show, otherwise nothing is written")
    side = SideFile(Path(f"{file}.bad.jsonl")) if skip_bad else None
    pairs = list(islice(read_pairs(file, side or refuse), limit))
    wanted = [pair for pair in pairs if genre is None or pair.genre == genre]
    tagger = default_tagger()
    built = build_stimuli(wanted, tagger, hold_back=training is not None)
    other = Counter({"genre: another": len(pairs) - len(wanted)}) if genre else Counter()
    summary = StimuliSummary(
        pairs=len(pairs),
        stimuli=Counter(stimulus.kind for stimulus in built.stimuli),
        excluded=+(other + built.excluded),
        training=len(built.training),
        bad_lines=side.count if side else 0,
        numbered=sum(pair.numbered for pair in wanted),
        tagger=tagger.name,
    )
    if out is not None:
        write_stimuli(out, built.stimuli)
    if training is not None:
        write(training, built.training)
    if not json:
        _print_some(built.stimuli, show, seed)
    _print_summary(summary, sys.stderr if show else sys.stdout, json=json)
    if side is not None and (message := side.message()):
        print(message, file=sys.stderr)


def _print_summary(summary: StimuliSummary, stream: TextIO, *, json: bool) -> None:
    from dialeval.files.documents import as_json
    from dialeval.nbest.report.tables import summary_lines

    if json:
        print(jsonlib.dumps(as_json(summary), ensure_ascii=False))
    else:
        print("\n".join(summary_lines(summary)), file=stream)


def _print_some(stimuli: Sequence[Stimulus], show: int, seed: int) -> None:
    import random

    some = random.Random(seed).sample(list(stimuli), min(show, len(stimuli)))
    for number, stimulus in enumerate(some, start=1):
        history, message = (turn.text for turn in stimulus.context)
        print(f"{number}. {stimulus.kind} ({stimulus.expected})\n   {history}\n   {message}")
