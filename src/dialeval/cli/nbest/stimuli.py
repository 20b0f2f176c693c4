"""``dialeval nbest stimuli``: histories and polar questions from pairs of natural language inference."""

from __future__ import annotations

import json as jsonlib
import random
import sys
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

from dialeval.cli.options import Json, Limit, Seed, SkipBad
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.data import SideFile, refuse
from dialeval.data.writer import write
from dialeval.display.wording import count
from dialeval.files.documents import as_json
from dialeval.nbest.document import StimuliSummary
from dialeval.nbest.folder import write_stimuli
from dialeval.nbest.stimuli.building import build_stimuli
from dialeval.nbest.stimuli.pairs import read_pairs
from dialeval.nbest.stimuli.sentence import default_tagger
from dialeval.options import Argument, Option

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dialeval.nbest.document import Stimulus


def stimuli(
    file: Annotated[str, Argument(metavar="FILE", help="Pairs: premise, hypothesis, label; - for stdin.")],
    out: Annotated[Path | None, Option("--out", "-o", help="Write the stimuli here, a line each.")] = None,
    training: Annotated[
        Path | None,
        Option(
            "--training",
            help="Write questions for unlikelihood training here, of premises with an entailed and a contradicted "
            "hypothesis, which are then not tested.",
        ),
    ] = None,
    genre: Annotated[
        str | None, Option("--genre", help="Only pairs of this genre, such as telephone.")
    ] = None,
    show: Annotated[int, Option("--show", min=0, help="Print N stimuli, drawn at random.")] = 0,
    seed: Seed = 0,
    limit: Limit = None,
    skip_bad: SkipBad = False,
    json: Json = False,
) -> None:
    """Turn inference pairs into stimuli: ENTQ, to which yes fits, and CNTQ, to which no fits.

    Every pair that is left out is counted under the first rule that applies.

    Example: dialeval nbest stimuli multinli.jsonl -o stimuli.jsonl --genre telephone
    """
    if out is None and training is None and not show:
        raise BadUsage("give -o, --training or --show, otherwise nothing is written")
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
    if json:
        print(jsonlib.dumps(as_json(summary), ensure_ascii=False))
    else:
        print("\n".join(_lines(summary)), file=stream)


def _lines(summary: StimuliSummary) -> Iterator[str]:
    """Yield what became of the pairs, for people."""
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in summary.stimuli.items())
    yield f"{count(summary.pairs, 'pair')} -> {kinds or 'no stimuli'} (tags by {summary.tagger})"
    if summary.training:
        yield f"{count(summary.training, 'question')} for unlikelihood training"
    for rule, number in sorted(summary.excluded.items(), key=lambda each: -each[1]):
        yield f"  left out, {rule}: {number:,}"
    if summary.numbered:
        yield f"  labels that are numbers, read as 0 entailment, 1 neutral, 2 contradiction: {summary.numbered:,}"
    if summary.bad_lines:
        yield f"  bad lines: {summary.bad_lines:,}"


def _print_some(stimuli: Sequence[Stimulus], show: int, seed: int) -> None:
    some = random.Random(seed).sample(list(stimuli), min(show, len(stimuli)))
    for number, stimulus in enumerate(some, start=1):
        history, message = (turn.text for turn in stimulus.context)
        print(f"{number}. {stimulus.kind} ({stimulus.expected})\n   {history}\n   {message}")
