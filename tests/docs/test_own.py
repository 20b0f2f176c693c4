"""The examples on the page about one's own parts work as printed."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from support.paths import DOCS

PAGE = (DOCS / "own.md").read_text(encoding="utf-8")


def test_every_example_runs(dialeval):
    for title, block in re.findall(
        r'^```\w+ title="(\w+\.(?:py|yaml))"\n(.*?)^```', PAGE, re.DOTALL | re.MULTILINE
    ):
        Path(title).write_text(block)
    lines = [("a", "Tea please", "Thanks, gladly"), ("b", "Bye", "Bye"), ("c", "Help", "Sorry, no thanks")]
    prompts = [{"id": i, "context": [{"role": "user", "content": c}], "references": [r]} for i, c, r in lines]
    answers = [{**prompt, "response": prompt["references"][0], "system": "s"} for prompt in prompts]
    Path("prompts.jsonl").write_text("\n".join(map(json.dumps, prompts)))
    Path("chats.log").write_text("a17 > Any tea? > Gladly.\na18 > Milk? > No, thank you.\n")
    Path("answers.jsonl").write_text("\n".join(map(json.dumps, answers)))
    printed = ""
    for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            done = dialeval(*shlex.split(line)[1:])
            assert done.code == 0, f"{line}\n{done.err}"
            printed += done.out
    # 1/2, 0 and 2/3 of the words are polite; two of three replies thank.
    assert all(number in printed for number in ("0.3889", "0.7778", "0.6667"))
    summary = json.loads(Path("runs/own/summary.json").read_text())
    polite = {r["system"]: r["estimate"]["value"] for r in summary["results"] if r["measure"] == "politeness"}
    # "Thanks! You said: Tea please", "… Bye", "… Help" against "Tea please", "Bye", "Help".
    assert abs(polite["friendly"] - (2 / 5 + 1 / 4 + 1 / 4) / 3) < 1e-12
    assert abs(polite["echo"] - (1 / 2) / 3) < 1e-12
    converted = [json.loads(line) for line in Path("answers2.jsonl").read_text().splitlines()]
    assert [(record["id"], record["response"]) for record in converted] == [
        ("a17", "Gladly."),
        ("a18", "No, thank you."),
    ]


def test_the_example_in_python_runs(tmp_path, monkeypatch, capsys):
    import matplotlib.pyplot as plt

    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (polite,) = re.findall(r'^```python title="polite.py"\n(.*?)^```', PAGE, re.DOTALL | re.MULTILINE)
    Path("polite.py").write_text(polite)
    (snippet,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    plt.switch_backend("Agg")
    exec(snippet, {})
    plt.close("all")
    assert capsys.readouterr().out.startswith("polite.py:politeness(weight=1.0)")


def test_a_reader_that_fails_names_the_file_the_record_and_itself(dialeval):
    Path("logs.py").write_text(
        "def read(path):\n    yield {'id': '1', 'response': 'a'}\n    raise KeyError('x')\n"
    )
    Path("some.log").write_text("some")
    done = dialeval("score", "logs.py:read:some.log", "-m", "length")
    assert done.code == 1
    assert "some.log, line 2: found KeyError: 'x' in logs.py:read" in done.err
