"""Write docs/cli.md from the commands' own help, so that it cannot drift; a test compares the two."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.update(TERMINAL_WIDTH="80", NO_COLOR="1", TERM="dumb")  # before typer reads them

from typer.main import get_command
from typer.testing import CliRunner

from dialeval.cli import app_of


def verbs(command: Any, name: str = "") -> Iterator[str]:
    """The command's name and those of its commands, in the order of the help."""
    yield name
    for inner in getattr(command, "commands", {}).values():
        yield from verbs(inner, f"{name} {inner.name}".strip())


def reference() -> str:
    """The page: every verb's help as the terminal shows it at 80 columns."""
    parts = ["# Command line\n\nWritten from `--help` by `docs/write_cli.py`.\n"]
    for verb in verbs(get_command(app_of())):
        command = f"dialeval {verb}".strip()
        shown = CliRunner().invoke(app_of(), [*verb.split(), "--help"], prog_name="dialeval").output
        text = "\n".join(line.rstrip() for line in shown.strip().splitlines())
        parts.append(f"## {command}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    target = Path(__file__).with_name("cli.md")
    target.write_text(reference(), encoding="utf-8")
    print(f"wrote {target}", file=sys.stderr)
