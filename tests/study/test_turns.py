"""A study with a measure that weighs turns: what the summary says of them, and the page."""

from __future__ import annotations

import json
from pathlib import Path

from dialeval.encoder.files import Weights

SAID = ("I have a dog.", "What is your dog called?", "Max, he is a <b>big</b> dog.")


def test_the_page_marks_the_turn_that_hurts(dialeval, minilm: Weights) -> None:
    context = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(SAID)]
    Path("prompts.jsonl").write_text(json.dumps({"id": "p", "context": context}) + "\n")
    answer = {"id": "p", "system": "bot", "context": context, "response": "The train leaves at nine."}
    Path("bot.jsonl").write_text(json.dumps(answer) + "\n")
    systems = "systems: [{name: bot, kind: transcript, path: bot.jsonl}]"
    Path("study.yaml").write_text(f"name: s\ndata: prompts.jsonl\n{systems}\nmeasures: [selfeval, length]\n")
    assert dialeval("run", "study.yaml", "-o", "out").code == 0
    [weighed] = json.loads(Path("out/summary.json").read_text())["turns"]
    assert (weighed["measure"], weighed["system"], weighed["item"]) == ("selfeval", "bot", "p")
    assert [turn["worst"] for turn in weighed["turns"]] == [False, False, False, True]
    page = Path("out/report.html").read_text()
    assert page.count("hurts most") == 1
    assert "<b>big</b>" not in page
    # The page can be rendered again from the folder.
    Path("out/report.html").unlink()
    assert dialeval("report", "out").code == 0
    assert Path("out/report.html").read_text() == page
