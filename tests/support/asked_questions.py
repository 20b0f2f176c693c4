"""Questions on trains, and how many of them each of two recorded systems gets right."""

from __future__ import annotations

import json
from pathlib import Path

N = 16
SKILL = {"good": 14, "poor": 4}
"""In how many of the questions each system finds the right candidate likeliest."""


def write(path: Path, rows: list[dict]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
