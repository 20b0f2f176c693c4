"""Lines with a dialogue act: it is the last turn of the context, which systems answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dialeval.data import read, write
from dialeval.data.types import Kind, Turn
from dialeval.errors import BadInput


def lines(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_an_act_is_the_turn_to_answer(tmp_path: Path) -> None:
    said = {"role": "user", "content": "Where can I eat?"}
    act = {"act": "inform", "slots": {"name": "é"}}
    path = lines(
        tmp_path / "acts.jsonl", {"id": "1", "act": "bye()"}, {"id": "2", "act": act, "context": [said]}
    )
    first, second = read(path, "prompt")
    assert first.context == (Turn("user", "bye()", "act"),)
    assert second.context == (
        Turn("user", "Where can I eat?"),
        Turn("user", json.dumps(act, ensure_ascii=False), "act"),
    )


def test_it_is_written_as_a_turn_and_read_back_once(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", {"id": "1", "system": "s", "act": "bye()", "response": "Bye."})
    (example,) = read(path, "example")
    write(tmp_path / "b.jsonl", [example])
    assert list(read(tmp_path / "b.jsonl", "example")) == [example]


@pytest.mark.parametrize("act", [7, "", True])
def test_what_cannot_be_an_act_is_refused(tmp_path: Path, act: object) -> None:
    path = lines(tmp_path / "a.jsonl", {"id": "1", "act": act})
    with pytest.raises(BadInput) as caught:
        list(read(path, "prompt"))
    assert (caught.value.line, caught.value.field) == (1, "act")


CONTEXT = [{"role": "user", "content": "Hi."}]
LINES: dict[Kind, dict[str, Any]] = {
    "dialogue": {"id": "a", "messages": CONTEXT},
    "question": {"id": "a", "context": CONTEXT, "candidates": [{"text": "Hello.", "correct": True}]},
    "nbest": {"id": "a", "system": "s", "context": CONTEXT, "responses": [{"text": "Hello."}]},
    "prompt": {"id": "a", "context": CONTEXT},
    "example": {"id": "a", "system": "s", "context": CONTEXT, "response": "Hello."},
}


def turns(path: Path, kind: Kind, line: dict[str, Any]) -> list[str]:
    (record,) = read(lines(path, line), kind)
    return [turn.text for turn in (record.turns if kind == "dialogue" else record.context)]


@pytest.mark.parametrize("kind", ["dialogue", "question", "nbest"])
@pytest.mark.parametrize("act", [[1, 2], 3, "statement"])
def test_labels_called_act_are_no_turns(tmp_path: Path, kind: Kind, act: object) -> None:
    assert turns(tmp_path / "a.jsonl", kind, {**LINES[kind], "act": act}) == ["Hi."]


@pytest.mark.parametrize("kind", ["prompt", "example"])
@pytest.mark.parametrize("act", [[1, 2], 3])
def test_numbers_beside_a_context_are_labels(tmp_path: Path, kind: Kind, act: object) -> None:
    assert turns(tmp_path / "a.jsonl", kind, {**LINES[kind], "act": act}) == ["Hi."]
