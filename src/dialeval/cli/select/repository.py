"""A repository that was built, as ``dialeval select`` uses it again: alone, as it is, less what is to be left out."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

if TYPE_CHECKING:
    from dialeval.selection.repository.repository import Repository
    from dialeval.selection.repository.utterances import Corpus, Excluded

_OPTIONS = ("min_words", "max_words", "ended", "vectors", "words", "encoder")
"""What a repository is built with, and cannot be changed afterwards."""


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
            f"excluded, which leaves {left:,}; needed are {m} false candidates. Give another repository, or ask for "
            "fewer with --m."
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
