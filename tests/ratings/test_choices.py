"""What systems chose stands beside people's ratings, and says where nobody has looked at the candidates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.files.digests import hash_file

QUESTIONS = 6
UNVETTED = "unvetted: nobody has looked at the candidates, so some false ones may be acceptable"


def write(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def asked(dialeval, tmp_path):
    """Asks tf-idf about questions of a status, and has people rate its answers to the same contexts."""

    def ask(status: str | None) -> str:
        questions = [
            {
                "id": f"q{at}",
                "context": [{"role": "user", "content": f"when does train {at} leave"}],
                "candidates": [
                    {"text": f"train {at} leaves at noon", "correct": at % 3 != 0},
                    {"text": "no tea for me, thanks", "correct": at % 3 == 0},
                ],
                **({"status": status} if status else {}),
            }
            for at in range(QUESTIONS)
        ]
        write(tmp_path / "questions.jsonl", questions)
        ratings = [
            {"item": f"q{at}", "system": "tfidf", "rater": r, "criterion": "overall", "value": at % 3}
            for at in range(QUESTIONS)
            for r in ("ann", "bob")
        ]
        write(tmp_path / "ratings.jsonl", ratings)
        assert dialeval("select", "ask", "questions.jsonl", "--system", "tfidf", "-o", "asked").code == 0
        return "asked"

    return ask


@pytest.mark.parametrize("source", ["asked", "asked/choices.jsonl"])
@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("vetted", None),
        ("unvetted", UNVETTED),
        (None, "vetting unknown: nothing says whether raters have looked at the candidates"),
    ],
)
def test_choices_are_judgements_and_their_status_is_told(dialeval, asked, source, status, said):
    asked(status)
    done = dialeval("meta", source, "ratings.jsonl", "--human-criterion", "overall", "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    rows = [row for row in told["rows"] if row["level"] == "item"]
    (row,) = [row for row in rows if row["measure"].startswith("selection_accuracy")]
    assert row["estimate"]["n"] == QUESTIONS
    assert row["spearman"] > 0.5  # it is wrong where people give 0
    notes = [note for note in told["notes"] if "candidates" in note]
    assert [note.partition(": ")[2] for note in notes] == ([said] if said else [])


def test_a_folder_of_asking_is_named_by_the_digest_of_its_results(dialeval, asked, tmp_path):
    asked("vetted")
    told = json.loads(
        dialeval("meta", "asked", "ratings.jsonl", "--human-criterion", "overall", "--json").out
    )
    named = {one["path"]: one["sha256"] for one in told["settings"]["sources"]}
    assert named["asked"] == hash_file(tmp_path / "asked" / "results.parquet")
