"""``dialeval select``: response selection with well-chosen false candidates, from dialogues to a ranking of systems."""

from __future__ import annotations

import typer

from dialeval.cli.select.ask import ask
from dialeval.cli.select.build import build
from dialeval.cli.select.label import label
from dialeval.cli.select.stats import stats
from dialeval.cli.select.vet import tasks, vet

_SUMMARY = "Build a test set of candidates to choose from, and ask systems."
app = typer.Typer(
    no_args_is_help=True,
    help=f"{_SUMMARY}\n\nExample: dialeval select ask questions.jsonl --system tfidf --system my-bot",
    short_help=_SUMMARY,
)
app.command("build")(build)
app.command("tasks")(tasks)
app.command("vet")(vet)
app.command("label")(label)
app.command("stats")(stats)
app.command("ask")(ask)
