"""``dialeval train generator``: response generators from dialogues of your own."""

from __future__ import annotations

import json as jsonlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from dialeval.cli.options import Json, Limit, Seed
from dialeval.cli.train.settings import (
    Changes,
    Epochs,
    Format,
    Machine,
    Minutes,
    Reading,
    Resume,
    Scale,
    check_target,
)

if TYPE_CHECKING:
    from dialeval.systems.trained.config import TrainConfig
    from dialeval.systems.trained.lessons import Split
    from dialeval.systems.trained.training import Outcome

Architecture: TypeAlias = Literal["gru", "lstm", "convs2s", "transformer"]
"""The library's names again, because the parser needs them before the library is loaded; a test keeps them equal."""


def generator(
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="The model's folder; with --roster, a folder with one for each."),
    ],
    corpus: Annotated[
        str | None,
        typer.Argument(metavar="CORPUS", help="Dialogues, prompts with references or examples; - for stdin."),
    ] = None,
    architecture: Annotated[
        Architecture,
        typer.Option(metavar="NAME", help="The kind of network: gru, lstm, convs2s or transformer."),
    ] = "gru",
    scale: Annotated[
        Scale,
        typer.Option("--scale", metavar="NAME", help="Sizes of vocabulary and layers: tiny, small or paper."),
    ] = "tiny",
    layers: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Layers of the encoder, and of the decoder.", show_default="by scale"
        ),
    ] = None,
    epochs: Epochs = None,
    minutes: Minutes = None,
    label_smoothing: Annotated[
        float, typer.Option(min=0, max=0.99, metavar="X", help="Label smoothing of the cross entropy.")
    ] = 0.0,
    learning_rate: Annotated[
        float | None, typer.Option(help="Learning rate of Adam.", show_default="by scale")
    ] = None,
    held_out: Annotated[
        str, typer.Option(metavar="SHARE|FILE", help="Dialogues held out for early stopping; 0 for none.")
    ] = "0.05",
    roster: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE", help="Train all models of a roster: 'paper', 'thesis' or a YAML file."
        ),
    ] = None,
    extra: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FILE", help="A corpus that the roster names. Repeatable."),
    ] = None,
    start_from: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="Train this further: a folder of ours, or a Hugging Face model."),
    ] = None,
    unlikelihood: Annotated[
        str | None,
        typer.Option(metavar="QUESTIONS", help="Make the false candidates of these questions unlikely."),
    ] = None,
    alpha: Annotated[float, typer.Option(min=0, metavar="X", help="Weight of the unlikelihood loss.")] = 1.0,
    device: Annotated[str, typer.Option(help="Where to train: auto, cpu, cuda ...")] = "auto",
    format: Format = None,
    seed: Seed = 0,
    limit: Limit = None,
    resume: Resume = True,
    json: Json = False,
) -> None:
    """Train a response generator, or train one further.

    Killed or interrupted? The same command resumes from the last checkpoint.

    Example: dialeval train generator dialogues.jsonl -o my-bot --architecture lstm --minutes 10
    """
    from dialeval.resources.huggingface import require_torch

    if corpus is None and unlikelihood is None:
        raise typer.BadParameter("give a CORPUS, or questions with --unlikelihood")
    if roster is not None and (start_from is not None or unlikelihood is not None):
        raise typer.BadParameter("--roster takes neither --start-from nor --unlikelihood")
    if start_from is not None and Path(start_from).resolve() == out.resolve():
        raise typer.BadParameter("-o is the folder of --start-from, which would be lost; give another one")
    require_torch("Generators", "tokenizers", "safetensors")
    reading = Reading(format, limit, held_out, seed)
    data = reading.data(corpus, unlikelihood)
    changes = Changes(layers, epochs, label_smoothing, learning_rate, alpha if unlikelihood else 0.0, seed)
    machine = Machine(minutes, device, resume)
    if roster is not None:
        extras = {name: reading.data(path, None) for name, path in map(_named, extra or [])}
        _train_roster(roster, data, extras, scale, changes, machine, out, json)
        return
    check_target(out)
    if start_from is not None:
        done = machine.train_further(data, changes, out, start_from)
    else:
        from dialeval.systems.trained.config import PAPER, scaled

        done = machine.train(data, changes.to(scaled(PAPER[architecture], scale)), out, None)
    _print(done, json)


def _train_roster(
    name: str,
    data: Split,
    extras: dict[str, Split],
    scale: Scale,
    changes: Changes,
    machine: Machine,
    out: Path,
    json: bool,
) -> None:
    from dialeval.files.atomic import write_atomically
    from dialeval.systems.trained.roster import Trial, load_roster, study_lines, train_roster

    roster = load_roster(name)
    for entry in roster.systems:
        check_target(out / entry.name)

    def train(lessons: Split, config: TrainConfig, folder: Path, start: Path | None) -> Outcome:
        print(f"{folder.name} ...", file=sys.stderr)
        return machine.train(lessons, changes.to(config), folder, start)

    trials: list[Trial] = []
    for trial in train_roster(roster, data, extras, scale, out, train):
        trials.append(trial)
        if not json:
            print(_line(trial.entry.name, trial.outcome, trial.reason), flush=True)
    ready = [trial.entry for trial in trials if trial.outcome is not None or trial.entry.huggingface]
    write_atomically(out / "systems.yaml", study_lines(ready, out.resolve()).encode())
    if json:
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
        raise typer.BadParameter(f"--extra {text!r}; expected NAME=FILE")
    return name, path


def _facts(done: Outcome) -> dict[str, object]:
    from dialeval.systems.trained.folder import evaluation_row

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


def _print(done: Outcome, json: bool) -> None:
    if json:
        print(jsonlib.dumps(_facts(done)))
        return
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
    kept = f"{done.folder}"
    print(f"Model: {kept}\nTry it: dialeval chat {kept}")
