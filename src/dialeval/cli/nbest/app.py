"""``dialeval nbest``: is there an answer that does not contradict among the n best, and how many are there?"""

from __future__ import annotations

import typer

from dialeval.cli.nbest.answers import answers
from dialeval.cli.nbest.measure import measure
from dialeval.cli.nbest.shares import shares
from dialeval.cli.nbest.stimuli import stimuli

_SUMMARY = "Contradictions among n-best responses: make stimuli, measure Certainty and Variety."
app = typer.Typer(
    no_args_is_help=True,
    help=f"{_SUMMARY}\n\nExample: dialeval nbest measure stimuli.jsonl --system smollm2-135m-instruct",
    short_help=_SUMMARY,
)
app.command("stimuli")(stimuli)
app.command("measure")(measure)
app.command("answers")(answers)
app.command("shares")(shares)
