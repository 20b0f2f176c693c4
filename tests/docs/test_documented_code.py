"""The Python on the pages of data, metrics and reports runs as it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from support.paths import DOCS


def run_blocks(page: str) -> None:
    blocks = re.findall(
        r"^```python\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert blocks
    exec(compile("\n".join(blocks), page, "exec"), {})


def test_the_page_on_metrics() -> None:
    run_blocks("metrics.md")


def test_the_page_on_corpus_measures(capsys: pytest.CaptureFixture[str]) -> None:
    run_blocks("corpus-measures.md")
    # Eight bigrams, "I see" twice: seven of them distinct.
    assert capsys.readouterr().out.startswith("Estimate(value=0.875,")


def test_the_page_on_importing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    chat = {"conversations": [{"from": "human", "value": "Hi."}, {"from": "gpt", "value": "Hello."}]}
    Path("chats.json").write_text(json.dumps([chat]))
    for name in ("output.txt", "ref1.txt", "ref2.txt"):
        Path(name).write_text("hello\n")
    run_blocks("importing.md")
    assert Path("dialogues.jsonl").exists()


def test_the_page_on_reports(
    make_run: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    Path("runs/monday").symlink_to(make_run())
    run_blocks("report.md")
    assert capsys.readouterr().out.startswith("### support-bots: 2 systems on 12 items")
