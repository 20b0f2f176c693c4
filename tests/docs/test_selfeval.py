"""The commands and the code on the page about SelF-Eval run as printed."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from support.paths import DOCS

PAGE = (DOCS / "selfeval.md").read_text(encoding="utf-8")
TALK = ("Do you like tea?", "Yes, green tea most of all.", "I prefer black tea.", "The train is late again.")


SMALL = ("--tokens", "40", "--rounds", "2", "--per-level", "2", "--batch", "4", "--minutes", "0.1")
"""Settings of the paper's profile for a tiny encoder that reads 40 tokens."""


def write_dailydialog_plusplus(path: Path, size: int) -> None:
    """Contexts with five good responses each, as the published files have them."""
    rows = [
        {
            "context": [f"{text} {number}" for text in TALK[:3]],
            "positive_responses": [f"Then tea it is, cup {number * 5 + each}." for each in range(5)],
            "adversarial_negative_responses": [f"Black cats drink no tea {each}." for each in range(5)],
            "random_negative_responses": [f"The train is late {number * 5 + each}." for each in range(5)],
        }
        for number in range(size)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def small(line: str, encoder: Path) -> list[str]:
    """A command with a tiny encoder's folder for one of the hub: no test reaches the network."""
    command = shlex.split(line)[1:]
    if "roberta-base" not in command:
        return command
    return [str(encoder) if part == "roberta-base" else part for part in command if part != "--hub"] + [
        *SMALL
    ]


@pytest.mark.slow
def test_every_command_runs(dialeval, capsys, roberta) -> None:
    pytest.importorskip("torch")
    talks = []
    for number in range(24):
        texts = [f"{text} {number}" if number else text for text in TALK]
        roles = ("user", "assistant", "user", "assistant")
        messages = [{"role": role, "content": text} for role, text in zip(roles, texts, strict=True)]
        talks.append({"id": f"t{number}", "system": "bot", "messages": messages})
    lines = "\n".join(map(json.dumps, talks))
    Path("talks.jsonl").write_text(lines)
    Path("logs.jsonl").write_text(lines)
    Path("three-corpora.jsonl").write_text(lines)
    for name, size in (("data_positives.json", 4), ("dev.json", 3), ("test.json", 3)):
        write_dailydialog_plusplus(Path(name), size)
    ratings = [
        {"item": f"t{n}", "system": "bot", "rater": "ana", "criterion": "overall", "value": 1 + n % 5}
        for n in range(24)
    ]
    Path("ratings.jsonl").write_text("\n".join(map(json.dumps, ratings)))
    for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            done = dialeval(*small(line, roberta))
            assert done.code == 0, f"{line}\n{done.err}"
    effects = [json.loads(line) for line in Path("turns.jsonl").read_text().splitlines()][:4]
    assert max(effects, key=lambda line: line["value"])["item"] == "t0/4"
    [code] = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    exec(compile(code, "selfeval.md", "exec"), {})
    assert "t0 turn 4 The train is late again." in capsys.readouterr().out
