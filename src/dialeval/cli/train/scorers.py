"""``dialeval train selfeval`` and ``relevance``: scorers that learn from dialogues without labels."""

from __future__ import annotations

import json as jsonlib
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from dialeval.cli.options import Json, Limit, Seed
from dialeval.cli.train.settings import (
    Epochs,
    Format,
    Resume,
    check_target,
    read_corpus,
    session,
    warn_of_shortfall,
)

if TYPE_CHECKING:
    from dialeval.data import Dialogue
    from dialeval.training.loop import Fitted

Profile: TypeAlias = Literal["two_heads", "paper", "simple", "released"]
Encoder: TypeAlias = Annotated[
    str, typer.Option("--encoder", metavar="NAME|FOLDER", help="minilm, or the folder of another encoder.")
]
Rank: TypeAlias = Annotated[
    int, typer.Option("--rank", min=0, help="Of low-rank changes (LoRA); 0 to train all weights.")
]
Minutes: TypeAlias = Annotated[
    float | None, typer.Option(min=0, help="Stop after this long, all sessions counted.")
]
Corpus: TypeAlias = Annotated[str, typer.Argument(metavar="DIALOGUES", help="Dialogues, or - for stdin.")]
Out: TypeAlias = Annotated[Path, typer.Option("--out", "-o", help="The model's folder.")]
Rate: TypeAlias = Annotated[float | None, typer.Option("--learning-rate", help="Of Adam.")]
Precision: TypeAlias = Annotated[
    Literal["float32", "bfloat16"], typer.Option(help="Of the encoder's products while training.")
]


def selfeval(
    dialogues: Corpus,
    out: Out,
    profile: Annotated[Profile, typer.Option(help="The model and what it learns from.")] = "two_heads",
    loss: Annotated[
        Literal["mlr", "bce", "ranking"] | None,
        typer.Option(help="Of replaced turns; bce is the paper's ablation -mlr.", show_default="by profile"),
    ] = None,
    drop: Annotated[
        bool, typer.Option("--drop/--no-drop", help="R-drop in the second half of the epochs.")
    ] = True,
    encoder: Encoder = "minilm",
    rank: Rank = 16,
    epochs: Epochs = None,
    minutes: Minutes = None,
    learning_rate: Rate = None,
    precision: Precision = "float32",
    held_out: Annotated[int, typer.Option(min=0, help="Dialogues to measure by.")] = 100,
    labels: Annotated[
        Path | None, typer.Option(metavar="RATINGS", help="Learn from people's ratings of these dialogues.")
    ] = None,
    start_from: Annotated[
        str, typer.Option(metavar="MODEL", help="With --labels: the folder of a trained one.")
    ] = "embedded",
    format: Format = None,
    seed: Seed = 0,
    limit: Limit = None,
    resume: Resume = True,
    json: Json = False,
) -> None:
    """Train SelF-Eval, a scorer of turns and whole dialogues; no labels needed.

    With --labels it is fine-tuned on ratings instead, and kept near what it was.

    Example: dialeval train selfeval logs.jsonl -o my-scorer --minutes 60
    """
    from dialeval.resources.huggingface import require_torch

    require_torch("SelF-Eval", "safetensors")
    from dialeval.selfeval.config import PROFILES
    from dialeval.selfeval.folder import write_card
    from dialeval.selfeval.spoiling import material_of
    from dialeval.selfeval.training import train_selfeval
    from dialeval.training.finetuning import Finetuning

    check_target(out)
    if labels is not None:
        _from_labels(dialogues, format, labels, start_from, out, seed, resume, json)
        return
    given, digest = _dialogues(dialogues, format, limit)
    base = PROFILES[profile]
    schedule = replace(
        base.schedule,
        epochs=epochs or base.schedule.epochs,
        learning_rate=learning_rate or base.schedule.learning_rate,
        seed=seed,
    )
    config = replace(base, loss=loss or base.loss, drop=drop and base.drop, schedule=schedule)
    held = min(held_out, len(given) // 10)
    material, judged = material_of(given[held:]), material_of(given[:held])
    print(f"{len(material.dialogues)} dialogues of four turns or more, {held} held out", file=sys.stderr)
    finetuning = Finetuning(encoder=encoder, rank=rank or None, longest=192, fit="last", precision=precision)
    with session(
        out.name, len(material.dialogues) * schedule.epochs, resume=resume, minutes=minutes
    ) as started:
        done = train_selfeval(material, judged, config, finetuning, out, digest=digest, session=started)
    about = f"SelF-Eval, profile {profile}. Use: `dialeval score FILE -m \"selfeval(model='{out}')\"`."
    write_card(out, "selfeval", about, _said(dialogues, given, digest), {"seed": seed, "rank": rank}, done)
    _print(out, "selfeval", done, json)


def relevance(
    dialogues: Corpus,
    out: Out,
    encoder: Encoder = "minilm",
    rank: Rank = 16,
    epochs: Epochs = None,
    minutes: Minutes = None,
    learning_rate: Rate = None,
    precision: Precision = "float32",
    held_out: Annotated[int, typer.Option(min=0, help="Dialogues to measure by.")] = 200,
    format: Format = None,
    seed: Seed = 0,
    limit: Limit = None,
    resume: Resume = True,
    json: Json = False,
) -> None:
    """Train a scorer of relevance, which learns what is said next; no labels needed.

    Example: dialeval train relevance logs.jsonl -o my-relevance --minutes 60
    """
    from dialeval.resources.huggingface import require_torch

    require_torch("Scorers of relevance", "safetensors")
    from dialeval.selfeval.folder import write_card
    from dialeval.selfeval.relevance.lessons import pairs_of
    from dialeval.selfeval.relevance.training import RelevanceConfig, train_relevance

    check_target(out)
    given, digest = _dialogues(dialogues, format, limit)
    base = RelevanceConfig()
    config = replace(
        base,
        finetuning=replace(base.finetuning, encoder=encoder, rank=rank or None, precision=precision),
        schedule=replace(
            base.schedule,
            epochs=epochs or base.schedule.epochs,
            learning_rate=learning_rate or base.schedule.learning_rate,
            seed=seed,
        ),
    )
    held = min(held_out, len(given) // 10)
    pairs, judged = pairs_of(given[held:], seed=seed), pairs_of(given[:held], seed=seed)
    print(f"{len(pairs)} turns with a context, {len(judged)} held out", file=sys.stderr)
    total = len(pairs) * config.schedule.epochs
    with session(out.name, total, resume=resume, minutes=minutes) as started:
        done = train_relevance(pairs, judged, config, out, digest=digest, session=started)
    about = f"Relevance, a bi-encoder. Use: `dialeval score FILE -m \"relevance(model='{out}')\"`."
    write_card(out, "relevance", about, _said(dialogues, given, digest), {"seed": seed, "rank": rank}, done)
    _print(out, "relevance", done, json)


def _dialogues(path: str, format: str | None, limit: int | None) -> tuple[list[Dialogue], str]:
    from dialeval.data import Dialogue
    from dialeval.data.codec.encode import digest
    from dialeval.errors import Unsuitable

    given = list(islice(read_corpus(path, format, (Dialogue,), "dialogues", kind="dialogue"), limit))
    if len(given) < 2:
        raise Unsuitable(f"{path} holds {len(given)} dialogues; expected at least 2. Give more dialogues.")
    return given, digest(given)


def _said(path: str, given: list[Dialogue], digest: str) -> str:
    return f"Trained on {len(given):,} dialogues of `{Path(path).name}` (sha256 {digest[:16]}...), without labels."


def _from_labels(
    path: str,
    format: str | None,
    labels: Path,
    start: str,
    out: Path,
    seed: int,
    resume: bool,
    json: bool,
) -> None:
    from dialeval.data import read
    from dialeval.data.reading import read_guessing
    from dialeval.selfeval.labels import rated_subjects, train_on_labels

    subjects = rated_subjects(read_guessing(path, format=format).records, read(labels, "judgement"))
    print(f"{len(subjects)} rated subjects", file=sys.stderr)
    with session(out.name, 0, resume=resume) as started:
        done = train_on_labels(subjects, start, out, seed=seed, session=started)
    _print(out, "selfeval", done, json)


def _print(out: Path, kind: str, done: Fitted, json: bool) -> None:
    warn_of_shortfall(done.shortfall)
    measured = dict(done.best.held_out or done.best.train)
    if json:
        print(jsonlib.dumps({"folder": str(out), "updates": done.best.updates, "measured": measured}))
        return
    numbers = ", ".join(f"{name} {value:.3f}" for name, value in measured.items())
    print(f"best after {done.best.updates} updates: {numbers}")
    print(f"Model: {out}\nScore with it: dialeval score FILE -m \"{kind}(model='{out}')\"")
