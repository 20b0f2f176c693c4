"""Lines of real dialogue for tests that compare our tokenisers with others'."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real_lines(shared_data: Path) -> list[str]:
    """Some 80,000 different lines: tokenised DailyDialog, its lower-case references, untidy Topical-Chat."""
    lines: dict[str, None] = {}
    for name in ("multirefeval/multireftest.json", "dailydialog/test.json", "dailydialog/valid.json"):
        for row in (shared_data / name).read_text(encoding="utf-8").splitlines():
            for turn in json.loads(row)["dialogue"]:
                lines.update(dict.fromkeys([turn["text"], *turn.get("responses", [])]))
    for name in ("valid_freq", "test_freq"):
        with gzip.open(shared_data / "topical-chat" / f"{name}.json.gz", "rt", encoding="utf-8") as file:
            for talk in json.load(file).values():
                lines.update(dict.fromkeys(turn["message"] for turn in talk["content"]))
    return list(lines)
