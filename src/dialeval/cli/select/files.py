"""Inputs of the ``dialeval select`` verbs: questions, repositories built or fresh, and raters' answers."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

from dialeval.annotation.answers import Answers, check_scale, read_answers
from dialeval.annotation.items import utterances_of
from dialeval.annotation.project import read_key
from dialeval.annotation.tasks import check_key
from dialeval.data import read
from dialeval.data.choices import status_line
from dialeval.errors import Unsuitable
from dialeval.files.digests import hash_tree
from dialeval.options import Argument, Option
from dialeval.selection.asking.questions import checked_questions, question_notes
from dialeval.selection.repository.repository import Repository
from dialeval.selection.repository.sentence_vectors import ContextualVectors, StaticVectors
from dialeval.selection.repository.utterances import Corpus, Excluded, texts_of

if TYPE_CHECKING:
    from dialeval.annotation.forms import Form
    from dialeval.data import Question


Questions: TypeAlias = Annotated[
    str, Argument(metavar="QUESTIONS", help="A file of questions, or - for standard input.")
]
Format: TypeAlias = Annotated[
    str | None, Option("--from", help="The file's format (see 'dialeval data ls').")
]
Out: TypeAlias = Annotated[Path, Option("--out", "-o", help="The folder to write.")]
Sources: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "--repository",
        metavar="SOURCE",
        help="Utterances: a file, FORMAT:FILE, or a repository that was built. Repeatable.",
    ),
]
Scores: TypeAlias = Annotated[
    list[Path] | None,
    Option(
        "--scores", help="What raters answered: filled-in tasks, or the export of 'annotate'. Repeatable."
    ),
]
Key: TypeAlias = Annotated[
    Path | None,
    Option("--key", help="The key.jsonl that was written with the tasks, if they were filled in."),
]


def read_questions(file: str, format: str | None, limit: int | None = None) -> list[Question]:
    """The questions of a file, of which there must be one."""
    return list(checked_questions(list(islice(read(file, "question", format=format), limit))))


def warn_of_faults(questions: Sequence[Question], *, unvetted: bool) -> None:
    """Warn of faults of the questions and, if wanted, of unvetted ones."""
    if unvetted and any(question.status == "unvetted" for question in questions):
        print(status_line(questions).capitalize() + ".", file=sys.stderr)
    for note in question_notes(questions):
        print(f"warning: {note}", file=sys.stderr)


def read_scores(
    files: Sequence[Path], key: Path | None, questions: Sequence[Question], form: Form
) -> Answers:
    """Return raters' answers about the questions' candidates, usable and unusable ones."""
    entries = read_key(key) if key is not None else None
    utterances = utterances_of(questions)
    if entries is not None:
        check_key(entries, utterances, form=form)
    parts = [read_answers(file, key=entries, form=form, utterances=utterances) for file in files]
    answers = Answers(
        tuple(judgement for part in parts for judgement in part.judgements),
        tuple(refused for part in parts for refused in part.unusable),
    )
    check_scale(answers, form)
    return answers


class Used(NamedTuple):
    """A repository, and what of it must not be used now."""

    repository: Repository
    excluded: Excluded
    passed_over: int
    """Number of its utterances that are excluded now."""


def fresh(repository: Repository) -> Used:
    """A repository built for these very dialogues, all of which may be used."""
    return Used(repository, Excluded(), 0)


def reuse(repository: Repository, apart: Sequence[Corpus], options: Mapping[str, object], *, m: int) -> Used:
    """The repository as it is, once it is clear that it was built with these options and holds enough."""
    _check_options(repository, options)
    excluded = Excluded.of(text for corpus in apart for text in texts_of(corpus))
    known = {hash_tree(corpus.path) for corpus in apart} <= set(repository.facts.excluded.values())
    passed_over = 0 if known else sum(text in excluded for text in repository.all_texts())
    left = len(repository) - passed_over
    if passed_over and left < m:
        raise Unsuitable(
            f"{passed_over:,} of the {len(repository):,} utterances of {repository.folder} are the dialogues' own or "
            f"excluded, which leaves {left:,}; expected at least {m} false candidates. Give another repository, "
            "or ask for fewer with --m."
        )
    said = f"The repository {repository.folder} is used as it was built"
    if passed_over:
        said += (
            f", but for {passed_over:,} of its {len(repository):,} utterances: the dialogues' own or excluded"
        )
    print(f"{said}.", file=sys.stderr)
    return Used(repository, excluded, passed_over)


def _check_options(repository: Repository, options: Mapping[str, object]) -> None:
    held = dict(_built_with(repository))
    other = [name for name, value in options.items() if held.get(name) != value]
    if other:
        was = [_shown(name, held[name]) for name in other if name in held]
        raise Unsuitable(
            f"{repository.folder} was built {'with ' + ' '.join(was) if was else 'otherwise'}; found "
            f"{' '.join(_shown(name, options[name]) for name in other)}. Leave that out to use it as it is, or rebuild "
            f"it from its files ({', '.join(repository.facts.sources)})."
        )


def _built_with(repository: Repository) -> Iterator[tuple[str, object]]:
    filters = repository.facts.filters
    yield from (("min_words", filters.min_words), ("max_words", filters.max_words), ("ended", filters.ended))
    yield "vectors", repository.vectors.kind
    for vectors in (repository.vectors.encoder, repository.vectors.in_context):
        if isinstance(vectors, StaticVectors):
            yield "words", vectors.source
        elif isinstance(vectors, ContextualVectors):
            yield "encoder", vectors.model


def _shown(name: str, value: object) -> str:
    if name == "ended":
        return "--ended" if value else "--unended"
    return f"--{name.replace('_', '-')} {value}"
