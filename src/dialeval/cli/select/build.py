"""``dialeval select build``: a draft of questions from dialogues and a repository of utterances."""

from __future__ import annotations

import json as jsonlib
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from dialeval.cli.interruption import keeps
from dialeval.cli.options import Address, Json, Seed, engine_given
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.cli.select.files import Format, Out, Used, fresh, reuse
from dialeval.data import read
from dialeval.engine import EngineSettings
from dialeval.engine.progress import RichProgress
from dialeval.errors import BadInput, Unsuitable
from dialeval.options import Argument, Option, Options
from dialeval.selection.drafting.drafts import build_draft, write_draft
from dialeval.selection.repository.milvus import milvus_engine
from dialeval.selection.repository.repository import build_repository, built_repository
from dialeval.selection.repository.utterances import Filters, corpus_of

if TYPE_CHECKING:
    from dialeval.data import Dialogue
    from dialeval.selection.drafting.drafts import Draft
    from dialeval.selection.repository.repository import Engine, Repository

BUILDING: Final[dict[str, Any]] = {
    "vectors": "reranked",
    "words": "minilm",
    "encoder": "minilm",
    "min_words": 3,
    "max_words": 40,
    "ended": True,
}
"""Defaults of `Building`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Building:
    """Options of a repository, which cannot be changed once it is built; None if not given."""

    min_words: Annotated[int | None, Option(min=1, show_default=str(BUILDING["min_words"]))] = None
    """Fewest words of an utterance."""
    max_words: Annotated[int | None, Option(min=1, show_default=str(BUILDING["max_words"]))] = None
    """Most words of an utterance."""
    ended: Annotated[bool | None, Option("--ended/--unended", show_default="--ended")] = None
    """Only utterances that end with punctuation, or any."""
    vectors: Annotated[
        Literal["reranked", "contextual", "static"] | None, Option(show_default=BUILDING["vectors"])
    ] = None
    """How word vectors are computed; see selection-build.md in docs/."""
    words: Annotated[str | None, Option(show_default=BUILDING["words"])] = None
    """Static word vectors: minilm, glove, or a file."""
    encoder: Annotated[str | None, Option(show_default=BUILDING["encoder"])] = None
    """The encoder in context: minilm, or a folder."""

    @property
    def given(self) -> dict[str, Any]:
        """The options that are given, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def build(
    dialogues: Annotated[
        str, Argument(metavar="DIALOGUES", help="The file whose dialogues become questions.")
    ],
    repository: Annotated[
        list[str],
        Option(
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
        Option("--exclude", metavar="SOURCE", help="Exclude these utterances too. Repeatable."),
    ] = None,
    turns: Annotated[int, Option("--turns", min=1, help="Turns of context.")] = 3,
    m: Annotated[int, Option("--m", min=1, help="False candidates per question.")] = 10,
    building: Annotated[
        Building, Options("vectors", "words", "encoder", "min_words", "max_words", "ended")
    ] = Building(),
    engine: Annotated[
        str,
        Option(
            "--engine",
            metavar="ENGINE",
            help="local; milvus, where the repository is searched; or ray, where vectors are computed.",
        ),
    ] = "local",
    address: Address = None,
    uri: Annotated[
        str | None, Option("--uri", help="Milvus: a server's address, or a file for milvus-lite.")
    ] = None,
    token: Annotated[
        str,
        Option("--token", help="Token of the Milvus server.", show_default="$MILVUS_TOKEN"),
    ] = "",
    seed: Seed = 0,
    limit: Annotated[
        int | None,
        Option("--limit", min=1, help="Stop at N questions; dialogues are tried in random order."),
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
    settings = _settings(engine, address, uri)
    chosen = {**BUILDING, **building.given}
    keeps("What is finished of the repository is kept: the same command resumes from there.")
    corpus = _dialogues(dialogues, format)
    with settings.executor(1) as executor, RichProgress("repository") as progress:
        own = [] if dialogues == "-" else [f"{format}:{dialogues}" if format else dialogues]
        apart = [corpus_of(source) for source in (*own, *(exclude or ()))]
        before = built_repository(repository)
        used = (
            reuse(before, apart, building.given, m=m)
            if before is not None
            else fresh(
                build_repository(
                    map(corpus_of, repository),
                    out / "repository",
                    exclude=apart,
                    filters=Filters(chosen["min_words"], chosen["max_words"], ended=chosen["ended"]),
                    vectors=chosen["vectors"],
                    words=chosen["words"],
                    encoder=chosen["encoder"],
                    progress=progress,
                    executor=executor,
                )
            )
        )
    with (
        _engine(used.repository, uri, token or os.environ.get("MILVUS_TOKEN", "")) as searched,
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
    """Return the engine that computes vectors; a usage error if the options do not go together."""
    searched = engine in ("local", "milvus")
    settings = None if searched else engine_given(engine, address)
    if searched and address is not None:
        raise BadUsage("used with --engine ray only", where="--address")
    if (engine == "milvus" and uri is None) or (engine == "local" and uri is not None):
        wrong = "needed with --engine milvus" if uri is None else "used with --engine milvus or ray only"
        raise BadUsage(wrong, where="--uri")
    return settings or EngineSettings()


@contextmanager
def _engine(repository: Repository, uri: str | None, token: str) -> Iterator[Engine | None]:
    if uri is None:
        yield None
        return

    with milvus_engine(repository, uri, token=token) as searches:
        yield searches


def _refuse_empty(draft: Draft, dialogues: int) -> None:
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
    """Warn if the repository is so small that the same utterances come again and again."""
    if 2 * len(places) < places.total():
        print(
            f"warning: the false candidates are only {len(places):,} different utterances at {places.total():,} "
            f"places; one stands in {max(places.values()):,} questions. Add files to the repository.",
            file=sys.stderr,
        )
