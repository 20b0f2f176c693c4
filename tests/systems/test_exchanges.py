from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.errors import BadInput
from dialeval.systems.exchanges import exchanges


def write(path: Path, *records: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def message(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def found(path: Path) -> list[tuple[tuple[str, ...], str]]:
    return [(exchange.context, exchange.response) for exchange in exchanges(path)]


def test_every_turn_of_a_dialogue_answers_those_before_it(tmp_path: Path) -> None:
    path = write(tmp_path / "d.jsonl", {"id": "1", "messages": [message("a"), message(" "), message("c")]})
    assert found(path) == [((), "a"), (("a", " "), "c")]  # the blank turn is context, but no answer


def test_instructions_to_a_system_are_neither_context_nor_answer(tmp_path: Path) -> None:
    told = [
        {"role": "system", "content": "You are kind."},
        message("a"),
        {"role": "developer", "content": "!"},
    ]
    path = write(tmp_path / "d.jsonl", {"id": "1", "messages": [*told, message("b")]})
    assert found(path) == [((), "a"), (("a",), "b")]
    path = write(tmp_path / "p.jsonl", {"id": "1", "context": told, "references": ["c"]})
    assert found(path) == [(("a",), "c")]


def test_every_reference_of_a_prompt_answers_its_context(tmp_path: Path) -> None:
    path = write(
        tmp_path / "p.jsonl",
        {"id": "1", "context": [message("a"), message("b")], "references": ["c", "d"]},
        {"id": "2", "context": [message("e")]},
    )
    assert found(path) == [(("a", "b"), "c"), (("a", "b"), "d")]


def test_what_people_said_goes_before_what_a_system_said(tmp_path: Path) -> None:
    path = write(
        tmp_path / "e.jsonl",
        {"id": "1", "system": "s", "context": [message("a")], "response": "bot", "references": ["human"]},
        {"id": "2", "system": "s", "context": [message("b")], "response": "bot"},
    )
    assert found(path) == [(("a",), "human"), (("b",), "bot")]


def test_a_file_is_read_again_only_when_it_changes(tmp_path: Path) -> None:
    path = write(tmp_path / "d.jsonl", {"id": "1", "messages": [message("a"), message("b")]})
    first = exchanges(path)
    assert exchanges(path) is first
    write(path, {"id": "1", "messages": [message("a"), message("longer")]})
    assert exchanges(path)[-1].response == "longer"


def test_a_file_without_an_answer_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", {"id": "1", "context": [message("a")]})
    with pytest.raises(
        BadInput, match="no turn that answers another, expected dialogues, or prompts with references"
    ):
        exchanges(path)
