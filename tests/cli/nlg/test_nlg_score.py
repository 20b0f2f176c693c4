"""``dialeval nlg score``, from lines of acts to results, slots and notes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

LINES = [
    {
        "id": "1",
        "system": "a",
        "act": "inform(name='Aromi';area=centre;kidsallowed=yes)",
        "response": "Aromi is in the north and does not allow children.",
        "references": ["Aromi, in the centre, welcomes kids."],
    },
    {
        "id": "2",
        "system": "a",
        "act": {
            "act": "inform",
            "slots": {"name": "Cocum", "area": "north", "price": "£20-25", "phone": None},
        },
        "response": "Cocum is in the north and costs 20 to 25 pounds, in the north.",
        "references": ["Cocum, north, £20-£25."],
    },
    {"id": "3", "system": "a", "act": "goodbye()", "response": "Bye.", "references": ["Goodbye."]},
]

METRIC = """
import numpy as np

from dialeval import Signature


class Always:
    signature = Signature("always", (), ())
    higher_is_better = True
    limits = (0.0, 1.0)

    def unscorable(self, example):
        return None

    def statistics(self, examples):
        return np.ones((len(examples), 2))

    def aggregate(self, totals):
        return totals[..., 0] / totals[..., 1]
"""


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    path = tmp_path / "outputs.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")
    return path


def printed(dialeval: Any, *arguments: object) -> Any:
    done = dialeval("nlg", "score", *arguments, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_the_rate_its_parts_and_the_references_own(dialeval: Any, outputs: Path) -> None:
    document = printed(dialeval, outputs)
    scores = {row["metric"]: row["score"] for row in document["results"]}
    # Six slots are needed; item 1 has a wrong area and a wrong kidsallowed, item 2 says its area twice.
    assert scores == {
        "slot_error_rate": pytest.approx(3 / 6),
        "slot_error_rate(part='missing')": 0.0,
        "slot_error_rate(part='wrong')": pytest.approx(2 / 6),
        "slot_error_rate(part='added')": 0.0,
        "slot_error_rate(part='repeated')": pytest.approx(1 / 6),
        "slot_error_rate(of='references')": 0.0,
    }
    assert {(row["n"], row["unscored"]) for row in document["results"]} == {(2, 1)}
    area = next(count for count in document["slots"] if count["slot"] == "area")
    assert area == {
        "system": "a",
        "slot": "area",
        "needed": 2,
        "said": 1,
        "missing": 0,
        "wrong": 1,
        "added": 0,
        "repeated": 1,
    }
    assert document["notes"] == []


def test_per_item_and_slots_are_written(dialeval: Any, outputs: Path, tmp_path: Path) -> None:
    printed(dialeval, outputs, "--per-item", tmp_path / "items.jsonl", "--slots", tmp_path / "slots.jsonl")
    items = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text().splitlines()]
    total = {
        row["item"]: row["value"]
        for row in items
        if "part='total'" in row["rater"] and "of='resp" in row["rater"]
    }
    assert total == {"1": pytest.approx(2 / 3), "2": pytest.approx(1 / 3), "3": None}
    first = json.loads((tmp_path / "slots.jsonl").read_text().splitlines()[0])
    wrong = [finding for finding in first["findings"] if finding["outcome"] == "wrong"]
    assert [(finding["slot"], finding["spans"][0]["text"]) for finding in wrong] == [
        ("area", "north"),
        ("kidsallowed", "children"),
    ]
    start, end = wrong[0]["spans"][0]["start"], wrong[0]["spans"][0]["end"]
    assert LINES[0]["response"][start:end] == "north"  # type: ignore[index]


def test_pooling_changes_the_references_of_other_metrics(dialeval: Any, tmp_path: Path) -> None:
    rows = [
        {
            "id": str(n),
            "act": f"inform(name=n{n};food=thai)",
            "response": f"n{n} has thai",
            "references": [ref],
        }
        for n, ref in enumerate(["n0 has thai", "thai food at n1"])
    ]
    path = tmp_path / "pool.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    scores = {
        pool: printed(dialeval, path, "-m", "rouge_l", "--pool", pool)["results"][-1]["score"]
        for pool in ("none", "act", "slots")
    }
    assert scores["none"] == scores["act"] < 1
    assert scores["slots"] == 1  # the other item's reference, with this item's values


def test_references_that_leave_slots_out_raise_a_note(dialeval: Any, outputs: Path) -> None:
    rows = [{**line, "references": ["A place."]} for line in LINES]
    outputs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    document = printed(dialeval, outputs)
    assert [note["code"] for note in document["notes"]] == ["references_slot_errors"]
    assert printed(dialeval, outputs, "--bound", "1")["notes"] == []


def test_a_metric_with_references_in_its_name_is_not_the_references_rate(
    dialeval: Any, outputs: Path, tmp_path: Path
) -> None:
    (tmp_path / "my_references.py").write_text(METRIC, encoding="utf-8")
    document = printed(dialeval, outputs, "-m", "my_references.py:Always")
    assert document["results"][-1]["score"] == 1  # a rate above the bound, if it were one
    assert document["notes"] == []


def test_values_that_no_reference_says_are_not_counted_and_named(dialeval: Any, tmp_path: Path) -> None:
    rows = [
        {
            "id": str(n),
            "act": f"inform(name=n{n};type=placetoeat)",
            "response": f"n{n} is nice",
            "references": [f"n{n} is nice"],
        }
        for n in range(20)
    ]
    path = tmp_path / "bagel.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    document = printed(dialeval, path)
    assert document["results"][0]["score"] == 0
    assert [note["code"] for note in document["notes"]] == ["unsaid_values"]
    assert "type=placetoeat" in document["notes"][0]["text"]
    assert document["notes"][0]["text"].startswith("not counted")
    for profile in ("wen2015", "rnnlg"):  # as published: one of two values is missing from each sentence
        document = printed(dialeval, path, "--profile", profile)
        assert document["results"][0]["score"] == 0.5
        unsaid = next(note["text"] for note in document["notes"] if note["code"] == "unsaid_values")
        assert unsaid.startswith(f"counted, as {profile}")
        assert document["notes"][-1]["code"] == "slots_of_another_profile"


def test_e2e_outputs_beside_a_file_of_references(dialeval: Any, tmp_path: Path) -> None:
    (tmp_path / "refs.csv").write_text(
        'mr,ref\n"name[Aromi], area[riverside]",Aromi is riverside.\n', encoding="utf-8"
    )
    (tmp_path / "sys.tsv").write_text(
        'MR\toutput\n"name[Aromi], area[riverside]"\tAromi is here.\n', encoding="utf-8"
    )
    document = printed(
        dialeval, f"e2e:{tmp_path}/sys.tsv", "--references", f"e2e:{tmp_path}/refs.csv", "-m", "rouge_l"
    )
    assert {row["system"] for row in document["results"]} == {"sys"}
    assert document["results"][0]["score"] == 0.5
    assert len(document["results"]) == 7


def test_the_table_names_every_slot(dialeval: Any, outputs: Path) -> None:
    done = dialeval("nlg", "score", outputs)
    assert done.code == 0
    assert "slot_error_rate" in done.out
    assert "kidsallowed" in done.out


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ('{"id": "1", "act": "inform(name=", "response": "x"}', 1, ["line 1", "field 'act'", "inform(name="]),
        ('{"id": "1", "response": "x"}', 1, ["line 1", "'act'"]),
        ('{"id": "1", "act": "bye()"}', 1, ["1 act and no response"]),
        (
            '{"id": "1", "act": "bye()", "response": "x"}\n\n{"id": "1", "act": "bye()", "response": "x"}',
            1,
            ["line 3, field 'id': found '1' a second time"],
        ),
        ('{"id": "1", "act": "bye()", "response": "x"}', 1, ["no slot with a value"]),
    ],
)
def test_bad_files_are_explained(
    dialeval: Any, tmp_path: Path, line: str, code: int, words: list[str]
) -> None:
    (tmp_path / "bad.jsonl").write_text(line + "\n", encoding="utf-8")
    done = dialeval("nlg", "score", tmp_path / "bad.jsonl")
    assert done.code == code
    assert all(word in done.err for word in words), done.err


def test_exit_codes_are_those_of_score(dialeval: Any, outputs: Path) -> None:
    assert dialeval("nlg", "score", outputs, "--pool", "every").code == 2
    assert (
        dialeval("nlg", "score", outputs, "-m", "rouge_l", "--fail-under", "point(rouge_l)=0.99").code == 100
    )


def test_a_gate_on_slot_errors_is_not_met_above_its_value(dialeval: Any, outputs: Path) -> None:
    assert dialeval("nlg", "score", outputs, "--fail-under", "point(slot_error_rate)=0.6").code == 0
    done = dialeval("nlg", "score", outputs, "--fail-under", "point(slot_error_rate)=0.4")
    assert done.code == 100
    assert "point(slot_error_rate) <= 0.4" in done.err
    # Of an interval, the end on the side of the threshold decides, as for other metrics.
    assert dialeval("nlg", "score", outputs, "--fail-under", "slot_error_rate=0.45").code == 100


def test_its_numbers_are_those_of_run(dialeval: Any, outputs: Path, tmp_path: Path) -> None:
    others = [{**line, "system": "b", "response": f"{line['response']} Aromi."} for line in LINES]
    with outputs.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in others)
    (tmp_path / "study.yaml").write_text(
        """
name: nlg
data: outputs.jsonl
systems:
  - {name: a, kind: transcript, path: outputs.jsonl, system: a}
  - {name: b, kind: transcript, path: outputs.jsonl, system: b}
measures:
  - slot_error_rate
  - slot_error_rate(part='missing')
  - slot_error_rate(part='wrong')
  - slot_error_rate(part='added')
  - slot_error_rate(part='repeated')
  - slot_error_rate(of='references')
  - {name: rouge_l, pool: act}
""",
        encoding="utf-8",
    )
    done = dialeval("run", "study.yaml", "-o", "run", "--json")
    assert done.code == 0, done.err
    whole = json.loads(done.out)
    document = printed(dialeval, outputs, "-m", "rouge_l", "-o", "scored")
    own = ("results", "slots", "notes", "folder", "report")
    assert {key: document[key] for key in whole if key not in own} == {
        key: whole[key] for key in whole if key not in own
    }
    assert len(document["results"]) == 14
    for row, expected in zip(document["results"], whole["results"], strict=True):
        assert {key: row[key] for key in expected} == expected
        assert (row["score"], row["low"], row["high"]) == tuple(expected["estimate"].values())[:3]
    assert document["comparisons"]
    assert document["ranks"]
    (section,) = document["nlg"]
    assert section["counts"] == document["slots"]
    page = (tmp_path / "scored" / "report.html").read_text(encoding="utf-8")
    assert '<mark title="area: centre (wrong)">north</mark>' in page
    assert dialeval("compare", "scored:a", "scored:b").code == 0


def test_shards_are_merged_to_the_same_numbers(dialeval: Any, outputs: Path, tmp_path: Path) -> None:
    whole = printed(dialeval, outputs, "-m", "rouge_l")
    for part in (1, 2):
        done = dialeval(
            "nlg", "score", outputs, "-m", "rouge_l", "--shard", f"{part}/2", "-o", f"parts/{part}"
        )
        assert done.code == 0, done.err
    done = dialeval("merge", "parts/1", "parts/2", "-o", "merged", "--json")
    assert done.code == 0, done.err
    merged = json.loads(done.out)
    assert [row["estimate"] for row in merged["results"]] == [row["estimate"] for row in whole["results"]]
    (tmp_path / "e2e.tsv").write_text("MR\toutput\nname[Aromi]\tAromi.\n", encoding="utf-8")
    refused = dialeval("nlg", "score", "e2e:e2e.tsv", "--shard", "1/2", "-o", "part")
    assert (refused.code, "in one file" in refused.err) == (2, True)


def test_gates_go_by_the_short_name_under_any_definition(dialeval: Any, outputs: Path) -> None:
    gate = ("--fail-under", "point(slot_error_rate)=0.1", "--profile", "wen2015")
    done = dialeval("nlg", "score", outputs, *gate, "--json")
    assert done.code == 100
    row = json.loads(done.out)["results"][0]
    assert (row["metric"], row["measure"]) == ("slot_error_rate", "slot_error_rate(profile='wen2015')")


def test_systems_with_references_of_their_own_share_them(dialeval: Any, outputs: Path) -> None:
    with outputs.open("a", encoding="utf-8") as file:
        file.writelines(
            json.dumps({**line, "system": "b", "references": ["Aromi."]}) + "\n" for line in LINES[:1]
        )
    rows = {
        (row["metric"], row["system"]): row for row in printed(dialeval, outputs, "-m", "rouge_l")["results"]
    }
    assert rows["rouge_l", "a"]["n"] == 3
    assert rows["slot_error_rate(of='references')", "b"]["n"] == 2


def test_without_resamples_systems_have_scores_and_are_not_compared(dialeval: Any, outputs: Path) -> None:
    with outputs.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({**line, "system": "b"}) + "\n" for line in LINES)
    document = printed(dialeval, outputs, "--trials", "0")
    assert [row["low"] for row in document["results"]] == [None] * 12
    assert {row["score"] for row in document["results"][:2]} == {0.5}
    assert (document["comparisons"], document["ranks"]) == ([], [])
