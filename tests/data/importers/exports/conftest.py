"""What the tests of exports share."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from dialeval.data import read


@pytest.fixture
def export(tmp_path):
    """Write an object, or a list of lines, as a tool would, and return the path."""

    def export(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = name.endswith(".jsonl")
        text = "".join(json.dumps(line) + "\n" for line in content) if lines else json.dumps(content)
        path.write_text(text, encoding="utf-8")
        return path

    return export


@pytest.fixture
def said():
    """Return the one dialogue of a file as (speaker, text) and the names of the tools that it calls."""

    def said(path, **options):
        (dialogue,) = read(path, "dialogue", **options)
        return dialogue.item, [(turn.speaker, turn.text) for turn in dialogue.turns], tools(dialogue)

    return said


def tools(dialogue):
    """The names of the tools that a dialogue calls, in order."""
    return [
        call["function"]["name"]
        for turn in dialogue.turns
        for call in (turn.extra or {}).get("tool_calls", [])
    ]


@pytest.fixture
def counted():
    """Return the turns of each speaker in all dialogues of a file."""

    def counted(path, **options):
        return Counter(turn.speaker for one in read(path, "dialogue", **options) for turn in one.turns)

    return counted
