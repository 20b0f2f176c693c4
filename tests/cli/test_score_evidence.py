"""What metrics found in single responses, in the file that --per-item writes."""

from __future__ import annotations

import json
from pathlib import Path


def test_judgements_of_facts_say_what_is_contradicted(dialeval, tmp_path: Path) -> None:
    rows = [
        {"id": "1", "system": "s", "context": [], "response": "It is $7.", "references": ["It is $5."]},
        {"id": "2", "system": "s", "context": [], "response": "It is $5.", "references": ["It is $5."]},
        {"id": "3", "system": "s", "context": [], "response": "It is $5.", "references": ["Hello there."]},
    ]
    data, out = tmp_path / "examples.jsonl", tmp_path / "values.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = dialeval("score", data, "-m", "facts", "-m", "rouge_l", "--per-item", out)
    assert done.code == 0, done.err
    found = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [line.get("evidence") for line in found] == ["contradicted: $5 (said: $7)", *[None] * 5]
    assert [line["value"] for line in found[:3]] == [0.0, 1.0, None]
    assert found[2]["reason"] == "no fact in the reference"
