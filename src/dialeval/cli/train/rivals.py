"""``dialeval train rival``: scorers after DEnsity, DynaEval and QuantiDCE, on the dialogues that SelF-Eval takes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from dialeval.cli.options import Json, Limit, Seed
from dialeval.cli.train.scorers import (
    Corpus,
    HeldOut,
    Labels,
    Out,
    Rate,
    StartFrom,
    about_data,
    parted,
    print_trained,
    read_dialogues,
    train_from_labels,
)
from dialeval.cli.train.settings import (
    Encoder,
    Epochs,
    Format,
    Minutes,
    Pace,
    Resume,
    check_target,
    session,
)

if TYPE_CHECKING:
    from dialeval.selfeval.trained.config import RivalConfig

Kind: TypeAlias = Literal["density", "dynaeval", "quantidce"]


def rival(
    kind: Annotated[Kind, typer.Argument(help="Which scorer.")],
    dialogues: Corpus,
    out: Out,
    encoder: Encoder = "minilm",
    epochs: Epochs = None,
    minutes: Minutes = None,
    learning_rate: Rate = None,
    held_out: HeldOut = 100,
    labels: Labels = None,
    start_from: StartFrom = "embedded",
    format: Format = None,
    seed: Seed = 0,
    limit: Limit = None,
    resume: Resume = True,
    json: Json = False,
) -> None:
    """Train a rival of SelF-Eval: a small network on vectors of turns; no labels needed.

    density, dynaeval and quantidce have the objectives of the papers of these names. With --labels, quantidce is
    fine-tuned on ratings instead, and kept close to its former weights.

    Example: dialeval train rival density logs.jsonl -o my-density
    """
    from dialeval.resources.huggingface import require_torch

    require_torch(kind, "safetensors")
    from dialeval.selfeval.folder import write_card
    from dialeval.selfeval.trained.training import train_rival

    check_target(out)
    pace = Pace(epochs, minutes, learning_rate, seed, resume)
    if labels is not None:
        if kind != "quantidce":
            raise typer.BadParameter(
                f"{kind} learns from dialogues alone; use quantidce", param_hint="--labels"
            )
        train_from_labels(dialogues, format, labels, start_from, out, pace, json, kind=kind)
        return
    given, digest = read_dialogues(dialogues, format, limit)
    material, judged = parted(dialogues, given, held_out)
    config = _config(kind, encoder, pace)
    total = len(material.dialogues) * config.schedule.epochs
    with session(out.name, total, resume=resume, minutes=minutes) as started:
        done = train_rival(material, judged, config, out, digest=digest, session=started)
    about = f"A scorer after {kind}. Use: `dialeval score FILE -m \"{kind}(model='{out}')\"`."
    facts = {"encoder": encoder, "seed": seed, "updates": done.best.updates}
    write_card(out, kind, about, about_data(dialogues, given, digest), facts, done)
    print_trained(out, kind, done, json)


def _config(kind: Kind, encoder: str, pace: Pace) -> RivalConfig:
    from dialeval.selfeval.trained.config import RivalConfig

    base = RivalConfig(kind, encoder=encoder)
    return replace(base, schedule=pace.schedule(base.schedule))
