"""The training loop, to be read from top to bottom."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

import torch

from dialeval.engine import SILENT, Progress
from dialeval.systems.trained.batches import cut_batches, training_batches
from dialeval.systems.trained.checkpoint import Checkpoints, Look, Place, put_weights, take_weights
from dialeval.systems.trained.config import Schedule
from dialeval.systems.trained.learning import Objective, Sums, TokenLesson, bundle

Ending: TypeAlias = Literal["epochs", "patience", "minutes"]
"""Why training ended: all epochs done, no improvement for long, or no time left."""


class Course(NamedTuple):
    """Lessons as tokens."""

    train: Sequence[TokenLesson]
    held_out: Sequence[TokenLesson]


@dataclass(frozen=True, slots=True)
class Fitted:
    """What training came to."""

    looks: tuple[Look, ...]
    best: Look
    """The look whose weights were kept: the best on held-out data, or the last where none are held out."""
    ending: Ending


class _Step(NamedTuple):
    """One batch, and where the run stands after it."""

    rows: list[int]
    epoch: int
    batch: int
    done: float
    """Epochs, the one under way by its share of batches."""
    ends_epoch: bool


def fit(
    objective: Objective,
    course: Course,
    schedule: Schedule,
    checkpoints: Checkpoints,
    *,
    minutes: float | None = None,
    resume: bool = True,
    progress: Progress = SILENT,
) -> Fitted:
    """Train the objective's model and leave it with its best weights; a run that was killed goes on.

    On one machine and number of threads the weights follow from data, settings and seed, also after a kill; only where
    ``minutes`` end the run do they follow from its speed. Minutes count over all sittings.
    """
    model = objective.learner.module
    optimiser = torch.optim.Adam(model.parameters(), lr=schedule.learning_rate)
    if not resume:
        checkpoints.forget()
    place, best = checkpoints.read(model, optimiser) or (Place(), None)
    ending: Ending = "epochs"
    saved = time.monotonic()
    began = saved - place.seconds

    with torch.random.fork_rng(devices=[]):
        for step in _steps(objective, course.train, schedule, place, progress):
            if place.stale >= schedule.patience:
                ending = "patience"
                break
            if minutes is not None and time.monotonic() - began >= 60 * minutes and place.updates:
                ending = "minutes"
                break
            # Dropout must not depend on what was drawn in an earlier sitting.
            torch.manual_seed(_seed(schedule.seed, place.updates))
            sums = _update(
                objective, [course.train[at] for at in step.rows], optimiser, schedule, place.updates
            )
            place = _after(place, step, sums, time.monotonic() - began)
            if step.ends_epoch or _due(schedule.evaluate_every, place.updates):
                place = _look(objective, course.held_out, schedule, place)
                best = take_weights(model) if course.held_out and place.stale == 0 else best
            if _due(schedule.save_every, place.updates) or time.monotonic() - saved >= schedule.save_seconds:
                checkpoints.write(place, model, optimiser, best)
                saved = time.monotonic()
            progress.advance(len(step.rows))

    checkpoints.write(place, model, optimiser, best)
    if place.since.tokens:
        # Out of time between two looks: one more, which a later sitting with more time will not find in its history.
        place = _look(objective, course.held_out, schedule, place)
        best = take_weights(model) if course.held_out and place.stale == 0 else best
    if best is not None:
        put_weights(model, best)
    kept = min(place.looks, key=lambda look: _held_out(look, objective.alpha)) if best else place.looks[-1]
    return Fitted(place.looks, kept, ending)


def evaluate(objective: Objective, lessons: Sequence[TokenLesson], budget: int) -> Sums:
    """What the lessons cost the model as it is."""
    model, total = objective.learner.module, Sums()
    model.eval()
    with torch.inference_mode():
        for rows in cut_batches(bundle(objective.learner, lessons), budget):
            total = total.plus(objective.cost([lessons[at] for at in rows]).sums)
    return total


def _update(
    objective: Objective,
    batch: Sequence[TokenLesson],
    optimiser: torch.optim.Optimizer,
    schedule: Schedule,
    updates: int,
) -> Sums:
    model = objective.learner.module.train()
    for group in optimiser.param_groups:
        group["lr"] = schedule.learning_rate * min(1.0, (updates + 1) / max(schedule.warm_up, 1))
    cost = objective.cost(batch)
    optimiser.zero_grad()
    torch.autograd.backward(cost.loss)
    torch.nn.utils.clip_grad_norm_(model.parameters(), schedule.clip)
    optimiser.step()
    return cost.sums


def _after(place: Place, step: _Step, sums: Sums, seconds: float) -> Place:
    return replace(
        place,
        epoch=step.epoch,
        batch=step.batch,
        done=step.done,
        updates=place.updates + 1,
        since=place.since.plus(sums),
        seconds=seconds,
    )


def _due(every: int, updates: int) -> bool:
    return every > 0 and updates % every == 0


def _look(objective: Objective, held_out: Sequence[TokenLesson], schedule: Schedule, place: Place) -> Place:
    """The place after one more look, its count of looks without improvement brought up to date."""
    found = evaluate(objective, held_out, schedule.batch_tokens) if held_out else None
    look = Look(place.done, place.updates, place.since, found, place.seconds)
    before = [_held_out(one, objective.alpha) for one in place.looks]
    improved = found is None or _held_out(look, objective.alpha) < min(before, default=float("inf"))
    stale = 0 if improved else place.stale + 1
    return replace(place, since=Sums(), looks=(*place.looks, look), stale=stale)


def _held_out(look: Look, alpha: float) -> float:
    return look.held_out.mean(alpha) if look.held_out is not None else float("inf")


def _steps(
    objective: Objective, lessons: Sequence[TokenLesson], schedule: Schedule, place: Place, progress: Progress
) -> Iterator[_Step]:
    """All batches from a place to the end of the last epoch."""
    bundled = bundle(objective.learner, lessons)
    progress.advance(place.epoch * len(lessons))
    for epoch in range(place.epoch, schedule.epochs):
        batches = training_batches(bundled, schedule.batch_tokens, schedule.seed, epoch)
        first = place.batch if epoch == place.epoch else 0
        progress.advance(sum(map(len, batches[:first])))
        for number in range(first, len(batches)):
            last = number + 1 == len(batches)
            after = (epoch + 1, 0) if last else (epoch, number + 1)
            yield _Step(batches[number], *after, epoch + (number + 1) / len(batches), last)


def _seed(seed: int, updates: int) -> int:
    return seed * 1_000_003 + updates
