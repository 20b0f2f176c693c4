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


def test_what_many_files_have_in_common_is_said_of_two(dialeval):
    lines = "".join(f"{n};Hello {n}\n" for n in range(4))
    Path("p.jsonl").write_text(
        "".join(json.dumps({"id": str(n), "context": "Hi", "references": ["Hello"]}) + "\n" for n in range(4))
    )
    for number in range(10):
        Path(f"s{number}.csv").write_text(f"id;response\n{lines}")
    systems = [{"name": f"s{n}", "kind": "transcript", "path": f"s{n}.csv"} for n in range(10)]
    study = {"data": "p.jsonl", "systems": systems, "measures": ["length"]}
    Path("study.yaml").write_text(json.dumps(study))
    done = dialeval("run", "study.yaml", "-o", "out")
    assert done.code == 0, done.err
    told = [line for line in done.err.splitlines() if "semicolons" in line]
    assert told == [
        "note: s0.csv: read with semicolons between the cells",
        "note: s1.csv: read with semicolons between the cells (not repeated for further files)",
    ]
