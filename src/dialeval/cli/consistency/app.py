"""``dialeval consistency``: the verbs around contradictions."""

from __future__ import annotations

import typer

from dialeval.cli.consistency.analyse import analyse
from dialeval.cli.consistency.collect import collect
from dialeval.cli.consistency.detect import detect
from dialeval.cli.consistency.evaluate import evaluate
from dialeval.cli.consistency.label import label, tasks
from dialeval.cli.consistency.probe import probe

_SUMMARY = "Provoke contradictions, find them, and quote the two turns."
app = typer.Typer(
    no_args_is_help=True,
    help=f"{_SUMMARY}\n\nExample: dialeval consistency detect dialogues.jsonl",
    short_help=_SUMMARY,
)
app.command("probe")(probe)
app.command("collect")(collect)
app.command("detect")(detect)
app.command("tasks")(tasks)
app.command("label")(label)
app.command("analyse")(analyse)
app.command("evaluate")(evaluate)
