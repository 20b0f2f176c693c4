"""``dialeval consistency questions``: labelled contradictions as lessons for a generator."""

from __future__ import annotations

import json as jsonlib
import sys
from pathlib import Path
from typing import Annotated

from dialeval.cli.options import Json, Seed
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.consistency.analysing.reading import read_labelled
from dialeval.consistency.labelling.lessons import hold_out, lessons_of
from dialeval.consistency.probing.probes import Probe, read_probes, write_probes
from dialeval.data import write
from dialeval.display.wording import count
from dialeval.options import Argument, Option


def questions(
    labelled: Annotated[
        list[Path], Argument(metavar="LABELLED...", help="What 'dialeval consistency label' wrote.")
    ],
    out: Annotated[Path, Option("--out", "-o", help="The file of questions to write.")],
    probes: Annotated[
        Path | None, Option("--probes", help="The probes that were answered, some of which are held out.")
    ] = None,
    test: Annotated[
        Path | None,
        Option("--test", help="Write probes of held-out dialogues here, to measure before and after."),
    ] = None,
    held_out: Annotated[
        float,
        Option("--held-out", min=0.01, max=0.99, metavar="SHARE", help="Share of the dialogues held out."),
    ] = 0.5,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Turn labelled contradictions into questions that 'dialeval train generator --unlikelihood' learns from.

    Contradictory answers to a probe are its false candidates, consistent ones its true ones, of whatever system. With
    --probes and --test, answers to probes of held-out dialogues are left out, so that these test what was learnt.

    Example: dialeval consistency questions labelled.jsonl -o questions.jsonl --probes probes.jsonl --test test.jsonl
    """
    if (probes is None) != (test is None):
        raise BadUsage("--probes and --test go together: what is held out, and where it is written")
    answers = read_labelled(labelled)
    tested: list[Probe] = []
    if probes is not None:
        answers, tested = hold_out(answers, read_probes(probes), held_out, seed)
    found = lessons_of(answers)
    write(out, found.questions)
    if test is not None:
        write_probes(test, tested)
    false = sum(not candidate.correct for question in found.questions for candidate in question.candidates)
    by_detector = sum(answer.by == "detector" for answer in answers)
    if json:
        facts = {
            "questions": len(found.questions),
            "false": false,
            "left_out": dict(found.left_out),
            "by_detector": by_detector,
            "test_probes": len(tested),
            "file": str(out),
        }
        print(jsonlib.dumps(facts, ensure_ascii=False))
        return
    print(f"{count(len(found.questions), 'question')}, {count(false, 'contradictory candidate')}: {out}")
    if test is not None:
        print(f"{count(len(tested), 'probe')} of other dialogues to test on: {test}")
    for reason, number in found.left_out.items():
        print(f"left out, {reason}: {number:,}", file=sys.stderr)
    if by_detector:
        print(
            f"{by_detector:,} answers were labelled by the detector: a generator that learns from them learns its "
            "errors, too",
            file=sys.stderr,
        )
