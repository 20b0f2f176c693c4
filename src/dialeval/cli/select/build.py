"""``dialeval select build``: a draft of questions from dialogues and a repository of utterances."""

from __future__ import annotations

import json as jsonlib
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dialeval.cli.options import Address, Json, Seed, engine_given
from dialeval.cli.select.files import Format, Out, Used, built, corpus_of, fresh, given_options, reuse
from dialeval.cli.workshop import keeps

if TYPE_CHECKING:
    from dialeval.data import Dialogue
    from dialeval.engine import EngineSettings
    from dialeval.selection.drafting.drafts import Draft
    from dialeval.selection.repository.repository import Engine, Repository


def build(
    context: typer.Context,
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
        typer.Option("--exclude", metavar="SOURCE", help="Exclude these utterances too. Repeatable."),
    ] = None,
    turns: Annotated[int, typer.Option("--turns", min=1, help="Turns of context.")] = 3,
    m: Annotated[int, typer.Option("--m", min=1, help="False candidates per question.")] = 10,
    vectors: Annotated[
        Literal["reranked", "contextual", "static"],
        typer.Option("--vectors", help="How word vectors are computed; see selection-build.md in docs/."),
    ] = "reranked",
    words: Annotated[
        str, typer.Option("--words", help="Static word vectors: minilm, glove, or a file.")
    ] = "minilm",
    encoder: Annotated[
        str, typer.Option("--encoder", help="The encoder in context: minilm, or a folder.")
    ] = "minilm",
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            metavar="ENGINE",
            help="local; milvus, where the repository is searched; or ray, where vectors are computed.",
        ),
    ] = "local",
    address: Address = None,
    uri: Annotated[
        str | None, typer.Option("--uri", help="Milvus: a server's address, or a file for milvus-lite.")
    ] = None,
    token: Annotated[
        str,
        typer.Option(
            "--token", envvar="MILVUS_TOKEN", help="Token of the Milvus server.", show_default=False
        ),
    ] = "",
    min_words: Annotated[int, typer.Option("--min-words", min=1, help="Fewest words of an utterance.")] = 3,
    max_words: Annotated[int, typer.Option("--max-words", min=1, help="Most words of an utterance.")] = 40,
    ended: Annotated[
        bool, typer.Option("--ended/--unended", help="Only utterances that end with punctuation, or any.")
    ] = True,
    seed: Seed = 0,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help="Stop at N questions; dialogues are tried in random order."),
    ] = None,
    json: Json = False,
) -> None:
    """Draft questions: what people said next, hidden among similar utterances. No person has checked them yet.

    The dialogues' own utterances never become false candidates. Interrupted? The same command resumes. Writes
    draft.jsonl, left_out.jsonl, retrieved.jsonl and repository/.

    Example: dialeval select build dialogues.jsonl --repository films.jsonl -o draft

    Example: dialeval select build a.jsonl --repository text:lines.txt --m 5 --limit 200 -o draft

    Example: dialeval select build a.jsonl --repository b.jsonl --vectors contextual --engine ray -o draft
    """
    from dialeval.engine.progress import RichProgress
    from dialeval.selection.drafting.drafts import build_draft, write_draft
    from dialeval.selection.repository.repository import build_repository
    from dialeval.selection.repository.utterances import Filters

    settings = _settings(engine, address, uri)
    given = given_options(context)
    keeps("What is finished of the repository is kept: the same command resumes from there.")
    corpus = _dialogues(dialogues, format)
    with settings.executor(1) as executor, RichProgress("repository") as progress:
        own = [] if dialogues == "-" else [f"{format}:{dialogues}" if format else dialogues]
        apart = [corpus_of(source) for source in (*own, *(exclude or ()))]
        before = built(repository)
        used = (
            reuse(before, apart, given, m=m)
            if before is not None
            else fresh(
                build_repository(
                    map(corpus_of, repository),
                    out / "repository",
                    exclude=apart,
                    filters=Filters(min_words, max_words, ended=ended),
                    vectors=vectors,
                    words=words,
                    encoder=encoder,
                    progress=progress,
                    executor=executor,
                )
            )
        )
    with (
        _engine(used.repository, uri, token) as searched,
        RichProgress("questions", limit or len(corpus)) as bar,
    ):
        draft = build_draft(
            corpus,
            used.repository,
            turns=turns,
            m=m,
            seed=seed,
            limit=limit,
            exclude=used.excluded,
            engine=searched,
            progress=bar,
        )
    _refuse_empty(draft, len(corpus))
    write_draft(draft, out)
    _say(draft, used, out, json=json)


def _dialogues(file: str, format: str | None) -> list[Dialogue]:
    """The dialogues of a file; what it lacks is told all at once."""
    from dialeval.data import read
    from dialeval.errors import BadInput

    try:
        return list(read(file, "dialogue", format=format))
    except BadInput as error:
        if error.field in ("id", "messages"):
            error.expected = "dialogues with 'id' and 'messages'"
            error.todo += (
                ' A dialogue is a line such as {"id": "d1", "messages": [{"role": "user", "content": "Hi."}, ...]}; '
                "or name the file's format with --from ('dialeval data ls')."
            )
        raise


def _settings(engine: str, address: str | None, uri: str | None) -> EngineSettings:
    """Where vectors are computed; a usage error where the options do not go together."""
    from dialeval.engine import EngineSettings

    searched = engine in ("local", "milvus")
    settings = None if searched else engine_given(engine, address)
    if searched and address is not None:
        raise typer.BadParameter("used with --engine ray only", param_hint="--address")
    if (engine == "milvus" and uri is None) or (engine == "local" and uri is not None):
        wrong = "needed with --engine milvus" if uri is None else "used with --engine milvus or ray only"
        raise typer.BadParameter(wrong, param_hint="--uri")
    return settings or EngineSettings()


@contextmanager
def _engine(repository: Repository, uri: str | None, token: str) -> Iterator[Engine | None]:
    if uri is None:
        yield None
        return
    from dialeval.selection.repository.milvus import milvus_engine

    with milvus_engine(repository, uri, token=token) as searches:
        yield searches


def _refuse_empty(draft: Draft, dialogues: int) -> None:
    from dialeval.errors import Unsuitable

    if not draft.questions:
        why = f" (first: {draft.left_out[0].item}: {draft.left_out[0].reason})" if draft.left_out else ""
        raise Unsuitable(
            f"No dialogue of {dialogues} gave a question{why}. Give longer dialogues, a larger repository, or ask "
            "for fewer candidates with --m."
        )


def _say(draft: Draft, used: Used, out: Path, *, json: bool) -> None:
    repository = used.repository
    reasons = Counter(left_out.reason for left_out in draft.left_out)
    places = Counter(hit.id for hits in draft.retrieved.values() for hit in hits)
    _warn_of_repeats(places)
    if json:
        content = {
            "questions": len(draft.questions),
            "left_out": dict(reasons.most_common()),
            "untried": draft.untried,
            "utterances": len(repository),
            "passed_over": used.passed_over,
            "different_false": len(places),
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


def _warn_of_repeats(places: Counter[int]) -> None:
    """Say so where the repository is so small that the same utterances come again and again."""
    if 2 * len(places) < places.total():
        print(
            f"warning: the false candidates are only {len(places):,} different utterances at {places.total():,} "
            f"places; one stands in {max(places.values()):,} questions. Add files to the repository.",
            file=sys.stderr,
        )
