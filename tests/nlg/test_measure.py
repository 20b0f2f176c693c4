"""Slot errors in a study: ranked as any measure, with a section whose text is escaped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dialeval.nlg.document import Finding, ItemFindings, Span
from dialeval.nlg.report.section import pieces

ACTS = [
    {"id": "1", "act": "inform(name=Aromi;food=thai)", "references": ["Aromi serves thai food."]},
    {
        "id": "2",
        "act": {"act": "inform", "slots": {"name": "Cocum", "food": "greek"}},
        "references": ["Cocum: greek."],
    },
]
SAID = {
    "good": ["Aromi has thai food.", "Cocum is greek."],
    "bad": ["Aromi <b>has</b> greek food.", "Cocum."],
}
STUDY = """
name: acts
data: acts.jsonl
systems:
  - {name: good, kind: transcript, path: good.jsonl}
  - {name: bad, kind: transcript, path: bad.jsonl}
measures: [slot_error_rate, "slot_error_rate(part='missing')"]
"""


@pytest.fixture
def run(dialeval: Any, tmp_path: Path) -> Path:
    (tmp_path / "acts.jsonl").write_text("".join(json.dumps(act) + "\n" for act in ACTS), encoding="utf-8")
    for system, texts in SAID.items():
        rows = [{"id": act["id"], "response": text} for act, text in zip(ACTS, texts, strict=True)]
        (tmp_path / f"{system}.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
        )
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    done = dialeval("run", "study.yaml", "-o", "run")
    assert done.code == 0, done.err
    return tmp_path / "run"


def test_a_study_measures_and_shows_slots(dialeval: Any, run: Path) -> None:
    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    scores = {(row["measure"], row["system"]): row["estimate"]["value"] for row in summary["results"]}
    assert scores["slot_error_rate", "good"] == 0
    assert scores["slot_error_rate", "bad"] == 0.5
    assert scores["slot_error_rate(part='missing')", "bad"] == 0.25
    (section,) = summary["nlg"]  # the part has none of its own
    assert section["references"] == 0
    page = (run / "report.html").read_text(encoding="utf-8")
    assert '<u title="name: Aromi (said)">Aromi</u>' in page
    assert '<mark title="food: thai (wrong)">greek</mark>' in page
    assert "missing: food = greek" in page
    assert "&lt;b&gt;has&lt;/b&gt;" in page
    for text in ("bad", "1", "inform(name=Aromi;food=thai)", "missing: food = greek"):
        assert f"<bdi>{text}</bdi>" in page
    assert "<b>has</b>" not in page
    before = (run / "report.html").read_bytes()
    assert dialeval("report", run).code == 0
    assert (run / "report.html").read_bytes() == before


def test_another_profile_shows_no_counts_that_are_not_its_own(dialeval: Any, run: Path) -> None:
    measures = "measures: [slot_error_rate(profile='wen2015')]\n"
    text = STUDY.partition("measures:")[0] + measures
    (run.parent / "wen.yaml").write_text(text, encoding="utf-8")
    done = dialeval("run", "wen.yaml", "-o", "wen")
    assert done.code == 0, done.err
    summary = json.loads((run.parent / "wen" / "summary.json").read_text(encoding="utf-8"))
    # Wen counts the wrong food of the first as missing; nothing is wrong.
    assert {row["system"]: row["estimate"]["value"] for row in summary["results"]} == {"good": 0, "bad": 0.5}
    (section,) = summary["nlg"]
    assert (section["counts"], section["items"]) == ([], [])
    (note,) = section["notes"]
    assert "do not add up to the rate of wen2015" in note
    page = (run.parent / "wen" / "report.html").read_text(encoding="utf-8")
    assert note in page
    assert "(wrong)" not in page


def test_pieces_make_up_the_sentence_and_overlaps_are_shown_once() -> None:
    text = "Aromi is near Aromi Square"
    findings = (
        Finding("name", "Aromi", "said", (Span(0, 5, "Aromi"),)),
        Finding("near", "Aromi Square", "said", (Span(14, 26, "Aromi Square"),)),
        Finding("area", "Square", "added", (Span(20, 26, "Square"),)),
    )
    parts = list(pieces(ItemFindings("1", "s", "act", text, findings)))
    assert "".join(part.text for part in parts) == text
    assert [part.text for part in parts if part.outcome] == ["Aromi", "Aromi Square"]
