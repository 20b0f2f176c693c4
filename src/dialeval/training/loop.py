"""Training loop, to be read from top to bottom.

On Ctrl-C the current update is finished and saved before the run stops.
"""

from __future__ import annotations

import ctypes
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from types import FrameType
from typing import Final, Literal, NamedTuple, TypeAlias

import torch
from torch import nn

from dialeval.engine import SILENT, Progress
from dialeval.resources.device import autocast, device_of, find_device
from dialeval.training.checkpoint import (
    Checkpoints,
    Evaluation,
    Place,
    Saved,
    Weights,
    put_weights,
    take_weights,
    trainable,
)
from dialeval.training.schedule import Schedule
from dialeval.training.task import Numbers, Rows, Sums, Task, add_sums, means


class Interrupted(KeyboardInterrupt):
    """Ctrl-C after this many updates, all of which are saved."""

    def __init__(self, updates: int) -> None:
        super().__init__()
        self.updates = updates


class Interrupt:
    """Whether the user has asked to stop."""

    def __init__(self) -> None:
        self.pending = False


@contextmanager
def deferred_interrupt() -> Iterator[Interrupt]:
    """Note the first Ctrl-C instead of raising it; the second stops at once.

    An interrupt in the middle of an update would leave some weights moved and others not. Outside of the main thread,
    and if interrupts are ignored or not Python's, nothing changes.
    """
    interrupt = Interrupt()
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield interrupt
        return

    def note(number: int, frame: FrameType | None) -> None:
        if interrupt.pending:
            before(number, frame)
        interrupt.pending = True

    signal.signal(signal.SIGINT, note)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)


Ending: TypeAlias = Literal["epochs", "patience", "minutes"]
"""Reason why training ended: all epochs done, no improvement for long, or no time left."""

Shortfall: TypeAlias = Literal["baseline", "first"]
"""Sign that a model has learnt nothing: no better than the task's baseline, or than its first evaluation."""

_TRIM_EVERY: Final = 10
"""Updates after which unused memory is returned: batches of many lengths leave gaps, which add up to gigabytes."""
_FIRST_SAVE: Final = 5.0
"""Seconds after which a session writes its first checkpoint, so that little is lost by an early kill."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The result of training, beside the weights."""

    history: tuple[Evaluation, ...]
    best: Evaluation
    """The evaluation whose weights were kept: the best on held-out data, or the last if none are held out."""
    ending: Ending
    shortfall: Shortfall | None = None
    """None if the model has learnt something."""


@dataclass(frozen=True, slots=True)
class Session:
    """Options that may differ each time that a run is started or resumed; they move no weight before the run ends."""

    minutes: float | None = None
    """When to stop, the minutes of all sessions counted."""
    resume: bool = True
    """Whether to resume from the folder's checkpoint, if there is one, or to start from the beginning."""
    progress: Progress = SILENT
    """Counts examples."""
    on_start: Callable[[Place], None] = lambda place: None
    """Given the place from which training starts."""
    device: str = "auto"
    """Where to train: ``auto``, ``cpu``, ``cuda``, ``cuda:1`` or ``mps``; the trained model stays there."""


DEFAULT: Final = Session()


class _Step(NamedTuple):
    """One batch, and where the run stands after it."""

    rows: Rows
    epoch: int
    batch: int
    done: float
    """Epochs, the current one by its share of batches."""
    ends_epoch: bool


def fit(task: Task, schedule: Schedule, checkpoints: Checkpoints, session: Session = DEFAULT) -> Fitted:
    """Train the task's model and leave it with its best weights; a run that was killed is resumed.

    On one machine and number of threads the weights follow from data, settings and seed, also after a kill; only if
    the session's minutes end the run do they follow from its speed. Ctrl-C writes a checkpoint after the current update
    and raises Interrupted.
    """
    task.model.to(find_device(session.device))
    run = _Run(task, schedule, checkpoints, resume=session.resume)
    minutes, progress = session.minutes, session.progress
    session.on_start(run.place)
    progress.advance(run.place.examples)
    ending: Ending = "epochs"
    with torch.random.fork_rng(devices=[]), deferred_interrupt() as interrupt:
        for step in _steps(task, schedule, run.place):
            if run.place.stale >= schedule.patience:
                ending = "patience"
                break
            if minutes is not None and run.seconds >= 60 * minutes and run.place.updates:
                ending = "minutes"
                break
            run.update(step)
            if step.ends_epoch or _due(schedule.evaluate_every, run.place.updates):
                run.evaluate()
            progress.advance(len(step.rows))
            if _due(_TRIM_EVERY, run.place.updates):
                _return_memory()
            if interrupt.pending:
                break
            if run.save_due:
                run.save()
        run.save()
        if interrupt.pending:
            raise Interrupted(run.place.updates)

    if run.place.since:
        # Out of time between two evaluations: one more, which a later session will not find in its history.
        run.evaluate()
    return run.finish(ending)


def _return_memory() -> None:
    """Give pages that the allocator keeps without using them back to the system; nothing happens without glibc."""
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@cache
def _malloc_trim() -> Callable[[int], int] | None:
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, TypeError, AttributeError):  # Windows, macOS, musl
        return None
    return trim


class _Run:
    """A run under way: model, optimiser, place and best weights."""

    def __init__(self, task: Task, schedule: Schedule, checkpoints: Checkpoints, *, resume: bool) -> None:
        self.task, self.schedule, self.checkpoints = task, schedule, checkpoints
        self.device = device_of(task.model)
        self.optimiser = _optimiser(task.model, schedule)
        if not resume:
            checkpoints.forget()
        saved = checkpoints.read(task.model, self.optimiser) or Saved(Place(), None)
        self.place: Place = saved.place
        self.best: Weights | None = saved.best
        self.began = time.monotonic() - self.place.seconds
        self.next_save = time.monotonic() + min(_FIRST_SAVE, schedule.save_seconds)

    @property
    def seconds(self) -> float:
        """Of training, all sessions together."""
        return time.monotonic() - self.began

    @property
    def save_due(self) -> bool:
        """Whether enough updates or seconds have gone by since the last checkpoint."""
        return _due(self.schedule.save_every, self.place.updates) or time.monotonic() >= self.next_save

    def update(self, step: _Step) -> None:
        """Move the weights once, by the gradient of a batch."""
        updates = self.place.updates
        # Dropout must not depend on what was drawn in an earlier session.
        torch.manual_seed(self.schedule.seed * 1_000_003 + updates)
        self.task.model.train()
        for group in self.optimiser.param_groups:
            group["lr"] = self.schedule.rate(updates, self.place.epoch)
        self.optimiser.zero_grad()
        sums: Sums = {}
        with autocast(self.device, self.schedule.precision):
            losses = iter(self.task.losses(step.rows))
        while True:
            with autocast(self.device, self.schedule.precision):
                loss = next(losses, None)
            if loss is None:
                break
            torch.autograd.backward(loss.loss)
            sums = add_sums(sums, loss.sums)
        for part in self.task.clipped or (self.task.model,):
            torch.nn.utils.clip_grad_norm_(part.parameters(), self.schedule.clip)
        self.optimiser.step()
        self.place = replace(
            self.place,
            epoch=step.epoch,
            batch=step.batch,
            done=step.done,
            updates=updates + 1,
            examples=self.place.examples + len(step.rows),
            since=add_sums(self.place.since, sums),
            seconds=self.seconds,
        )

    def evaluate(self) -> None:
        """Add an evaluation to the history, and keep the weights if they are the best so far."""
        place, held_out = self.place, None
        if self.task.validate is not None:
            self.task.model.eval()
            with torch.inference_mode(), autocast(self.device, self.schedule.precision):
                held_out = dict(self.task.validate())
        before = min((self._objective(each) for each in place.history), default=float("inf"))
        evaluation = Evaluation(place.done, place.updates, means(place.since), held_out, place.seconds)
        improved = held_out is None or self._objective(evaluation) < before
        stale = 0 if improved else place.stale + 1
        self.place = replace(place, since={}, history=(*place.history, evaluation), stale=stale)
        if held_out is not None and improved:
            self.best = take_weights(self.task.model)

    def save(self) -> None:
        """Write the checkpoint."""
        self.checkpoints.write(self.place, self.task.model, self.optimiser, self.best)
        self.next_save = time.monotonic() + self.schedule.save_seconds

    def finish(self, ending: Ending) -> Fitted:
        """Give the model its best weights."""
        history = self.place.history
        best = history[-1]
        if self.best is not None:
            put_weights(self.task.model, self.best)
            best = min(history, key=self._objective)
        return Fitted(history, best, ending, self._shortfall(best))

    def _shortfall(self, best: Evaluation) -> Shortfall | None:
        # Written so that NaN counts as having learnt nothing.
        numbers, first = _measured(best), _measured(self.place.history[0])
        baseline = self.task.baseline
        if baseline and not any(numbers[name] < value for name, value in baseline.items()):
            return "baseline"
        alone = len(self.place.history) == 1
        return None if alone or self.task.objective(numbers) < self.task.objective(first) else "first"

    def _objective(self, evaluation: Evaluation) -> float:
        return float("inf") if evaluation.held_out is None else self.task.objective(evaluation.held_out)


def _optimiser(model: nn.Module, schedule: Schedule) -> torch.optim.Optimizer:
    """Adam, or AdamW if weights decay; biases and weights of norms, which are vectors, do not."""
    weights = list(trainable(model).values())
    if not schedule.weight_decay:
        return torch.optim.Adam(weights, lr=schedule.learning_rate)
    groups = [
        {"params": [weight for weight in weights if weight.ndim > 1], "weight_decay": schedule.weight_decay},
        {"params": [weight for weight in weights if weight.ndim <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW([group for group in groups if group["params"]], lr=schedule.learning_rate)


def _measured(evaluation: Evaluation) -> Numbers:
    """On held-out data, or in training if none are held out."""
    return evaluation.train if evaluation.held_out is None else evaluation.held_out


def _due(every: int, updates: int) -> bool:
    return every > 0 and updates % every == 0


def _steps(task: Task, schedule: Schedule, place: Place) -> Iterator[_Step]:
    """All batches from a place to the end of the last epoch."""
    for epoch in range(place.epoch, schedule.epochs):
        batches = task.batches(epoch)
        first = place.batch if epoch == place.epoch else 0
        for number in range(first, len(batches)):
            last = number + 1 == len(batches)
            after = (epoch + 1, 0) if last else (epoch, number + 1)
            yield _Step(batches[number], *after, epoch + (number + 1) / len(batches), last)
