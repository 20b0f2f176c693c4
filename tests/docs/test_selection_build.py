"""The page about building a test set: its code runs."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from dialeval.data import read, write
from dialeval.resources import check
from support.paths import DOCS
from support.repositories import LINES, dialogue

PAGE = DOCS / "selection-build.md"


@pytest.mark.slow
def test_the_first_code_of_the_page_runs(tmp_path):
    status = check("all-minilm-l6-v2", verify=False)
    if status.path is None:
        pytest.skip(status.detail)
    code = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.M | re.S)[0]
    assert "m=10" in code
    (tmp_path / "subtitles.txt").write_text("\n".join(LINES[:7]), encoding="utf-8")
    write(tmp_path / "chats.jsonl", [dialogue("chat", *LINES[7:])])
    write(tmp_path / "train.jsonl", [dialogue("train", LINES[3], "Oh.")])
    opening = ("Take it, please.", "Which one do I press?", "This one.")
    write(
        tmp_path / "dialogues.jsonl",
        [dialogue("d", *opening, "Do I have to focus it?"), dialogue("short", *opening)],
    )
    done = subprocess.run(
        [sys.executable, "-c", code.replace("m=10", "m=2")], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "short 3 turns, 4 needed\n"
    [question] = read(tmp_path / "draft.jsonl", "question")
    assert len(question.candidates) == 3
    assert question.status == "unvetted"
