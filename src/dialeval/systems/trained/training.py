"""From lessons to a generator in a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from dialeval.engine import SILENT, Progress
from dialeval.engine.checkpoint import FILE
from dialeval.files.atomic import write_atomically
from dialeval.systems.tensors import find_device
from dialeval.systems.trained.architectures import build
from dialeval.systems.trained.checkpoint import Checkpoints, Look
from dialeval.systems.trained.config import TrainConfig
from dialeval.systems.trained.fitting import Course, Ending, fit
from dialeval.systems.trained.folder import (
    Origin,
    count_parameters,
    perplexity,
    read_generator,
    write_generator,
)
from dialeval.systems.trained.layout import SUBWORDS, find_generator, read_config
from dialeval.systems.trained.learning import Objective, OwnLearner
from dialeval.systems.trained.lessons import Lesson, Split, digest
from dialeval.systems.trained.network import Network
from dialeval.systems.trained.subwords import Subwords, learn, load_subwords


@dataclass(frozen=True, slots=True)
class Outcome:
    """What training came to."""

    folder: Path
    lessons: int
    held_out: int
    parameters: int
    vocabulary: int
    looks: tuple[Look, ...]
    best: Look
    ending: Ending

    @property
    def perplexity(self) -> float | None:
        """On the held-out responses, of the weights that were kept; None where none are held out."""
        return perplexity(self.best)


def train(
    data: Split,
    config: TrainConfig,
    folder: Path,
    *,
    start: Path | None = None,
    minutes: float | None = None,
    device: str = "auto",
    resume: bool = True,
    progress: Progress = SILENT,
) -> Outcome:
    """Learn from ``data`` and write the generator to ``folder``; a run that was killed goes on from its checkpoint.

    With ``start``, another generator's folder, its weights are where learning begins; its shape, subwords and
    lengths are then kept, whatever ``config`` says of them.
    """
    network, subwords, config = _start(start, config) if start else _anew(data, config, folder, resume)
    learner = OwnLearner(
        network.to(find_device(device)),
        subwords,
        config.turns,
        config.longest_context,
        config.longest_response,
    )
    origin = Origin(
        digest(data.train),
        len(data.train),
        digest(data.held_out),
        len(data.held_out),
        find_generator(start).sha256 if start else None,
    )
    fitted = fit(
        Objective(learner, config.label_smoothing, config.alpha),
        Course([learner.read(one) for one in data.train], [learner.read(one) for one in data.held_out]),
        config.schedule,
        Checkpoints(folder, identity(config, origin)),
        minutes=minutes,
        resume=resume,
        progress=progress,
    )
    write_generator(folder, network, subwords, config, origin, fitted)
    return Outcome(
        folder,
        len(data.train),
        len(data.held_out),
        count_parameters(network),
        len(subwords),
        fitted.looks,
        fitted.best,
        fitted.ending,
    )


def further(folder: Path) -> TrainConfig:
    """How a generator of ours is trained further: as before, at a tenth of the learning rate."""
    before = read_config(folder)
    schedule = replace(before.schedule, learning_rate=before.schedule.learning_rate / 10, warm_up=50)
    return replace(before, schedule=schedule)


def identity(config: TrainConfig, origin: Origin) -> str:
    """What must be equal for a run to be gone on with, as JSON; more epochs and more patience may come later."""
    settings: dict[str, Any] = {**asdict(config.shape), **asdict(config.schedule), **_plain(asdict(config))}
    later = ("epochs", "patience", "save_every", "save_seconds")
    return json.dumps(
        {**asdict(origin), **{k: v for k, v in settings.items() if k not in later}}, sort_keys=True
    )


def _plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if key not in ("shape", "schedule")}


def _anew(
    data: Split, config: TrainConfig, folder: Path, resume: bool
) -> tuple[Network, Subwords, TrainConfig]:
    known = folder / SUBWORDS
    if resume and known.is_file() and (folder / FILE).is_file():
        subwords = load_subwords(known)
    else:
        subwords = learn(_texts(data.train), config.vocabulary)
        write_atomically(known, subwords.save())
    return build(config.shape, len(subwords), config.schedule.seed), subwords, config


def _start(start: Path, config: TrainConfig) -> tuple[Network, Subwords, TrainConfig]:
    network, subwords, before = read_generator(start)
    kept = replace(
        before, schedule=config.schedule, label_smoothing=config.label_smoothing, alpha=config.alpha
    )
    return network, subwords, kept


def _texts(lessons: list[Lesson]) -> list[str]:
    """Every turn and every response once for each time it is met as one."""
    contexts = {lesson.context for lesson in lessons}
    turns = [turn.text for context in sorted(contexts, key=repr) for turn in context]
    return turns + [lesson.gold for lesson in lessons]
