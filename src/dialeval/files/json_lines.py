"""Rows of facts as JSON Lines, in files that appear whole."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from dialeval.files.atomic import write_atomically


def write_json_lines(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Write an object a line; a number that is none is our mistake, and refused."""
    lines = (json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
    write_atomically(path, "".join(lines).encode())
