"""``dialeval select label``: why false candidates are false, by people or by a program's first guess."""

from __future__ import annotations

import json as jsonlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dialeval.cli.options import Json, Seed
from dialeval.cli.select.files import (
    Format,
    Key,
    Out,
    Questions,
    Scores,
    read_questions,
    read_scores,
    warn_of_faults,
)

if TYPE_CHECKING:
    from dialeval.annotation.answers import Unusable
    from dialeval.data import Question


def label(
    questions: Questions,
    out: Out,
    scores: Scores = None,
    key: Key = None,
    form: Annotated[
        Literal["error_class", "mistake"], typer.Option("--form", help="What raters were asked.")
    ] = "error_class",
    at_least: Annotated[int, typer.Option("--at-least", min=1, help="Raters who must agree.")] = 2,
    guess: Annotated[
        bool,
        typer.Option("--guess", help="Without raters: guess wrong subjects and tenses by their grammar."),
    ] = False,
    format: Format = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Say what is wrong with each false candidate, so that errors can be counted by kind.

    Writes questions.jsonl with the labels and, of raters' answers, labelling.json, which says what became of each. From
    error classes it also writes consistency.jsonl, the two-candidate questions of 'selection_consistency'. A guess ends
    in '?'.

    Example: dialeval select label questions.jsonl --scores classes.csv --key key.jsonl -o labelled

    Example: dialeval select label questions.jsonl --guess -o labelled
    """
    if guess == bool(scores):
        raise typer.BadParameter("give either --scores or --guess", param_hint="--scores")
    if guess and key is not None:
        raise typer.BadParameter("it goes with --scores; leave one of them out", param_hint="--key")
    asked = read_questions(questions, format)
    warn_of_faults(asked, unvetted=True)
    if guess:
        from dialeval.selection.labelling.mistakes import guess_mistakes

        _finish(guess_mistakes(asked), out, {}, (), json=json)
    else:
        _by_people(asked, scores or [], key, form, at_least, seed, out, json=json)


def _by_people(
    asked: list[Question],
    scores: list[Path],
    key: Path | None,
    form: Literal["error_class", "mistake"],
    at_least: int,
    seed: int,
    out: Path,
    *,
    json: bool,
) -> None:
    from dialeval.cli.select.vet import form_named
    from dialeval.files.documents import as_json
    from dialeval.selection.labelling.labelling import (
        consistency_subset,
        labelling_record,
        settle_labels,
        write_labelling,
    )

    read = read_scores(scores, key, asked, form_named(form))
    facts: dict[str, int] = {}
    pairs: tuple[Question, ...] = ()
    if form == "error_class":
        subset = consistency_subset(
            asked, read.judgements, at_least=at_least, seed=seed, unusable=read.unusable
        )
        pairs, found = subset.questions, subset.labelled
        facts = {"consistency_questions": len(pairs), "several_truths": len(subset.several_truths)}
    else:
        found = settle_labels(
            asked, read.judgements, form=form_named(form), at_least=at_least, unusable=read.unusable
        )
    record = {**as_json(labelling_record(found, at_least=at_least)), **facts}
    write_labelling(record, pairs if form == "error_class" else None, out)
    facts |= {"undecided": len(found.undecided), "unasked": found.unasked}
    facts["labelled_before"] = found.labelled_before
    _finish(found.questions, out, facts, found.unusable, json=json)


def _finish(
    questions: Sequence[Question],
    out: Path,
    facts: dict[str, int],
    refused: Sequence[Unusable],
    *,
    json: bool,
) -> None:
    from dialeval.annotation.answers import fault_counts, faults_told
    from dialeval.data import write
    from dialeval.files.folders import check_links

    check_links(out)
    write(out / "questions.jsonl", questions)
    false = [
        candidate for question in questions for candidate in question.candidates if not candidate.correct
    ]
    labels = dict(Counter(candidate.error for candidate in false if candidate.error).most_common())
    content = {"candidates": len(false), "labels": labels, **facts, "unusable_answers": fault_counts(refused)}
    if json:
        print(jsonlib.dumps({**content, "folder": str(out)}, ensure_ascii=False))
        return
    print(f"{sum(labels.values()):,} of {len(false):,} false candidates have a label: {out}/questions.jsonl")
    for name, count in labels.items():
        print(f"  {name}: {count:,}")
    for name, count in facts.items():
        print(f"  {name.replace('_', ' ')}: {count:,}")
    for note in faults_told(refused):
        print(f"  {note}")
