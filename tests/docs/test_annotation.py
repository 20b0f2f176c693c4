"""The page about human ratings works as printed, and shows every kind."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from dialeval.annotation.kinds import KINDS
from support.command import Command
from support.paths import DOCS

PAGE = (DOCS / "annotation.md").read_text(encoding="utf-8")


def serve(words: list[str]) -> list[str]:
    """The first lines of ``annotate serve``, whose pages open; it is stopped at the end."""
    command = [sys.executable, "-m", "dialeval", *words[:-1], "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            links = [server.stdout.readline().strip() for _ in range(4)]
            for link in links:
                opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
                with opener.open(link, timeout=60) as page:
                    assert b"</html>" in page.read()
        finally:
            server.kill()
    return links


@pytest.mark.slow
def test_every_command_runs_in_order(dialeval: Command) -> None:
    for title, block in re.findall(r'^```json title="([\w.]+)"\n(.*?)^```', PAGE, re.DOTALL | re.MULTILINE):
        Path(title).write_text(block, encoding="utf-8")
    printed = ""
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    commands = [line for block in blocks for line in block.splitlines()]
    for line in commands:
        words = shlex.split(line)[1:]
        if words[:2] == ["annotate", "serve"]:
            assert words[-2] == "--port"
            assert ["/o/" in link for link in serve(words)] == [True, False, False, False]
            continue
        done = dialeval(*words)
        assert done.code == 0, f"{line}\n{done.err}"
        printed += done.out
    assert len(commands) == 10
    judgements = [json.loads(line) for line in Path("judgements.jsonl").read_text().splitlines()]
    assert len(judgements) == 4 * 3
    assert {row["criterion"] for row in judgements} == {"overall"}
    assert {row["system"] for row in judgements} == {"old", "new"}
    pairs = [json.loads(line) for line in Path("contradictions.jsonl").read_text().splitlines()]
    assert [(row["item"], row["criterion"]) for row in pairs] == [("d1", "contradiction")] * 2
    assert "overall" in printed


def test_every_kind_is_on_the_page_with_a_picture_that_is_there_and_small() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == list(KINDS)
    pictures = re.findall(r"\]\((pictures/[\w-]+\.png)\)", PAGE)
    assert {f"pictures/annotation-{kind}.png" for kind in KINDS} <= set(pictures)
    assert all((DOCS / picture).stat().st_size < 60_000 for picture in pictures)
