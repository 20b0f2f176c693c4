"""Inputs of the ``dialeval select`` verbs: questions, repositories built or fresh, and raters' answers."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

import typer

if TYPE_CHECKING:
    from dialeval.annotation.answers import Answers
    from dialeval.annotation.forms import Form
    from dialeval.data import Question
    from dialeval.selection.asking.trials import Utterances
    from dialeval.selection.repository.repository import Repository
    from dialeval.selection.repository.utterances import Corpus, Excluded


Questions: TypeAlias = Annotated[
    str, typer.Argument(metavar="QUESTIONS", help="A file of questions, or - for standard input.")
]
Format: TypeAlias = Annotated[
    str | None, typer.Option("--from", help="The file's format (see 'dialeval data ls').")
]
Out: TypeAlias = Annotated[Path, typer.Option("--out", "-o", help="The folder to write.")]
Sources: TypeAlias = Annotated[
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
_OPTIONS = ("min_words", "max_words", "ended", "vectors", "words", "encoder")
"""What a repository is built with, and cannot be changed afterwards."""


def read_questions(file: str, format: str | None, limit: int | None = None) -> list[Question]:
    """The questions of a file, of which there must be one."""
    from dialeval.data import read
    from dialeval.selection.asking.questions import checked_questions

    return list(checked_questions(list(islice(read(file, "question", format=format), limit))))


def warn_of_faults(questions: Sequence[Question], *, unvetted: bool) -> None:
    """Say what is wrong with some of the questions and, if wanted, that nobody has vetted them."""
    from dialeval.data.choices import status_line
    from dialeval.selection.asking.questions import question_notes

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


class Used(NamedTuple):
    """A repository, and what of it must not be used now."""

    repository: Repository
    excluded: Excluded
    passed_over: int
    """How many of its utterances are excluded now."""


def built(sources: Sequence[str]) -> Repository | None:
    """The repository that was built, where the sources name one, which must then stand alone."""
    from dialeval.errors import BadInput
    from dialeval.selection.repository.repository import Repository

    folders = [source for source in sources if (Path(source) / "repository.json").is_file()]
    if not folders:
        return None
    if len(sources) > 1:
        raise BadInput(
            folders[0],
            f"a repository that was built, beside {len(sources) - 1} other --repository",
            "files only, or one built repository alone",
            "Name the files that it was built from instead; it is rebuilt with the others.",
        )
    return Repository.open(Path(folders[0]))


def given_options(context: typer.Context) -> dict[str, object]:
    """Those options by which a repository is built that stand on the command line."""
    sources = {name: context.get_parameter_source(name) for name in _OPTIONS}
    return {
        name: context.params[name]
        for name, source in sources.items()
        if source is not None and source.name == "COMMANDLINE"
    }


def fresh(repository: Repository) -> Used:
    """A repository built for these very dialogues, all of which may be used."""
    from dialeval.selection.repository.utterances import Excluded

    return Used(repository, Excluded(), 0)


def reuse(repository: Repository, apart: Sequence[Corpus], options: Mapping[str, object], *, m: int) -> Used:
    """The repository as it is, once it is clear that it was built with these options and holds enough."""
    from dialeval.errors import Unsuitable
    from dialeval.files.digests import hash_tree
    from dialeval.selection.repository.utterances import Excluded, texts_of

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
    from dialeval.errors import Unsuitable

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
    from dialeval.selection.repository.sentence_vectors import ContextualVectors, StaticVectors

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
