"""``dialeval select build``: a draft of questions from dialogues and a repository of utterances."""

from __future__ import annotations

import dataclasses
import json as jsonlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dialeval.cli.options import Json, Limit, Seed
from dialeval.cli.select_files import Format, Out, corpus_of

if TYPE_CHECKING:
    from dialeval.selection.building import Draft
    from dialeval.selection.repository import Engine, Repository


def build(
    dialogues: Annotated[
        str, typer.Argument(metavar="DIALOGUES", help="The file whose dialogues become questions.")
    ],
    repository: Annotated[
        list[str],
        typer.Option(
            "--repository",
            metavar="SOURCE",
            help="Where false candidates come from: files, FORMAT:FILE, or one repository that was built. "
            "Repeatable.",
        ),
    ],
    out: Out,
    format: Format = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option("--exclude", metavar="SOURCE", help="Keep these utterances out, too. Repeatable."),
    ] = None,
    turns: Annotated[int, typer.Option("--turns", min=1, help="Turns of the context.")] = 3,
    m: Annotated[int, typer.Option("--m", min=1, help="False candidates per question.")] = 10,
    vectors: Annotated[
        Literal["reranked", "contextual", "static"],
        typer.Option("--vectors", help="How words' vectors are made; see docs/selection-build.md."),
    ] = "reranked",
    words: Annotated[
        str, typer.Option("--words", help="Static word vectors: minilm, glove, or a file.")
    ] = "minilm",
    encoder: Annotated[
        str, typer.Option("--encoder", help="The encoder in context: minilm, or a folder.")
    ] = "minilm",
    engine: Annotated[
        Literal["local", "milvus"], typer.Option("--engine", help="Where the repository is searched.")
    ] = "local",
    uri: Annotated[
        str | None, typer.Option("--uri", help="Milvus: a server's address, or a file for milvus-lite.")
    ] = None,
    token: Annotated[
        str, typer.Option("--token", envvar="MILVUS_TOKEN", help="Of the Milvus server.", show_default=False)
    ] = "",
    min_words: Annotated[int, typer.Option("--min-words", min=1, help="Of an utterance.")] = 3,
    max_words: Annotated[int, typer.Option("--max-words", min=1, help="Of an utterance.")] = 40,
    ended: Annotated[
        bool, typer.Option("--ended/--unended", help="Only utterances that end with a mark, or any.")
    ] = True,
    seed: Seed = 0,
    limit: Limit = None,
    json: Json = False,
) -> None:
    """Hide what people said next among utterances like it; nobody has looked at the result yet.

    The dialogues' own utterances never get into the repository. Interrupted? The same command goes on. Writes
    draft.jsonl, left_out.jsonl, retrieved.jsonl and repository/.

    Example: dialeval select build dialogues.jsonl --repository films.jsonl -o draft

    Example: dialeval select build a.jsonl --repository text:lines.txt --m 5 --limit 200 -o draft
    """
    from dialeval.data import read, write
    from dialeval.engine.progress import RichProgress
    from dialeval.errors import Unsuitable
    from dialeval.selection.building import build_draft
    from dialeval.selection.json_lines import write_json_lines
    from dialeval.selection.repository import build_repository
    from dialeval.selection.utterances import Filters

    if engine == "milvus" and uri is None:
        raise typer.BadParameter("needed with --engine milvus", param_hint="--uri")
    corpus = list(read(dialogues, "dialogue", format=format))
    with RichProgress("repository") as progress:
        apart = [f"{format}:{dialogues}" if format else dialogues, *(exclude or [])]
        filters = Filters(min_words, max_words, ended=ended)
        made = partial(
            build_repository,
            filters=filters,
            vectors=vectors,
            words=words,
            encoder=encoder,
            progress=progress,
        )
        found = _repository(repository, out / "repository", apart, made)
    with (
        _engine(found, engine, uri, token) as searched,
        RichProgress("questions", limit or len(corpus)) as bar,
    ):
        draft = build_draft(
            corpus, found, turns=turns, m=m, seed=seed, limit=limit, engine=searched, progress=bar
        )
    if not draft.questions:
        why = f" (first: {draft.left_out[0].item}: {draft.left_out[0].reason})" if draft.left_out else ""
        raise Unsuitable(
            f"No dialogue of {len(corpus)} gave a question{why}. Give longer dialogues, a larger repository, or ask "
            "for fewer candidates with --m."
        )
    write(out / "draft.jsonl", draft.questions)
    write_json_lines(out / "left_out.jsonl", (one._asdict() for one in draft.left_out))
    write_json_lines(out / "retrieved.jsonl", _retrieved(draft))
    _say(draft, found, out, json=json)


def _repository(
    sources: Sequence[str], folder: Path, exclude: Sequence[str], make: Callable[..., Repository]
) -> Repository:
    from dialeval.selection.repository import Repository

    if len(sources) == 1 and (Path(sources[0]) / "repository.json").is_file():
        print(f"The repository {sources[0]} is used as it was built.", file=sys.stderr)
        return Repository.open(Path(sources[0]))
    return make(map(corpus_of, sources), folder, exclude=map(corpus_of, exclude))


@contextmanager
def _engine(
    repository: Repository, engine: Literal["local", "milvus"], uri: str | None, token: str
) -> Iterator[Engine | None]:
    if engine == "local" or uri is None:
        yield None
        return
    from dialeval.selection.milvus import milvus_engine

    with milvus_engine(repository, uri, token=token) as found:
        yield found


def _retrieved(draft: Draft) -> Iterator[dict[str, object]]:
    for item, found in draft.retrieved.items():
        yield {"id": item, "retrieved": [dataclasses.asdict(one) for one in found]}


def _say(draft: Draft, repository: Repository, out: Path, *, json: bool) -> None:
    from collections import Counter

    reasons = Counter(one.reason for one in draft.left_out)
    if json:
        content = {
            "questions": len(draft.questions),
            "left_out": dict(reasons.most_common()),
            "untried": draft.untried,
            "utterances": len(repository),
            "dropped": dict(repository.facts.dropped),
            "status": "unvetted",
            "folder": str(out),
        }
        print(jsonlib.dumps(content, ensure_ascii=False))
        return
    print(
        f"{len(draft.questions):,} questions from {len(repository):,} utterances, unvetted: {out}/draft.jsonl"
    )
    for reason, count in reasons.most_common(6):
        print(f"  left out: {count:,} for: {reason}")
    print(f"Next: dialeval select tasks {out}/draft.jsonl -o {out}/tasks")
