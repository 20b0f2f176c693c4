"""``dialeval select stats``: statistics of a question set, before any system is asked."""

from __future__ import annotations

import json as jsonlib
import math
import shutil
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dialeval.annotation.answers import filled_rows
from dialeval.cli.options import Json, Limit, Seed
from dialeval.cli.select.files import Format, Questions, Sources, read_questions
from dialeval.data import read
from dialeval.errors import BadInput
from dialeval.files.documents import as_json
from dialeval.options import Option
from dialeval.selection.asking.trials import utterances_of
from dialeval.selection.statistics import statistics

if TYPE_CHECKING:
    from dialeval.core import Estimate
    from dialeval.data import Judgement
    from dialeval.selection.statistics import Statistics
    from dialeval.stats import Statistic


def stats(
    questions: Questions,
    scores: Annotated[
        Path | None, Option("--scores", help="People's scores of the candidates, as judgements.")
    ] = None,
    repository: Sources = None,
    random_trials: Annotated[
        int, Option("--random-trials", min=1, metavar="T", help="Trials with random candidates.")
    ] = 100,
    format: Format = None,
    seed: Seed = 0,
    limit: Limit = None,
    json: Json = False,
) -> None:
    """Print sizes, raters' agreement, the accuracy of word overlap, and cues that give the answer away.

    Example: dialeval select stats set/questions.jsonl --scores set/scores.jsonl
    """
    asked = read_questions(questions, format, limit)
    judgements = _scores(scores) if scores is not None else None
    utterances, source = utterances_of(repository, asked) if repository else (None, "")
    if source:
        print(f"Random candidates: {source}.", file=sys.stderr)
    found = statistics(asked, judgements, utterances=utterances, trials=random_trials, seed=seed)
    if json:
        content = {**as_json(found), "warnings": list(found.warnings)}
        print(jsonlib.dumps(content, ensure_ascii=False, allow_nan=False))
        return
    width = shutil.get_terminal_size().columns
    for line in _lines(found):
        print(textwrap.fill(line, width, subsequent_indent="    "))


def _scores(path: Path) -> list[Judgement]:
    if filled_rows(path):
        expected = "judgements of the candidates"
        todo = "Give the scores.jsonl that 'dialeval select vet' makes of them."
        raise BadInput(str(path), "answers to tasks", expected, todo)
    return list(read(path, "judgement"))


def _lines(found: Statistics) -> Iterator[str]:
    yield from _sizes(found)
    yield from _shared_words(found)
    for artefact in found.artefacts:
        found_out = artefact.accuracy
        shown = f"unknown: {found_out.reason}" if found_out.value is None else _with_interval(found_out)
        yield f"without the context, by {artefact.looks_at.lower()}: {shown}"
    for warning in found.warnings:
        yield f"warning: {warning}"


def _sizes(found: Statistics) -> Iterator[str]:
    """Yield the numbers of questions and candidates, and the agreement of raters on them."""
    candidates, turns = found.candidates, found.context_turns
    yield f"questions: {found.questions:,}, of {found.contexts:,} contexts; {found.status}"
    yield f"candidates per question: {candidates.mean:.2f} ({candidates.least} to {candidates.most})"
    yield f"turns of the context: {turns.mean:.2f} ({turns.least} to {turns.most})"
    yield f"guessing gets {_number(found.chance)}"
    if found.labels:
        yield "labels: " + ", ".join(f"{label} {count:,}" for label, count in found.labels.items())
    if found.agreement is not None:
        six, two = found.agreement.six_classes, found.agreement.two_classes
        kappas = f"{_estimate(six)} in six classes, {_estimate(two)} in two"
        yield f"Fleiss' kappa of {found.agreement.scores:,} scores: {kappas}"
        for fault, count in found.agreement.faults.items():
            yield f"  {count:,} scores not used: {fault}"


def _shared_words(found: Statistics) -> Iterator[str]:
    """Yield the shares of content words in common, and the accuracy of a choice by them."""
    shared, lexical = found.shared_words, found.lexical
    yield (
        f"a word of content in common: false candidates and ground truth {_share(shared.false_with_truth)}, false "
        f"candidates and context {_share(shared.false_with_context)}, ground truth and context "
        f"{_share(shared.truth_with_context)}"
    )
    random = (
        f"none: {lexical.random.reason}" if lexical.random.value is None else _with_interval(lexical.random)
    )
    yield f"tf-idf accuracy: {_with_interval(lexical.chosen)}; with random false candidates {random}"


def _estimate(found: Statistic) -> str:
    return f"{found.value:.4f}" if found.defined else f"undefined ({found.reason})"


def _share(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.1%}"


def _number(value: float) -> str:
    return (
        "unknown (no question has both a right and a false candidate)"
        if math.isnan(value)
        else f"{value:.3f}"
    )


def _with_interval(estimate: Estimate) -> str:
    bounds = "" if estimate.bounds is None else f" [{estimate.low:.3f}, {estimate.high:.3f}]"
    return f"{_number(estimate.number)}{bounds}"
