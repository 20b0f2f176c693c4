"""A small study with something of everything: gaps, two references, a baseline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

STUDY = """\
name: small
seed: 7
data: prompts.jsonl
systems:
  - {name: good, kind: transcript, path: good.jsonl}
  - {name: poor, kind: transcript, path: poor.jsonl}
  - {name: floor, kind: echo}
measures: [bleu(order=2), rouge_l, length]
"""


def write_jsonl(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def study_folder(tmp_path) -> Path:
    """study.yaml with forty prompts; ``poor`` has no answer to d3/0, and d5/1 has no reference."""
    folder = tmp_path / "study"
    folder.mkdir()
    prompts, good, poor = [], [], []
    for at in range(40):
        item = f"d{at // 2}/{at % 2}"
        context = [{"role": "user", "content": f"where is platform {at} please"}]
        references = [] if item == "d5/1" else [f"platform {at} is over there", f"number {at} is left"]
        prompts.append({"id": item, "context": context, "references": references})
        good.append({"id": item, "system": "good", "context": context, "response": f"platform {at} is left"})
        if item != "d3/0":
            poor.append(
                {"id": item, "system": "poor", "context": context, "response": "i like tea" * (at % 3)}
            )
    write_jsonl(folder / "prompts.jsonl", prompts)
    write_jsonl(folder / "good.jsonl", good)
    write_jsonl(folder / "poor.jsonl", poor)
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    return folder
