"""The verbs of the command line, each imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

VERBS: Final = {
    "demo": "demo:demo",
    "init": "init:init",
    "run": "run:run",
    "score": "score:score",
    "merge": "merge:merge",
    "compare": "compare:compare",
    "meta": "meta.app:meta",
    "report": "report:report",
    "chat": "chat:chat",
    "annotate": "annotate.app:app",
    "consistency": "consistency.app:app",
    "data": "data:app",
    "nbest": "nbest.app:app",
    "nlg": "nlg.app:app",
    "resources": "resources:app",
    "select": "select.app:app",
    "systems": "systems:app",
    "train": "train.app:app",
    "docs": "docs:docs",
    "doctor": "doctor:doctor",
}
"""Each verb, and the function or the group of further verbs behind it."""


def behind(verb: str) -> Any:
    """The function of a verb, or its group of further verbs."""
    module, _, name = VERBS[verb].partition(":")
    return getattr(import_module(f"dialeval.cli.{module}"), name)
