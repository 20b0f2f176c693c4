"""``dialeval train generator``: response generators from dialogues of your own."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dialeval.cli.parsing.parameters import BadUsage
from dialeval.cli.train.grid import Grid, Point, Tried, best_of, point_row, print_grid
from dialeval.cli.train.settings import Training, check_target, read_corpus, warn_of_shortfall
from dialeval.data import Dialogue, Example, Prompt, Question
from dialeval.files.atomic import write_atomically
from dialeval.options import Argument, Option, Options
from dialeval.resources.huggingface import require_torch
from dialeval.systems.trained.config import LAYOUT, PAPER, Architecture, Scale, TrainConfig, scaled

if TYPE_CHECKING:
    from dialeval.systems.trained.lessons import Lesson, Split
    from dialeval.systems.trained.trainer import Outcome
    from dialeval.training.loop import Session
    from dialeval.training.schedule import Schedule


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Changes of the settings of a scale."""

    layers: Annotated[int | None, Option(min=1, metavar="N", show_default="by scale")] = None
    """Layers of the encoder, and of the decoder."""
    label_smoothing: Annotated[float, Option(min=0, max=0.99, metavar="X")] = 0.0
    """Label smoothing of the cross entropy."""
    alpha: Annotated[float, Option(min=0, metavar="X")] = 1.0
    """Weight of the unlikelihood loss."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Lessons from files."""

    training: Training
    held_out: str

    def data(self, corpus: str | None, questions: str | None) -> Split:
        """Return the lessons of both files, and those held out."""
        from dialeval.systems.trained.lessons import Split, split

        try:
            share = float(self.held_out)
        except ValueError:
            # The file holds what the first one holds: a corpus, or else questions.
            others = self._lessons(self.held_out, None) if corpus else self._lessons(None, self.held_out)
            data = Split(self._lessons(corpus, questions), others)
        else:
            if not 0 <= share < 1:
                raise BadUsage(f"--held-out is {share:g}; expected a share from 0 up to 1, or a file")
            data = split(self._lessons(corpus, questions), share, self.training.seed)
        print(f"{len(data.train)} responses in context, {len(data.held_out)} held out", file=sys.stderr)
        return data

    def _lessons(self, corpus: str | None, questions: str | None) -> list[Lesson]:
        from dialeval.systems.trained.lessons import contrasts, lessons

        data: list[Lesson] = []
        if corpus is not None:
            expected = "dialogues, prompts with references or examples"
            records: Iterator[Dialogue | Prompt | Example] = read_corpus(
                corpus, self.training.format, (Dialogue, Prompt, Example), expected
            )
            data += lessons(islice(records, self.training.limit))
        if questions is not None:
            asked = read_corpus(questions, self.training.format, (Question,), "questions", kind="question")
            data += contrasts(islice(asked, self.training.limit))
        return data


@dataclass(frozen=True, slots=True)
class Machine:
    """Training of generators with the same changes."""

    training: Training
    changes: Changes
    point: Point

    def changed(self, config: TrainConfig) -> TrainConfig:
        """Return the settings with the changes."""
        shape = replace(config.shape, layers=self.changes.layers or config.shape.layers)
        return replace(
            config,
            shape=shape,
            schedule=self._schedule(config.schedule),
            label_smoothing=self.changes.label_smoothing,
            alpha=self.changes.alpha,
        )

    def _schedule(self, base: Schedule) -> Schedule:
        own = replace(self.training, learning_rate=self.point.learning_rate).precise(base)
        return own if self.point.warm_up is None else replace(own, warm_up=self.point.warm_up)

    def train(self, data: Split, config: TrainConfig, folder: Path, start: Path | None) -> Outcome:
        """Train a generator of ours, from scratch or from another one."""
        from dialeval.systems.trained.trainer import train

        with self._session(data, config, folder) as started:
            outcome = train(data, config, folder, start=start, session=started)
        warn_of_shortfall(outcome.shortfall)
        return outcome

    def train_further(self, data: Split, folder: Path, start: str) -> Outcome:
        """Train a generator of ours or a Hugging Face model further."""
        from dialeval.systems.trained.trainer import further

        if (Path(start) / LAYOUT.marker).is_file():
            return self.train(data, self.changed(further(Path(start))), folder, Path(start))
        from dialeval.systems.trained.pretrained import TUNING, tune

        config = self.changed(TUNING)
        with self._session(data, config, folder) as started:
            outcome = tune(data, config, folder, start, session=started)
        warn_of_shortfall(outcome.shortfall)
        return outcome

    def _session(self, data: Split, config: TrainConfig, folder: Path) -> AbstractContextManager[Session]:
        return self.training.session(folder.name, len(data.train) * config.schedule.epochs)


def generator(
    out: Annotated[
        Path,
        Option("--out", "-o", help="The model's folder; with --roster, a folder with one for each."),
    ],
    corpus: Annotated[
        str | None,
        Argument(metavar="CORPUS", help="Dialogues, prompts with references or examples; - for stdin."),
    ] = None,
    architecture: Annotated[
        Architecture,
        Option(
            "--architecture", metavar="NAME", help="The kind of network: gru, lstm, convs2s or transformer."
        ),
    ] = "gru",
    scale: Annotated[
        Scale,
        Option("--scale", metavar="NAME", help="Sizes of vocabulary and layers: tiny, small or paper."),
    ] = "tiny",
    changes: Changes = Changes(),
    held_out: Annotated[
        str,
        Option("--held-out", metavar="SHARE|FILE", help="Dialogues held out for early stopping; 0 for none."),
    ] = "0.05",
    roster: Annotated[
        str | None,
        Option(
            "--roster",
            metavar="NAME|FILE",
            help="Train all models of a roster: 'paper', 'thesis' or a YAML file.",
        ),
    ] = None,
    extra: Annotated[
        list[str] | None,
        Option("--extra", metavar="NAME=FILE", help="A corpus that the roster names. Repeatable."),
    ] = None,
    start_from: Annotated[
        str | None,
        Option(
            "--start-from",
            metavar="MODEL",
            help="Train this further: a folder of ours, or a Hugging Face model.",
        ),
    ] = None,
    unlikelihood: Annotated[
        str | None,
        Option(
            "--unlikelihood",
            metavar="QUESTIONS",
            help="Make the false candidates of these questions unlikely.",
        ),
    ] = None,
    grid: Grid = Grid(),
    training: Annotated[
        Training,
        Options(
            *("epochs", "minutes", "device", "precision"),
            *("format", "seed", "limit", "resume", "json"),
        ),
    ] = Training(),
) -> None:
    """Train a response generator, or train one further.

    Of several learning rates or warm-ups each is tried with each, and the model that is best on held-out data is kept;
    grid/ has the others. Killed or interrupted? The same command resumes from the last checkpoint.

    Example: dialeval train generator dialogues.jsonl -o my-bot --architecture lstm --minutes 10

    Example: dialeval train generator --unlikelihood questions.jsonl --start-from my-bot -o careful --learning-rate 7e-5
    --learning-rate 7e-6 --warm-up 50 --warm-up 100
    """
    if corpus is None and unlikelihood is None:
        raise BadUsage("give a CORPUS, or questions with --unlikelihood")
    if roster is not None and (start_from is not None or unlikelihood is not None):
        raise BadUsage("--roster takes neither --start-from nor --unlikelihood")
    points = grid.points()
    if roster is not None and len(points) > 1:
        raise BadUsage("--roster takes one learning rate and one warm-up")
    if start_from is not None and Path(start_from).resolve() == out.resolve():
        raise BadUsage("-o is the folder of --start-from, which would be lost; give another one")
    require_torch("Generators", "tokenizers", "safetensors")
    reading = Reading(training, held_out)
    data = reading.data(corpus, unlikelihood)
    changes = changes if unlikelihood else replace(changes, alpha=0.0)
    if len(points) > 1 and not data.held_out:
        raise BadUsage("a grid is judged on held-out data; give a share above 0", where="--held-out")
    machine = Machine(training, changes, points[0])
    if roster is not None:
        extras = {name: reading.data(path, None) for name, path in map(_named, extra or [])}
        _train_roster(roster, data, extras, scale, machine, out)
        return
    check_target(out)

    def train(point: Point, folder: Path) -> Outcome:
        one = replace(machine, point=point)
        if start_from is not None:
            return one.train_further(data, folder, start_from)
        return one.train(data, one.changed(scaled(PAPER[architecture], scale)), folder, None)

    done, tried = best_of(points, out, changes.alpha, train)
    _print(done, tried, out, training.json)


def _train_roster(
    name: str,
    data: Split,
    extras: dict[str, Split],
    scale: Scale,
    machine: Machine,
    out: Path,
) -> None:
    from dialeval.systems.trained.roster import Trial, load_roster, study_lines, train_roster

    roster = load_roster(name)
    for entry in roster.systems:
        check_target(out / entry.name)

    def train(lessons: Split, config: TrainConfig, folder: Path, start: Path | None) -> Outcome:
        print(f"{folder.name} ...", file=sys.stderr)
        return machine.train(lessons, machine.changed(config), folder, start)

    def tune(lessons: Split, folder: Path, model: str) -> Outcome:
        print(f"{folder.name} ...", file=sys.stderr)
        return machine.train_further(lessons, folder, model)

    trials: list[Trial] = []
    for trial in train_roster(roster, data, extras, scale, out, train, tune):
        trials.append(trial)
        if not machine.training.json:
            print(_line(trial.entry.name, trial.outcome, trial.reason), flush=True)
    ready = [trial.entry for trial in trials if trial.ready]
    write_atomically(out / "systems.yaml", study_lines(ready, out.resolve()).encode())
    if machine.training.json:
        rows = [
            {
                "name": trial.entry.name,
                "reason": trial.reason or None,
                **(_facts(trial.outcome) if trial.outcome else {}),
            }
            for trial in trials
        ]
        print(jsonlib.dumps({"source": roster.source, "systems": rows}))
        return
    print(f"For a study: {out / 'systems.yaml'}")


def _line(name: str, outcome: Outcome | None, reason: str) -> str:
    if outcome is None:
        return f"{name:<28} {reason}"
    measured = "no perplexity" if outcome.perplexity is None else f"perplexity {outcome.perplexity:8.2f}"
    return f"{name:<28} {measured}   {outcome.parameters:>12,} weights"


def _named(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not equals or not name or not path:
        raise BadUsage(f"--extra {text!r}; expected NAME=FILE")
    return name, path


def _facts(done: Outcome) -> dict[str, object]:
    from dialeval.systems.trained.generator import evaluation_row

    return {
        "folder": str(done.folder),
        "responses": done.lessons,
        "held_out": done.held_out,
        "weights": done.parameters,
        "subwords": done.vocabulary,
        "ending": done.ending,
        "perplexity": done.perplexity,
        "looks": [{**evaluation_row(each), "seconds": round(each.seconds, 1)} for each in done.history],
    }


def _print(done: Outcome, tried: Sequence[Tried], out: Path, json: bool) -> None:
    best = next((each for each in tried if each.outcome is done), None)
    if json:
        points = {} if best is None else {"grid": [point_row(each, best) for each in tried]}
        print(jsonlib.dumps({**_facts(done), "folder": str(out), **points}))
        return
    print_grid(tried, done)
    for evaluation in done.history:
        numbers = evaluation.held_out or {}
        held = f", held out {numbers['nats']:.4f}" if numbers else ""
        wrong = numbers.get("unlikelihood")
        print(
            f"epoch {evaluation.epoch:.2f}: {evaluation.train['nats']:.4f} nats per token{held}"
            + ("" if wrong is None else f", unlikelihood {wrong:.4f}")
        )
    endings = {
        "epochs": "all epochs done",
        "patience": "no more improvement",
        "minutes": "time is up",
    }
    held = "" if done.perplexity is None else f"; held-out perplexity {done.perplexity:.2f}"
    print(f"{endings[done.ending]}{held}")
    kept = f"{out}"
    print(f"Model: {kept}\nTry it: dialeval chat {kept}")
