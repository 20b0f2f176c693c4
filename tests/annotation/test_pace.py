"""Raters who answer faster than anybody reads: flagged by the owner's page and the export, never dropped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.annotation.blind_items import blind
from dialeval.annotation.pace import Pace, least_seconds, timed_answers, word_count
from dialeval.annotation.project import Project
from dialeval.annotation.quality import owner_view
from dialeval.annotation.results import export
from dialeval.annotation.store.plan import Claim
from dialeval.annotation.store.store import Store
from dialeval.data.types import Example, Response, Turn
from support.rating_studies import made_project, made_store

WORDS = 60


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def _study(tmp_path: Path, items: int = 8, **settings: object) -> tuple[Project, Store, Clock]:
    """A study whose responses have 60 words each, which take 6 s to read at 600 words a minute."""
    examples = [
        Example(f"d{n}", "bot", (Turn("user", "Well?"),), Response(" ".join([f"w{n}"] * WORDS)))
        for n in range(items)
    ]
    project = made_project(
        tmp_path / "study", blinded=blind(examples, "response"), overlap=2, raters=(), **settings
    )
    clock = Clock()
    return project, made_store(project, clock=clock), clock


def _answer_all(store: Store, clock: Clock, name: str, took: float, said: float | None = None) -> None:
    rater, value = store.add_rater(name).id, 1
    while isinstance(claim := store.claim(rater), Claim):
        clock.now += took
        value = value % 5 + 1
        store.submit(
            rater, claim.item, 0, {"overall": {"value": value}}, seconds=took if said is None else said
        )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("Yes, two cats.", 3),
        ("It's at 9.30", 3),
        ("猫が好きです。", 3),
        ("I like 寿司", 3),
        ("a-b c", 2),
    ],
)
def test_words_by_hand(text: str, words: float) -> None:
    assert word_count(text) == words


def test_the_bound_is_six_hundred_words_a_minute() -> None:
    assert least_seconds(600) == 60
    assert least_seconds(WORDS) == 6


def test_a_rater_is_flagged_from_half_of_five_answers_on() -> None:
    assert not Pace(4, 4).flagged
    assert Pace(5, 3).flagged
    assert not Pace(6, 2).flagged


def test_who_answers_faster_than_reading_is_flagged_and_still_counts(tmp_path: Path) -> None:
    project, store, clock = _study(tmp_path)
    _answer_all(store, clock, "hasty", 4.0)
    _answer_all(store, clock, "steady", 9.0)
    views = {view.rater: view for view in owner_view(project, store).raters}
    assert "faster_than_reading" in views["hasty"].flags
    assert views["hasty"].pace == Pace(8, 8)
    assert "faster_than_reading" not in views["steady"].flags
    exported = export(project, store, tmp_path / "out.jsonl")
    assert exported.judgements == 16
    flags = [json.loads(line) for line in (tmp_path / "out.raters.jsonl").read_text().splitlines()]
    assert flags == [
        {
            "rater": "hasty",
            "state": "active",
            "flags": {"faster_than_reading": "answered 8 of 8 items faster than 600 words a minute"},
        },
        {"rater": "steady", "state": "active", "flags": {}},
    ]
    answers = [json.loads(line) for line in (tmp_path / "out.answers.jsonl").read_text().splitlines()]
    assert {(one["rater"], one["faster_than_reading"]) for one in answers} == {
        ("hasty", True),
        ("steady", False),
    }
    store.close()


def test_a_page_that_claims_more_time_than_passed_is_not_believed(tmp_path: Path) -> None:
    project, store, clock = _study(tmp_path)
    _answer_all(store, clock, "liar", 1.0, said=60.0)
    (view,) = owner_view(project, store).raters
    assert "faster_than_reading" in view.flags
    store.close()


def test_text_that_was_met_before_takes_no_time_and_revisions_do_not_count(tmp_path: Path) -> None:
    talk = (Turn("user", " ".join(["long"] * 100)),)
    examples = [Example("d", name, talk, Response("Yes.")) for name in ("a", "b")]
    project = made_project(
        tmp_path / "study", blinded=blind(examples, "response"), overlap=1, raters=("ann",)
    )
    clock = Clock()
    store = made_store(project, clock=clock)
    _answer_all(store, clock, "ann", 2.0)
    rater = store.rater_named("ann")
    assert rater is not None
    first = store.history(rater)[-1].item
    store.submit(rater.id, first, 1, {"overall": {"value": 5}}, seconds=0.1)
    timed = timed_answers(project, store.revisions(), store.shown_at())
    assert [round(one.least, 6) for one in timed.values()] == [10.1, 0.0]
    assert [one.hurried for one in timed.values()] == [True, False]
    store.close()


def test_simulated_raters_and_imported_answers_are_not_timed(tmp_path: Path) -> None:
    project, store, clock = _study(tmp_path)
    _answer_all(store, clock, "simulated-1", 0.0)
    sheet = store.add_rater("sheet", origin="sheet")
    for item in project.items:
        store.take(sheet.id, item, 0, {"overall": {"value": 3}})
    assert timed_answers(project, store.revisions(), store.shown_at()) == {}
    store.close()
