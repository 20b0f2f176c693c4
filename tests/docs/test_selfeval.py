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


@pytest.mark.slow
def test_every_command_runs(dialeval, capsys) -> None:
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
    ratings = [
        {"item": f"t{n}", "system": "bot", "rater": "ana", "criterion": "overall", "value": 1 + n % 5}
        for n in range(24)
    ]
    Path("ratings.jsonl").write_text("\n".join(map(json.dumps, ratings)))
    for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            done = dialeval(*shlex.split(line)[1:])
            assert done.code == 0, f"{line}\n{done.err}"
    effects = [json.loads(line) for line in Path("turns.jsonl").read_text().splitlines()][:4]
    assert max(effects, key=lambda line: line["value"])["item"] == "t0/4"
    [code] = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    exec(compile(code, "selfeval.md", "exec"), {})
    assert "t0 turn 4 The train is late again." in capsys.readouterr().out
