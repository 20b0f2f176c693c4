"""Write docs/cli.md from the commands' own help, so that it cannot drift; a test compares the two."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.update(TERMINAL_WIDTH="80", NO_COLOR="1", TERM="dumb")  # before typer reads them

from typer.testing import CliRunner

from dialeval.cli import app

VERBS = (
    "demo",
    "run",
    "score",
    "compare",
    "meta",
    "report",
    "chat",
    "systems",
    "systems ls",
    "annotate",
    "annotate agreement",
    "data",
    "data ls",
    "data validate",
    "data convert",
    "resources",
    "resources ls",
    "resources verify",
    "select",
    "select build",
    "select tasks",
    "select vet",
    "select label",
    "select stats",
    "select ask",
    "train",
    "train skip-thought",
    "train generator",
    "doctor",
)


def reference() -> str:
    """The page: every verb's help as the terminal shows it at 80 columns."""
    parts = ["# Command line\n\nWritten from `--help` by `docs/write_cli.py`.\n"]
    for verb in ("", *VERBS):
        command = f"dialeval {verb}".strip()
        shown = CliRunner().invoke(app, [*verb.split(), "--help"], prog_name="dialeval").output
        text = "\n".join(line.rstrip() for line in shown.strip().splitlines())
        parts.append(f"## {command}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    target = Path(__file__).with_name("cli.md")
    target.write_text(reference(), encoding="utf-8")
    print(f"wrote {target}", file=sys.stderr)
