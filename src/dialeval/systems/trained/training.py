"""Training of generators, from lessons to a model in a folder."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from dialeval.files.atomic import write_atomically
from dialeval.systems.tensors import find_device
from dialeval.systems.trained.config import LAYOUT, TrainConfig, read_config
from dialeval.systems.trained.folder import (
    Origin,
    build,
    read_generator,
    write_generator,
)
from dialeval.systems.trained.learning import Learner, Objective, OwnLearner, make_task
from dialeval.systems.trained.lessons import Lesson, Split, digest
from dialeval.systems.trained.network import Network
from dialeval.systems.trained.subwords import Subwords, learn, load_subwords
from dialeval.training.checkpoint import Checkpoints, Evaluation
from dialeval.training.folder import CHECKPOINT
from dialeval.training.history import count_weights, perplexity
from dialeval.training.loop import DEFAULT, Ending, Fitted, Session, Shortfall, fit


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of training."""

    folder: Path
    lessons: int
    held_out: int
    parameters: int
    vocabulary: int
    history: tuple[Evaluation, ...]
    best: Evaluation
    """Whose weights were kept."""
    ending: Ending
    shortfall: Shortfall | None
    """How the model shows that it has learnt nothing; None where it has learnt something."""

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
    device: str = "auto",
    session: Session = DEFAULT,
) -> Outcome:
    """Learn from ``data`` and write the generator to ``folder``; a run that was killed resumes from its checkpoint.

    With ``start``, another generator's folder, its weights are where learning begins; its shape, subwords and
    lengths are then kept, whatever ``config`` says of them.
    """
    network, subwords, config = (
        _start(start, config) if start else _new(data, config, folder, resume=session.resume)
    )
    learner = OwnLearner(
        network.to(find_device(device)),
        subwords,
        config.turns,
        config.longest_context,
        config.longest_response,
    )
    origin = make_origin(data, LAYOUT.find(start).sha256 if start else None)
    fitted = fit_lessons(learner, data, config, origin, folder, session)
    write_generator(folder, network, subwords, config, origin, fitted)
    return outcome(folder, data, count_weights(network), len(subwords), fitted)


def fit_lessons(
    learner: Learner, data: Split, config: TrainConfig, origin: Origin, folder: Path, session: Session
) -> Fitted:
    """Train the learner's model, with checkpoints in ``folder``."""
    task = make_task(
        Objective(learner, config.label_smoothing, config.alpha),
        [learner.read(lesson) for lesson in data.train],
        [learner.read(lesson) for lesson in data.held_out],
        config.batch_tokens,
        config.schedule.seed,
    )
    return fit(task, config.schedule, Checkpoints(folder, _identity(config, origin)), session)


def outcome(folder: Path, data: Split, parameters: int, vocabulary: int, fitted: Fitted) -> Outcome:
    """The outcome of a run that has ended."""
    return Outcome(
        folder,
        len(data.train),
        len(data.held_out),
        parameters,
        vocabulary,
        fitted.history,
        fitted.best,
        fitted.ending,
        fitted.shortfall,
    )


def make_origin(data: Split, start: str | None) -> Origin:
    """The origin of a model; ``start`` is the sha256 of the model that it starts from."""
    return Origin(digest(data.train), len(data.train), digest(data.held_out), len(data.held_out), start)


def further(folder: Path) -> TrainConfig:
    """How a generator of ours is trained further: as before, at a tenth of the learning rate."""
    before = read_config(folder)
    schedule = replace(before.schedule, learning_rate=before.schedule.learning_rate / 10, warm_up=50)
    return replace(before, schedule=schedule)


def _identity(config: TrainConfig, origin: Origin) -> dict[str, Any]:
    """What must be equal for a run to be resumed, one level deep; more epochs and more patience may come later."""
    settings = config.as_json()
    flat = {**settings.pop("shape"), **settings.pop("schedule"), **settings}
    kept = {key: value for key, value in flat.items() if key not in config.schedule.resumable}
    return {**asdict(origin), **kept}


def _new(
    data: Split, config: TrainConfig, folder: Path, *, resume: bool
) -> tuple[Network, Subwords, TrainConfig]:
    known = folder / LAYOUT.vocabulary
    if resume and known.is_file() and (folder / CHECKPOINT).is_file():
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
