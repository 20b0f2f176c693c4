"""The format of a file, named before it or with --from, for every verb."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

CHAT = {"messages": [{"role": "user", "content": "Tea?"}, {"role": "assistant", "content": "Yes please."}]}
QUESTION = {
    "id": "q",
    "context": [{"role": "user", "content": "Tea?"}],
    "candidates": [{"text": "Yes.", "correct": True}, {"text": "Seven.", "correct": False}],
}
RATINGS = [
    {"item": item, "system": "s", "rater": rater, "criterion": "c", "value": value}
    for value, item in enumerate("abc")
    for rater in ("ana", "ben")
]
VERBS = {
    "data validate": (["data", "validate", "FILE"], "openai", [CHAT]),
    "data convert": (["data", "convert", "FILE", "out.jsonl", "--as", "prompt"], "openai", [CHAT]),
    "score": (["score", "FILE", "-m", "length"], "openai", [CHAT]),
    "compare": (["compare", "FILE", "other.jsonl", "-m", "length"], "openai", [CHAT]),
    "chat": (["chat", "echo", "--with", "echo", "--turns", "1", "--openings", "FILE"], "openai", [CHAT]),
    "annotate agreement": (["annotate", "agreement", "FILE"], "jsonl", RATINGS),
    "select stats": (["select", "stats", "FILE"], "jsonl", [QUESTION]),
}


@pytest.mark.parametrize("verb", VERBS)
def test_before_the_file_and_as_an_option(dialeval, verb):
    words, form, rows = VERBS[verb]
    Path("file.log").write_text("".join(json.dumps(row) + "\n" for row in rows))
    Path("other.jsonl").write_text(json.dumps(rows[0]))
    before = dialeval(*(f"{form}:file.log" if word == "FILE" else word for word in words))
    options = ["--from", form]
    after = dialeval(*("file.log" if word == "FILE" else word for word in words), *options)
    assert (before.code, after.code) == (0, 0), before.err + after.err
    assert after.out.replace("file.log", f"{form}:file.log") == before.out or verb == "compare"
    unnamed = dialeval(*("file.log" if word == "FILE" else word for word in words))
    assert unnamed.code == 1
    assert "a name that ends in '.log'" in unnamed.err
