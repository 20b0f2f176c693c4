"""What the verbs of ``dialeval select`` read: questions, repositories, and raters' answers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from dialeval.annotation.answers import Answers
    from dialeval.annotation.forms import Form
    from dialeval.data import Question
    from dialeval.selection.asking.trials import Utterances
    from dialeval.selection.repository.utterances import Corpus

Questions: TypeAlias = Annotated[
    str, typer.Argument(metavar="QUESTIONS", help="A file of questions, or - for standard input.")
]
Format: TypeAlias = Annotated[
    str | None, typer.Option("--from", help="The file's format (see 'dialeval data ls').")
]
Out: TypeAlias = Annotated[Path, typer.Option("--out", "-o", help="The folder to write.")]
Repository: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--repository",
        metavar="SOURCE",
        help="Utterances: a file, FORMAT:FILE, or a repository that was built. Repeatable.",
    ),
]
Scores: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option("--scores", help="What raters answered: judgements, or filled-in tasks. Repeatable."),
]
Key: TypeAlias = Annotated[
    Path | None, typer.Option("--key", help="The key.jsonl that was written with the tasks.")
]


def read_questions(file: str, format: str | None, limit: int | None = None) -> list[Question]:
    """The questions of a file, of which there must be one."""
    from dialeval.data import read
    from dialeval.selection.asking.questions import checked_questions

    return list(checked_questions(list(islice(read(file, "question", format=format), limit))))


def warn_of_faults(questions: Sequence[Question], *, unvetted: bool) -> None:
    """Say what is wrong with some of the questions and, if wanted, that nobody has vetted them."""
    from dialeval.data.choices import status_line
    from dialeval.selection.inspection.question_notes import question_notes

    if unvetted and any(question.status == "unvetted" for question in questions):
        print(status_line(questions).capitalize() + ".", file=sys.stderr)
    for note in question_notes(questions):
        print(f"warning: {note}", file=sys.stderr)


def corpus_of(text: str) -> Corpus:
    """A file of utterances as the command line names it: ``FILE``, or ``FORMAT:FILE``."""
    from dialeval.data.codec.sources import split_format
    from dialeval.selection.repository.utterances import Corpus

    path, form = split_format(text)
    return Corpus(Path(path), form)


def utterances_of(sources: Sequence[str] | None, questions: Sequence[Question]) -> tuple[Utterances, str]:
    """Where random candidates come from, and what to call it: a repository, files, or the questions themselves.

    What files hold is filtered and tidied as a repository is, where that is what the questions' own candidates look
    like.
    """
    from dialeval.cli.select.repository import built
    from dialeval.errors import Unsuitable
    from dialeval.selection.asking.trials import candidates_of, listed
    from dialeval.selection.repository.utterances import Sieve, filters_beside, texts_of

    if not sources:
        return candidates_of(questions), "the candidates of all questions"
    named, repository = ", ".join(sources), built(sources)
    if repository is not None:
        return repository, named
    own = (candidate.text for question in questions for candidate in question.candidates)
    sieve = Sieve(filters_beside(own))
    found = listed(sieve.pass_through(text for source in sources for text in texts_of(corpus_of(source))))
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in sieve.dropped.most_common()) or "none"
    if not len(found):
        raise Unsuitable(
            f"No utterance of {named} can be used as a random candidate (left out: {reasons}). Give other files."
        )
    print(f"Random candidates: {len(found):,} utterances of {named} (left out: {reasons}).", file=sys.stderr)
    return found, named


def read_scores(
    files: Sequence[Path], key: Path | None, questions: Sequence[Question], form: Form
) -> Answers:
    """What raters answered about the questions' candidates, and what of it cannot be used."""
    from dialeval.annotation.answers import Answers, check_scale, read_answers
    from dialeval.annotation.key import check_key, read_key

    entries = read_key(key) if key is not None else None
    if entries is not None:
        check_key(entries, questions, form=form)
    parts = [read_answers(file, key=entries, form=form, questions=questions) for file in files]
    answers = Answers(
        tuple(judgement for part in parts for judgement in part.judgements),
        tuple(refused for part in parts for refused in part.unusable),
    )
    check_scale(answers, form)
    return answers
