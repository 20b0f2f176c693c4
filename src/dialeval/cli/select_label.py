"""``dialeval select label``: why false candidates are false, by people or by a program's first guess."""

from __future__ import annotations

import json as jsonlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dialeval.cli.options import Json, Seed
from dialeval.cli.select_files import (
    Format,
    Key,
    Out,
    Questions,
    Scores,
    read_questions,
    read_scores,
)

if TYPE_CHECKING:
    from dialeval.data import Question
    from dialeval.selection.answer_problems import Problem


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
    """Say what is wrong with each false candidate, so that errors can be told apart.

    Writes questions.jsonl with the labels. From error classes it also writes consistency.jsonl, the two-candidate
    questions of 'selection_consistency'. A guess ends in '?'.

    Example: dialeval select label questions.jsonl --scores classes.csv --key key.jsonl -o labelled

    Example: dialeval select label questions.jsonl --guess -o labelled
    """
    if guess == bool(scores):
        raise typer.BadParameter("give either --scores or --guess", param_hint="--scores")
    asked = read_questions(questions, format)
    if guess:
        from dialeval.selection.mistakes import guess_mistakes

        _finish(guess_mistakes(asked), out, {}, (), json=json)
    elif form == "error_class":
        _consistency(asked, scores or [], key, at_least, seed, out, json=json)
    else:
        from dialeval.cli.select_vet import form_named
        from dialeval.selection.labelling import settle_labels

        read = read_scores(scores or [], key, asked, form_named(form))
        found = settle_labels(asked, read.judgements, form=form_named(form), at_least=at_least)
        facts = {"undecided": len(found.undecided), "unasked": found.unasked}
        _finish(found.questions, out, facts, (*read.problems, *found.problems), json=json)


def _consistency(
    asked: list[Question],
    scores: list[Path],
    key: Path | None,
    at_least: int,
    seed: int,
    out: Path,
    *,
    json: bool,
) -> None:
    from dialeval.data import write
    from dialeval.selection.consistency_subset import ERROR_CLASSES, consistency_subset

    read = read_scores(scores, key, asked, ERROR_CLASSES)
    found = consistency_subset(asked, read.judgements, at_least=at_least, seed=seed)
    if found.questions:
        write(out / "consistency.jsonl", found.questions)
    facts = {
        "consistency_questions": len(found.questions),
        "several_truths": len(found.several_truths),
        "undecided": len(found.labelled.undecided),
        "unasked": found.labelled.unasked,
    }
    problems = (*read.problems, *found.labelled.problems)
    _finish(found.labelled.questions, out, facts, problems, json=json)


def _finish(
    questions: Sequence[Question],
    out: Path,
    facts: dict[str, int],
    problems: Sequence[Problem],
    *,
    json: bool,
) -> None:
    from dialeval.data import write
    from dialeval.selection.answer_problems import faults_told

    write(out / "questions.jsonl", questions)
    false = [one for question in questions for one in question.candidates if not one.correct]
    labels = dict(Counter(one.error for one in false if one.error).most_common())
    unusable = dict(Counter(one.fault for one in problems))
    content = {"candidates": len(false), "labels": labels, **facts, "unusable_answers": unusable}
    if json:
        print(jsonlib.dumps({**content, "folder": str(out)}, ensure_ascii=False))
        return
    print(f"{sum(labels.values()):,} of {len(false):,} false candidates have a label: {out}/questions.jsonl")
    for name, count in labels.items():
        print(f"  {name}: {count:,}")
    for name, count in facts.items():
        print(f"  {name.replace('_', ' ')}: {count:,}")
    for note in faults_told(problems):
        print(f"  {note}")
