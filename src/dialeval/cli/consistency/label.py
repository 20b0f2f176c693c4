"""``dialeval consistency tasks`` and ``label``: people's labels of answers to probes."""

from __future__ import annotations

import json as jsonlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from dialeval.cli.consistency.detect import Model
from dialeval.cli.options import Json, Seed

if TYPE_CHECKING:
    from dialeval.consistency.collecting.answers import ProbeAnswer
    from dialeval.consistency.labelling.labels import Labels

Answers: TypeAlias = Annotated[
    Path, typer.Argument(metavar="ANSWERS", help="What 'dialeval consistency collect' wrote.")
]


def tasks(
    answers: Answers,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder of tasks to write.")],
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Write blind tasks for raters: does each answer contradict what its speaker said? Three raters each.

    Example: dialeval consistency tasks answers.jsonl -o tasks
    """
    from dialeval.annotation.tasks import export_tasks
    from dialeval.consistency.labelling.labels import FORM, questions_of

    written = export_tasks(questions_of(_read(answers)), out, form=FORM, seed=seed)
    if json:
        print(jsonlib.dumps({"tasks": written.tasks, "csv": str(written.csv), "key": str(written.key)}))
        return
    print(f"{written.tasks:,} tasks, for {FORM.raters} raters each: {written.csv}")
    print(f"Keep the key to yourself: {written.key}")


def label(
    answers: Answers,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of labelled answers to write.")],
    scores: Annotated[
        list[Path] | None,
        typer.Option("--scores", help="What raters answered: judgements, or filled-in tasks. Repeatable."),
    ] = None,
    by_detector: Annotated[
        bool,
        typer.Option(
            "--by-detector", help="Label by the detector where people are missing; the file says so."
        ),
    ] = False,
    model: Model = "shipped",
    key: Annotated[
        Path | None, typer.Option("--key", help="The key.jsonl that was written with the tasks.")
    ] = None,
    qualification: Annotated[
        Path | None,
        typer.Option(
            "--qualification",
            help="Judgements of 21 items, the known ones by rater 'gold': keep raters who pass.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Settle raters' answers: contradictory by two or more, consistent by all of three, ambiguous otherwise.

    The file that is written trains detectors (dialeval train contradiction) and can be analysed.

    Example: dialeval consistency label answers.jsonl --scores filled.csv --key tasks/key.jsonl -o labelled.jsonl
    """
    from dialeval.annotation.answers import read_answers as read_scores
    from dialeval.annotation.key import check_key, read_key
    from dialeval.consistency.labelling.labels import FORM, label_by_detector, qualified, questions_of, settle
    from dialeval.data import read
    from dialeval.files.documents import write_json_lines

    if by_detector == bool(scores):
        raise typer.BadParameter("give --scores of people, or --by-detector where there are none")
    given = _read(answers)
    if by_detector:
        from dialeval.consistency.detecting.detector import PairDetector

        labels = label_by_detector(given, PairDetector(model))
        write_json_lines(out, labels.answers, follow=True)
        _show(labels, out, json=json)
        return
    questions = questions_of(given)
    known = read_key(key) if key is not None else None
    if known is not None:
        check_key(known, questions, form=FORM)
    read_in = [read_scores(path, key=known, form=FORM, questions=questions) for path in scores or ()]
    judgements = [judgement for each in read_in for judgement in each.judgements]
    dropped: list[str] = []
    if qualification is not None:
        judgements, dropped = qualified(judgements, list(read(qualification, "judgement")))
    unusable = [fault for each in read_in for fault in each.unusable]
    labels = settle(given, judgements, unusable_before=unusable, dropped=dropped)
    write_json_lines(out, labels.answers, follow=True)
    _show(labels, out, json=json)


def _read(path: Path) -> list[ProbeAnswer]:
    from dialeval.consistency.folder import read_answers
    from dialeval.data.codec.sources import check
    from dialeval.errors import Unsuitable

    check(path)
    answers = [answer for _, answer in read_answers(path)]
    if not answers:
        raise Unsuitable(f"{path} holds no answer. Collect some with 'dialeval consistency collect'.")
    return answers


def _show(labels: Labels, out: Path, *, json: bool) -> None:
    from dialeval.annotation.answers import fault_counts, faults_told
    from dialeval.files.documents import finite

    kappa = labels.kappa
    if json:
        facts = {
            "labels": labels.counts,
            "kappa": finite(kappa.value),
            "kappa_reason": kappa.reason,
            "unusable_answers": fault_counts(labels.unusable),
            "dropped_raters": labels.dropped,
            "file": str(out),
        }
        print(jsonlib.dumps(facts, ensure_ascii=False))
        return
    for name, number in labels.counts.items():
        print(f"{name}: {number:,}")
    if any(answer.by == "detector" for answer in labels.answers):
        print("labelled by the detector, not by people: compare shares, do not report them", file=sys.stderr)
    else:
        print(
            f"Fleiss' kappa {kappa.value:.3f}"
            if kappa.defined
            else f"Fleiss' kappa undefined: {kappa.reason}"
        )
    for note in faults_told(labels.unusable):
        print(note, file=sys.stderr)
    if labels.dropped:
        print(f"did not pass the qualification test: {', '.join(labels.dropped)}", file=sys.stderr)
    print(f"{len(labels.answers):,} labelled answers: {out}")
