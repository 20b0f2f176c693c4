"""What tests of neural metrics share; a model loads once a session, because `load_encoder` keeps it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.data.types import Example, Response


@pytest.fixture(scope="session")
def real_examples(shared_data: Path) -> list[Example]:
    """200 responses of DailyDialog++, with one to four references in turn."""
    examples = []
    with (shared_data / "dailydialog-plusplus" / "data_positives.json").open(encoding="utf-8") as file:
        for at, line in zip(range(200), file, strict=False):
            first, *rest = json.loads(line)["positive_responses"]
            examples.append(Example(f"i{at}", "s", (), Response(first), tuple(rest[: at % 4 + 1])))
    return examples
