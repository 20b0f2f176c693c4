"""``dialeval train selfeval``: a scorer that learns from dialogues without labels."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, TypeAlias

import typer

from dialeval.cli.options import Json, Limit, Seed
from dialeval.cli.train.settings import (
    Encoder,
    Epochs,
    Format,
    Minutes,
    Pace,
    Precision,
    Resume,
    check_target,
    read_corpus,
    session,
    warn_of_shortfall,
)
from dialeval.display.wording import count

if TYPE_CHECKING:
    from dialeval.data import Dialogue
    from dialeval.selfeval.learners import Learner
    from dialeval.selfeval.spoiling import Material
    from dialeval.training.loop import Fitted

Profile: TypeAlias = Literal["turnwise", "two_heads", "paper", "simple", "released"]
Rank: TypeAlias = Annotated[
    int, typer.Option("--rank", min=0, help="Rank of the low-rank changes (LoRA); 0 to train all weights.")
]
Corpus: TypeAlias = Annotated[str, typer.Argument(metavar="DIALOGUES", help="Dialogues, or - for stdin.")]
Out: TypeAlias = Annotated[Path, typer.Option("--out", "-o", help="The model's folder.")]
Rate: TypeAlias = Annotated[float | None, typer.Option("--learning-rate", help="Learning rate of Adam.")]

HeldOut: TypeAlias = Annotated[int, typer.Option(min=0, help="Dialogues held out to measure the scorer on.")]
Labels: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="RATINGS", help="Learn from people's ratings of these dialogues.")
]
StartFrom: TypeAlias = Annotated[
    str, typer.Option(metavar="MODEL", help="With --labels: the folder of a trained scorer.")
]


class _Construction(NamedTuple):
    """How replaced turns are chosen and counted, as the options say."""

    hardness: Literal["random", "topic"] = "random"
    late: float = 1.0
    curve: float = 1.0


def selfeval(
    dialogues: Corpus,
    out: Out,
    profile: Annotated[Profile, typer.Option(help="The model and what it learns from.")] = "turnwise",
    loss: Annotated[
        Literal["mlr", "bce", "ranking"] | None,
        typer.Option(
            help="Loss on replaced turns; bce is the paper's ablation -mlr.", show_default="by profile"
        ),
    ] = None,
    drop: Annotated[
        bool, typer.Option("--drop/--no-drop", help="R-drop in the second half of the epochs.")
    ] = True,
    hardness: Annotated[
        Literal["random", "topic"],
        typer.Option(help="Replace turns by random ones, or by ones near in meaning."),
    ] = "random",
    late: Annotated[
        float, typer.Option(min=0.01, help="Weight of a replaced turn relative to the one before it.")
    ] = 1.0,
    curve: Annotated[
        float, typer.Option(min=0.01, help="Exponent of the share of unreplaced turns, the reference score.")
    ] = 1.0,
    encoder: Encoder = "minilm",
    rank: Rank = 16,
    epochs: Epochs = None,
    minutes: Minutes = None,
    learning_rate: Rate = None,
    precision: Precision = "float32",
    held_out: HeldOut = 100,
    labels: Labels = None,
    start_from: StartFrom = "embedded",
    format: Format = None,
    seed: Seed = 0,
    limit: Limit = None,
    resume: Resume = True,
    json: Json = False,
) -> None:
    """Train SelF-Eval, a scorer of turns and whole dialogues; no labels needed.

    With --labels it is fine-tuned on ratings instead, and kept close to its former weights.

    Example: dialeval train selfeval logs.jsonl -o my-scorer --minutes 60
    """
    from dialeval.resources.huggingface import require_torch

    require_torch("SelF-Eval", "safetensors")
    from dialeval.selfeval.folder import write_card

    check_target(out)
    pace = Pace(epochs, minutes, learning_rate, seed, resume)
    if labels is not None:
        train_from_labels(dialogues, format, labels, start_from, out, pace, json)
        return
    given, digest = read_dialogues(dialogues, format, limit)
    material, judged = parted(dialogues, given, held_out)
    built = _Construction(hardness, late, curve)
    learner = _learner(profile, loss, drop, built, encoder, rank, precision, pace)
    total = len(material.dialogues) * learner.config.schedule.epochs
    with session(out.name, total, resume=resume, minutes=minutes) as started:
        done = learner.train(material, judged, out, digest, started)
    about = f"SelF-Eval, profile {profile}. Use: `dialeval score FILE -m \"selfeval(model='{out}')\"`."
    facts = {"profile": profile, "encoder": encoder, "seed": seed, "updates": done.best.updates}
    write_card(out, "selfeval", about, about_data(dialogues, given, digest), facts, done)
    print_trained(out, "selfeval", done, json)


class Parted(NamedTuple):
    """Dialogues to learn from, and those held out."""

    material: Material
    judged: Material


def parted(source: str, given: Sequence[Dialogue], held_out: int) -> Parted:
    """The dialogues in two parts, and a line that says how many; Unsuitable where none are left to learn from."""
    from dialeval.errors import Unsuitable
    from dialeval.selfeval.spoiling import material_of

    held = min(held_out, len(given) // 10)
    material = material_of(given[held:])
    if not material.dialogues:
        raise Unsuitable(
            f"{source}: found {count(len(given), 'dialogue')}, none of them with four turns or more; "
            "expected some to learn from. Give longer dialogues."
        )
    print(f"{len(material.dialogues)} dialogues of four turns or more, {held} held out", file=sys.stderr)
    return Parted(material, material_of(given[:held]))


def _learner(
    profile: Profile,
    loss: Literal["mlr", "bce", "ranking"] | None,
    drop: bool,
    built: _Construction,
    encoder: str,
    rank: int,
    precision: Literal["float32", "bfloat16"],
    pace: Pace,
) -> Learner:
    """What the options choose: the turnwise network, or an encoder of whole dialogues in one of its profiles."""
    from dialeval.selfeval.config import PROFILES
    from dialeval.selfeval.learners import Turnwise, WholeDialogues
    from dialeval.selfeval.turnwise.training import TurnwiseConfig
    from dialeval.training.finetuning import Finetuning

    base = TurnwiseConfig() if profile == "turnwise" else PROFILES[profile]
    schedule = pace.schedule(base.schedule)
    if isinstance(base, TurnwiseConfig):
        if built != _Construction():
            raise typer.BadParameter(
                "turnwise learns the next turn, not levels; add --profile paper",
                param_hint="--hardness, --late, --curve",
            )
        return Turnwise(replace(base, encoder=encoder, schedule=schedule))
    replacing = replace(base.replacing, **built._asdict())
    config = replace(
        base, replacing=replacing, loss=loss or base.loss, drop=drop and base.drop, schedule=schedule
    )
    tuned = Finetuning(encoder=encoder, rank=rank or None, longest=192, fit="last", precision=precision)
    return WholeDialogues(config, tuned)


def read_dialogues(path: str, format: str | None, limit: int | None) -> tuple[list[Dialogue], str]:
    """The first dialogues of a file, at least two, and their digest."""
    from dialeval.data import Dialogue
    from dialeval.data.codec.encode import digest
    from dialeval.errors import Unsuitable

    given = list(islice(read_corpus(path, format, (Dialogue,), "dialogues", kind="dialogue"), limit))
    if len(given) < 2:
        raise Unsuitable(
            f"{path} holds {count(len(given), 'dialogue')}; expected at least 2. Give more dialogues."
        )
    return given, digest(given)


def about_data(path: str, given: list[Dialogue], digest: str) -> str:
    """What a model card says of the data."""
    return f"Trained on {len(given):,} dialogues of `{Path(path).name}` (sha256 {digest[:16]}...), without labels."


def train_from_labels(
    path: str,
    format: str | None,
    labels: Path,
    start: str,
    out: Path,
    pace: Pace,
    json: bool,
    *,
    kind: Literal["selfeval", "quantidce"] = "selfeval",
) -> None:
    """Fine-tune the scorer of that kind on people's ratings of the file's subjects."""
    from dialeval.data import read
    from dialeval.data.reading import read_guessing
    from dialeval.selfeval.folder import write_card
    from dialeval.selfeval.labels import SCHEDULE, rated_subjects, train_on_labels

    subjects = rated_subjects(read_guessing(path, format=format).records, read(labels, "judgement"))
    print(f"{len(subjects)} rated subjects", file=sys.stderr)
    schedule = pace.schedule(SCHEDULE)
    total = (len(subjects) - len(subjects) // 5) * schedule.epochs
    with session(out.name, total, resume=pace.resume, minutes=pace.minutes) as started:
        done = train_on_labels(subjects, start, out, kind=kind, schedule=schedule, session=started)
    about = f"The scorer `{start}` fine-tuned on ratings. Use: `dialeval score FILE -m \"{kind}(model='{out}')\"`."
    data = f"Fine-tuned on ratings of {len(subjects):,} subjects of `{Path(path).name}`, a fifth of them held out."
    write_card(
        out, kind, about, data, {"started from": start, "seed": pace.seed, "updates": done.best.updates}, done
    )
    print_trained(out, kind, done, json)


def print_trained(out: Path, kind: str, done: Fitted, json: bool) -> None:
    """Print what was measured, and how to score with the model."""
    warn_of_shortfall(done.shortfall)
    measured = dict(done.best.held_out or done.best.train)
    if json:
        print(jsonlib.dumps({"folder": str(out), "updates": done.best.updates, "measured": measured}))
        return
    numbers = ", ".join(f"{name} {value:.3f}" for name, value in measured.items())
    print(f"best after {count(done.best.updates, 'update')}: {numbers}")
    print(f"Model: {out}\nScore with it: dialeval score FILE -m \"{kind}(model='{out}')\"")
