"""What tests of neural metrics share; a model loads once a session, because `load_encoder` keeps it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.data.types import Example, Response
from dialeval.errors import ResourceUnavailable
from dialeval.metrics.encoder import Encoder, load_encoder
from dialeval.metrics.encoder_files import Weights, find_encoder


@pytest.fixture(scope="session")
def minilm() -> Weights:
    """The embedded encoder's files."""
    try:
        return find_encoder("minilm")
    except ResourceUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def encoder(minilm: Weights) -> Encoder:
    """The embedded encoder, loaded."""
    return load_encoder(minilm)


@pytest.fixture(scope="session")
def real_examples(shared_data: Path) -> list[Example]:
    """200 responses of DailyDialog++, with one to four references in turn."""
    examples = []
    with (shared_data / "dailydialog-plusplus" / "data_positives.json").open(encoding="utf-8") as file:
        for at, line in zip(range(200), file, strict=False):
            first, *rest = json.loads(line)["positive_responses"]
            examples.append(Example(f"i{at}", "s", (), Response(first), tuple(rest[: at % 4 + 1])))
    return examples
