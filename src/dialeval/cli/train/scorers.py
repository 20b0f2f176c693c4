"""``dialeval train selfeval`` and ``rival``: scorers that learn from dialogues without labels."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, TypeAlias

from dialeval.cli.parsing.parameters import BadUsage
from dialeval.cli.train.settings import (
    Encoder,
    Hub,
    Tokens,
    Training,
    check_target,
    read_whole,
    warn_of_shortfall,
)
from dialeval.data import Dialogue, read
from dialeval.data.codec.encode import digest
from dialeval.data.reader import read_guessing
from dialeval.display.wording import count
from dialeval.errors import Unsuitable
from dialeval.options import Argument, Option, Options
from dialeval.resources.device import Precision
from dialeval.resources.huggingface import require_torch
from dialeval.selfeval.corruption import material_of
from dialeval.selfeval.subjects import whole_dialogues

if TYPE_CHECKING:
    from dialeval.selfeval.corruption import Material
    from dialeval.selfeval.replacement import Replacement
    from dialeval.training.finetuning import Finetuning
    from dialeval.training.loop import Fitted
    from dialeval.training.schedule import Schedule

Profile: TypeAlias = Literal["turnwise", "two_heads", "paper", "simple", "light", "released"]
LossName: TypeAlias = Literal["mlr", "bce", "graded_bce", "ranking"]
Hardness: TypeAlias = Literal["random", "topic", "graded"]
Corpus: TypeAlias = Annotated[str, Argument(metavar="DIALOGUES", help="Dialogues, or - for stdin.")]
Out: TypeAlias = Annotated[Path, Option("--out", "-o", help="The model's folder.")]
HeldOut: TypeAlias = Annotated[
    int, Option("--held-out", min=0, help="Dialogues held out to measure the scorer on.")
]
Labels: TypeAlias = Annotated[
    Path | None, Option("--labels", metavar="RATINGS", help="Learn from people's ratings of these dialogues.")
]
StartFrom: TypeAlias = Annotated[
    str | None,
    Option(
        "--start-from",
        metavar="MODEL",
        help="Train this scorer further: its folder.",
        show_default="with --labels, embedded",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Construction:
    """Choice and damage of replaced turns."""

    hardness: Annotated[Hardness, Option()] = "random"
    """Replace turns by random ones, ones near in meaning, or either, as levels."""
    near: Annotated[float, Option(min=0.01, max=1)] = 0.5
    """With --hardness graded: damage of a near turn, a far one's is 1."""
    late: Annotated[float, Option(min=0.01)] = 1.0
    """Weight of a replaced turn relative to the one before it."""
    curve: Annotated[float, Option(min=0.01)] = 1.0
    """Exponent of the share of unreplaced turns, the reference score."""
    rounds: Annotated[int | None, Option(min=2, metavar="N", show_default="by profile")] = None
    """Learn from at most N rounds of a dialogue."""
    per_level: Annotated[int | None, Option(min=0, metavar="K", show_default="by profile")] = None
    """Versions of each level; 0 for all."""

    def replacing(self, base: Replacement) -> Replacement:
        """The profile's rules, with what the options say in place of its own."""
        graded = replace(base, hardness=self.hardness, late=self.late, curve=self.curve, near=self.near)
        if self.rounds is not None:
            graded = replace(graded, rounds=None, most_rounds=self.rounds)
        return graded if self.per_level is None else replace(graded, per_level=self.per_level or None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Part of the encoder that is trained; None for that of the profile."""

    encoder: Encoder = "minilm"
    hub: Hub = False
    rank: Annotated[int | None, Option(min=0, show_default="by profile")] = None
    """Rank of the low-rank changes (LoRA); 0 to train all weights."""
    tokens: Tokens = None
    dropout: Annotated[float | None, Option(min=0, max=0.99, show_default="by profile")] = None
    """Dropout before the head."""
    batch: Annotated[int | None, Option(min=1, show_default="by profile")] = None
    """Dialogues per update."""

    def finetuning(self, base: Finetuning, precision: Precision) -> Finetuning:
        """The profile's settings, with what the options say in place of its own."""
        rank = base.rank if self.rank is None else self.rank or None
        return replace(
            base,
            encoder=self.encoder,
            hub=self.hub,
            rank=rank,
            word_vectors=rank is None,
            longest=self.tokens or base.longest,
            dropout=base.dropout if self.dropout is None else self.dropout,
            precision=precision,
        )


def selfeval(
    dialogues: Corpus,
    out: Out,
    profile: Annotated[Profile, Option("--profile", help="The model and what it learns from.")] = "turnwise",
    loss: Annotated[
        LossName | None,
        Option(
            "--loss",
            help="Loss on replaced turns; bce, original or replaced, is the paper's ablation -mlr.",
            show_default="by profile",
        ),
    ] = None,
    drop: Annotated[bool, Option("--drop/--no-drop", help="R-drop in the second half of the epochs.")] = True,
    built: Construction = Construction(),
    weights: Weights = Weights(),
    second_learning_rate: Annotated[
        float | None,
        Option(
            "--second-learning-rate",
            help="Learning rate in the second half of the epochs.",
            show_default="by profile",
        ),
    ] = None,
    held_out: HeldOut = 100,
    labels: Labels = None,
    start_from: StartFrom = None,
    training: Annotated[
        Training,
        Options(
            *("epochs", "minutes", "learning_rate", "weight_decay", "warm_up", "device", "precision"),
            *("format", "seed", "limit", "resume", "json"),
        ),
    ] = Training(),
) -> None:
    """Train SelF-Eval, a scorer of turns and whole dialogues; no labels needed.

    With --labels it is fine-tuned on ratings instead, and kept close to its former weights.

    Example: dialeval train selfeval logs.jsonl -o my-scorer --minutes 60

    Example: dialeval train selfeval dailydialog.jsonl -o my-scorer --profile paper --encoder roberta-base --hub
    """
    require_torch("SelF-Eval", "safetensors")
    from dialeval.training.folder import write_card

    check_target(out)
    if labels is not None:
        _train_from_labels(dialogues, labels, start_from or "embedded", out, training)
        return
    given, digest = _read_dialogues(dialogues, training)
    material, judged = _parted(dialogues, given, held_out)

    def paced(base: Schedule) -> Schedule:
        chosen = training.shaped(base)
        if second_learning_rate is None and training.learning_rate is None:
            return chosen
        return replace(chosen, second_learning_rate=second_learning_rate)

    schedule, train = _learner(profile, loss, drop, built, weights, training.precision, paced)
    if start_from is not None:
        train = _further(train, profile, start_from)
    total = len(material.dialogues) * schedule.epochs
    with training.session(out.name, total) as started:
        done = train(material, judged, folder=out, digest=digest, session=started)
    about = f"SelF-Eval, profile {profile}. Use: `dialeval score FILE -m \"selfeval(model='{out}')\"`."
    facts = {
        "profile": profile,
        "encoder": weights.encoder,
        "seed": training.seed,
        "updates": done.best.updates,
    }
    write_card(out, "selfeval", about, _about_data(dialogues, given, digest), facts, done)
    _print_trained(out, "selfeval", done, training.json)


def rival(
    kind: Annotated[Literal["density", "dynaeval", "quantidce"], Argument(help="Which scorer.")],
    dialogues: Corpus,
    out: Out,
    encoder: Encoder = "minilm",
    held_out: HeldOut = 100,
    labels: Labels = None,
    start_from: StartFrom = None,
    training: Annotated[
        Training,
        Options(
            *("epochs", "minutes", "learning_rate", "device", "precision"),
            *("format", "seed", "limit", "resume", "json"),
        ),
    ] = Training(),
) -> None:
    """Train a rival of SelF-Eval: a small network on vectors of turns; no labels needed.

    density, dynaeval and quantidce have the objectives of the papers of these names. With --labels, quantidce is
    fine-tuned on ratings instead, and kept close to its former weights.

    Example: dialeval train rival density logs.jsonl -o my-density
    """
    require_torch(kind, "safetensors")
    from dialeval.selfeval.trained.trainer import RivalConfig, train_rival
    from dialeval.training.folder import write_card

    check_target(out)
    if labels is not None:
        if kind != "quantidce":
            raise BadUsage(f"{kind} learns from dialogues alone; use quantidce", where="--labels")
        _train_from_labels(dialogues, labels, start_from or "embedded", out, training, kind=kind)
        return
    if start_from is not None:
        raise BadUsage("used with --labels only", where="--start-from")
    given, digest = _read_dialogues(dialogues, training)
    material, judged = _parted(dialogues, given, held_out)
    base = RivalConfig(kind, encoder=encoder)
    config = replace(base, schedule=training.precise(base.schedule))
    total = len(material.dialogues) * config.schedule.epochs
    with training.session(out.name, total) as started:
        done = train_rival(material, judged, config, out, digest=digest, session=started)
    about = f"A scorer after {kind}. Use: `dialeval score FILE -m \"{kind}(model='{out}')\"`."
    facts = {"encoder": encoder, "seed": training.seed, "updates": done.best.updates}
    write_card(out, kind, about, _about_data(dialogues, given, digest), facts, done)
    _print_trained(out, kind, done, training.json)


class _Parted(NamedTuple):
    """Dialogues to learn from, and those held out."""

    material: Material
    judged: Material


def _parted(source: str, given: Sequence[Dialogue], held_out: int) -> _Parted:
    """Divide the dialogues, and say how many there are; Unsuitable if none are left to learn from."""
    usable = [place for place, each in enumerate(given) if material_of([each]).dialogues]
    tenth = len(usable) // 10
    held = set(usable[: min(held_out, max(tenth, 2) if tenth else 0)])  # a turn is replaced by another one's
    material = material_of([each for place, each in enumerate(given) if place not in held])
    if not material.dialogues:
        raise Unsuitable(
            f"{source}: found {count(len(given), 'dialogue')}, none of them with four turns or more; "
            "expected some to learn from. Give longer dialogues."
        )
    print(f"{len(material.dialogues)} dialogues of four turns or more, {len(held)} held out", file=sys.stderr)
    return _Parted(material, material_of([given[place] for place in sorted(held)]))


def _learner(
    profile: Profile,
    loss: LossName | None,
    drop: bool,
    built: Construction,
    weights: Weights,
    precision: Precision,
    paced: Callable[[Schedule], Schedule],
) -> tuple[Schedule, Callable[..., Fitted]]:
    """Return the schedule and the trainer of the profile: of the turnwise network, or of whole dialogues."""
    from dialeval.selfeval.trainer import PROFILES, finetuning_of, train_selfeval
    from dialeval.selfeval.turnwise_trainer import TurnwiseConfig, train_turnwise

    base = TurnwiseConfig() if profile == "turnwise" else PROFILES[profile]
    schedule = paced(base.schedule)
    if isinstance(base, TurnwiseConfig):
        if built != Construction():
            raise BadUsage(
                "turnwise learns the next turn, not levels; add --profile light",
                where="--hardness, --near, --late, --curve, --rounds, --per-level",
            )
        idle = {
            "--loss": loss is not None,
            "--no-drop": not drop,
            "--rank": weights.rank is not None,
            "--tokens": weights.tokens is not None,
            "--dropout": weights.dropout is not None,
        }
        for name, given in idle.items():
            if given:
                raise BadUsage("turnwise has no such setting; add --profile light", where=name)
        schedule = replace(schedule, precision=precision)
        batch = weights.batch or base.batch_size
        small = replace(base, encoder=weights.encoder, batch_size=batch, schedule=schedule)
        return schedule, partial(train_turnwise, config=small)
    if loss == "bce" and (built.late, built.curve) != (1.0, 1.0):
        raise BadUsage(
            "bce only tells originals from replaced dialogues, however bad; use --loss graded_bce, mlr or ranking",
            where="--late, --curve",
        )
    config = replace(
        base,
        replacing=built.replacing(base.replacing),
        loss=loss or base.loss,
        drop=drop and base.drop,
        clusters=weights.batch or base.clusters,
        schedule=schedule,
    )
    tuned = weights.finetuning(finetuning_of(base.profile), precision)
    return schedule, partial(train_selfeval, config=config, finetuning=tuned)


def _further(train: Callable[..., Fitted], profile: Profile, start: str) -> Callable[..., Fitted]:
    """The trainer of whole dialogues, which begins with the weights of a scorer in a folder."""
    from dialeval.selfeval.metric import adapter_file
    from dialeval.selfeval.trainer import same_model

    file = adapter_file(start, "selfeval")
    found = file.about.facts["profile"]
    if profile == "turnwise" or not same_model(str(found), profile):
        raise BadUsage(
            f"{start} has the profile {found}, and the scorer to train {profile}; expected the same one, or paper and "
            "simple, and not turnwise, unless --labels is given",
            where="--start-from",
        )
    return partial(train, start_from=file.path)


def _read_dialogues(path: str, training: Training) -> tuple[list[Dialogue], str]:
    """Return the first dialogues of a file, at least two, and their digest; each reference of a prompt gives one."""
    records = islice(read_whole(path, training.format), training.limit)
    given = [each for record in records for each in whole_dialogues(record)]
    if len(given) < 2:
        raise Unsuitable(
            f"{path} holds {count(len(given), 'dialogue')}; expected at least 2. Give more dialogues."
        )
    return given, digest(given)


def _about_data(path: str, given: list[Dialogue], digest: str) -> str:
    """Return the sentence of a model card about the data."""
    return f"Trained on {len(given):,} dialogues of `{Path(path).name}` (sha256 {digest[:16]}...), without labels."


def _train_from_labels(
    path: str,
    labels: Path,
    start: str,
    out: Path,
    training: Training,
    *,
    kind: Literal["selfeval", "quantidce"] = "selfeval",
) -> None:
    """Fine-tune the scorer of that kind on people's ratings of the file's subjects."""
    from dialeval.selfeval.labels import SCHEDULE, rated_subjects, train_on_labels
    from dialeval.training.folder import write_card

    subjects = rated_subjects(read_guessing(path, format=training.format).records, read(labels, "judgement"))
    print(f"{len(subjects)} rated subjects", file=sys.stderr)
    schedule = training.schedule(SCHEDULE)
    total = (len(subjects) - len(subjects) // 5) * schedule.epochs
    with training.session(out.name, total) as started:
        done = train_on_labels(subjects, start, out, kind=kind, schedule=schedule, session=started)
    about = f"The scorer `{start}` fine-tuned on ratings. Use: `dialeval score FILE -m \"{kind}(model='{out}')\"`."
    data = f"Fine-tuned on ratings of {len(subjects):,} subjects of `{Path(path).name}`, a fifth of them held out."
    write_card(
        out,
        kind,
        about,
        data,
        {"started from": start, "seed": training.seed, "updates": done.best.updates},
        done,
    )
    _print_trained(out, kind, done, training.json)


def _print_trained(out: Path, kind: str, done: Fitted, json: bool) -> None:
    """Print what was measured, and how to score with the model."""
    warn_of_shortfall(done.shortfall)
    measured = dict(done.best.held_out or done.best.train)
    if json:
        print(jsonlib.dumps({"folder": str(out), "updates": done.best.updates, "measured": measured}))
        return
    numbers = ", ".join(f"{name} {value:.3f}" for name, value in measured.items())
    print(f"best after {count(done.best.updates, 'update')}: {numbers}")
    print(f"Model: {out}\nScore with it: dialeval score FILE -m \"{kind}(model='{out}')\"")
