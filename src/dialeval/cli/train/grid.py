"""Grids of a generator's training: every learning rate with every warm-up, and the best on held-out data is kept."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from dialeval.cli.parsing.parameters import BadUsage
from dialeval.display.wording import number
from dialeval.files.documents import finite, write_document
from dialeval.options import Option

if TYPE_CHECKING:
    from dialeval.systems.trained.trainer import Outcome

GRID: Final = "grid"
"""The folder in a generator's own that has the model of every point."""
RECORD: Final = "grid.json"


class Point(NamedTuple):
    """Settings of one training; None for the schedule's own."""

    learning_rate: float | None = None
    warm_up: int | None = None

    @property
    def folder(self) -> str:
        """The name of its folder."""
        rate = [] if self.learning_rate is None else [f"rate-{self.learning_rate:g}"]
        rise = [] if self.warm_up is None else [f"warm-up-{self.warm_up}"]
        return "-".join([*rate, *rise])


class Tried(NamedTuple):
    """A point of a grid, and how the model of its best evaluation does on held-out data."""

    point: Point
    outcome: Outcome
    loss: float
    """Nats per token of right responses, and alpha times the unlikelihood of wrong ones; NaN if it diverged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Settings that may be given several times: then each is tried with each."""

    learning_rate: Annotated[list[float] | None, Option(show_default="by scale")] = None
    """Learning rate of Adam; of several, the best on held-out data is kept. Repeatable."""
    warm_up: Annotated[list[int] | None, Option(metavar="N", show_default="by scale")] = None
    """Updates over which the learning rate rises; of several, the best on held-out data is kept. Repeatable."""

    def points(self) -> list[Point]:
        """Every rate with every warm-up; one point if nothing is given twice."""
        for rate in self.learning_rate or ():
            if not rate > 0:
                raise BadUsage(f"found {rate:g}, expected a number above 0", where="--learning-rate")
        for updates in self.warm_up or ():
            if updates < 0:
                raise BadUsage(f"found {updates}, expected 0 or more updates", where="--warm-up")
        rates: list[float | None] = [*dict.fromkeys(self.learning_rate or ())] or [None]
        rises: list[int | None] = [*dict.fromkeys(self.warm_up or ())] or [None]
        return [Point(rate, rise) for rate in rates for rise in rises]


def best_of(
    points: Sequence[Point], out: Path, alpha: float, train: Callable[[Point, Path], Outcome]
) -> tuple[Outcome, list[Tried]]:
    """Train every point into a folder of its own and keep the best on held-out data in ``out``.

    Each resumes by itself. A point whose loss is not finite is never the best; the first of equals is.
    """
    if len(points) == 1:
        return train(points[0], out), []
    tried = []
    for point in points:
        print(f"{point.folder} ...", file=sys.stderr)
        folder = out / GRID / point.folder
        folder.mkdir(parents=True, exist_ok=True)
        outcome = train(point, folder)
        tried.append(Tried(point, outcome, _loss(outcome, alpha)))
    best = min(tried, key=lambda each: each.loss if each.loss == each.loss else float("inf"))
    shutil.copytree(best.outcome.folder, out, dirs_exist_ok=True)
    write_document(out / RECORD, {"points": [point_row(each, best) for each in tried]})
    return best.outcome, tried


def _loss(outcome: Outcome, alpha: float) -> float:
    held = outcome.best.held_out
    if not held:
        raise BadUsage("a grid is judged on held-out data; give --held-out more than 0", where="--held-out")
    return held["nats"] + alpha * held.get("unlikelihood", 0.0)


def point_row(each: Tried, best: Tried) -> dict[str, object]:
    """The settings and the loss of a point, and whether it was kept."""
    return {
        "learning_rate": each.point.learning_rate,
        "warm_up": each.point.warm_up,
        "held_out": dict(each.outcome.best.held_out or {}),
        "loss": finite(each.loss),
        "kept": each is best,
    }


def print_grid(tried: Sequence[Tried], kept: Outcome) -> None:
    """Print the loss of every point on held-out data."""
    for each in tried:
        held = each.outcome.best.held_out or {}
        wrong = f", unlikelihood {number(held['unlikelihood'], 4)}" if "unlikelihood" in held else ""
        settings = [
            *([] if each.point.learning_rate is None else [f"learning rate {each.point.learning_rate:g}"]),
            *([] if each.point.warm_up is None else [f"warm-up {each.point.warm_up}"]),
        ]
        mark = "  <- kept" if each.outcome is kept else ""
        told = f"{', '.join(settings)}: held-out loss {number(each.loss, 4)}"
        print(f"{told} ({number(held['nats'], 4)} nats per token{wrong}){mark}")
