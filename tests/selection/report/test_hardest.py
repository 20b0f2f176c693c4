"""The questions that the fewest systems get right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.errors import BadInput
from dialeval.selection.report.hardest import hardest
from dialeval.selection.report.page import render_asked

TEXTS = ("At noon.", "No tea, thanks.", "Trains are red.")


def choice(item: str, system: str, chosen: int, **changes: object) -> dict[str, object]:
    candidates = [{"text": text, "correct": at == 0, "score": 0.0} for at, text in enumerate(TEXTS)]
    context = [{"role": "user", "content": f"When, {item}?"}]
    made = {"id": item, "system": system, "chosen": chosen, "correct": chosen == 0, "context": context}
    return {**made, "candidates": candidates, **changes}


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def asked_folder(tmp_path: Path) -> Path:
    settings = {"normalise": "sum", "seed": 0, "trials": 0, "level": 0.95, "cluster": None, "package": "1"}
    content = {"format": 1, "questions": {"n": 1, "chance": 0.3, "status": "vetted"}, "settings": settings}
    content |= {"results": [], "comparisons": [], "failures": [], "trials": None}
    (tmp_path / "asked.json").write_text(json.dumps(content), encoding="utf-8")
    return tmp_path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    chosen = {"easy": (0, 0), "half": (0, 1), "hard": (1, 2), "other": (2, 0)}
    rows = [choice(item, system, own[at]) for at, system in enumerate("ab") for item, own in chosen.items()]
    return write(tmp_path / "choices.jsonl", rows)


def test_the_smallest_share_right_comes_first_and_ties_keep_their_order(file):
    found = hardest(file)
    assert [(one.id, one.right, one.asked) for one in found.shown] == [
        ("hard", 0, 2),
        ("half", 1, 2),
        ("other", 1, 2),
    ]
    assert found.wrong == 3


def test_only_so_many_are_shown_and_all_are_counted(file):
    found = hardest(file, most=1)
    assert [one.id for one in found.shown] == ["hard"]
    assert found.wrong == 3


def test_each_candidate_says_who_chose_it(file):
    (hard, *_) = hardest(file).shown
    assert [[cell.text for cell in row] for row in hard.candidates.rows] == [
        ["—", "At noon."],
        ["a", "No tea, thanks."],
        ["b", "Trains are red."],
    ]
    assert [row[1].mark for row in hard.candidates.rows] == ["✓", "", ""]
    assert hard.context[0].text == "When, hard?"


def test_what_is_wrong_is_told_where_it_is_known(tmp_path):
    one = choice("q", "a", 1)
    one["candidates"][1]["error"] = "irrelevant"
    (shown,) = hardest(write(tmp_path / "c.jsonl", [one])).shown
    assert [row[1].detail for row in shown.candidates.rows] == ["", "irrelevant", ""]


def test_a_share_is_of_those_who_chose(tmp_path):
    missing = {"id": "q", "system": "b", "reason": "asleep"}
    (shown,) = hardest(write(tmp_path / "c.jsonl", [choice("q", "a", 1), missing])).shown
    assert (shown.right, shown.asked) == (0, 1)


def test_no_file_shows_nothing_and_a_broken_one_is_named(tmp_path):
    assert hardest(tmp_path / "none.jsonl").shown == ()
    (tmp_path / "c.jsonl").write_text('{"id": \n')
    with pytest.raises(BadInput, match=r"c\.jsonl, line 1"):
        hardest(tmp_path / "c.jsonl")


def test_what_was_said_is_shown_as_text(tmp_path, asked_folder):
    row = choice("q<1>", "<i>a</i>", 1)
    row["context"] = [{"role": 'user" onclick="', "content": "<script>alert(1)</script>"}]
    write(asked_folder / "choices.jsonl", [row])
    page = render_asked(asked_folder).read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>" not in page
    assert "<i>a</i>" not in page
    assert 'onclick="' not in page
