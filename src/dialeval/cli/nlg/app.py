"""``dialeval nlg``: sentences from dialogue acts, and their slot errors."""

from __future__ import annotations

import typer

from dialeval.cli.nlg.generate import generate
from dialeval.cli.nlg.score import score

_SUMMARY = "Task-oriented generation: put dialogue acts into words, count what was left out, wrong, added or repeated."
app = typer.Typer(
    no_args_is_help=True,
    help=f"{_SUMMARY}\n\nExample: dialeval nlg score outputs.jsonl --json",
    short_help=_SUMMARY,
)
app.command("generate")(generate)
app.command("score")(score)
