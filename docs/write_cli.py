"""Write docs/cli.md from the commands' own help, so that it cannot drift; a test compares the two."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from dialeval.cli.parsing.help import help_of
from dialeval.cli.verbs import COMMANDS, Group, Verb


def paths(command: Verb | Group = COMMANDS, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The names of every group and verb, in the order of the help."""
    yield path
    if isinstance(command, Group):
        for name, inner in command.commands.items():
            yield from paths(inner, (*path, name))


def reference() -> str:
    """The page: every verb's help as the terminal shows it at 80 columns."""
    os.environ["COLUMNS"] = "80"
    parts = ["# Command line\n\nWritten from `--help` by `docs/write_cli.py`.\n"]
    for path in paths():
        parts.append(f"## {' '.join(('dialeval', *path))}\n\n```text\n{help_of(path)}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    target = Path(__file__).with_name("cli.md")
    target.write_text(reference(), encoding="utf-8")
    print(f"wrote {target}", file=sys.stderr)
