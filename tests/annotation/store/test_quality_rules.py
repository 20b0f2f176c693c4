"""Qualification tests and attention checks."""

from __future__ import annotations

from pathlib import Path

from dialeval.annotation.project import Project
from dialeval.annotation.store.plan import Claim, Ended
from dialeval.annotation.store.store import Store
from dialeval.data.types import Judgement
from support.rating_studies import made_project, made_store

GOLD = [Judgement(f"dialogue-{number}", "alpha-bot", "expert", "overall", 4.0) for number in range(3)]


def _answer(store: Store, project: Project, rater: int, value: int) -> str:
    claim = store.claim(rater)
    assert isinstance(claim, Claim)
    store.submit(rater, claim.item, claim.revision, {"overall": {"value": value}})
    return claim.role


def _study(tmp_path: Path, **options: object) -> tuple[Project, Store]:
    project = made_project(
        tmp_path / "study", items=6, systems=("alpha-bot",), gold=GOLD, overlap=1, raters=(), **options
    )
    return project, made_store(project)


def test_a_rater_who_passes_the_test_goes_on_to_the_items(tmp_path: Path) -> None:
    project, store = _study(tmp_path, qualify=3)
    rater = store.add_rater("ann").id
    roles = [_answer(store, project, rater, 4) for _ in range(6)]
    assert roles == ["qualification"] * 3 + ["rating"] * 3
    store.close()


def test_two_attempts_and_then_screened_out(tmp_path: Path) -> None:
    project, store = _study(tmp_path, qualify=3)
    rater = store.add_rater("ann").id
    roles = [_answer(store, project, rater, 1) for _ in range(6)]
    assert roles == ["qualification"] * 6
    assert store.claim(rater) == Ended("screened_out")
    assert len(store.revisions()) == 6
    store.close()


def test_the_second_attempt_can_pass(tmp_path: Path) -> None:
    project, store = _study(tmp_path, qualify=3, qualification=0.6)
    rater = store.add_rater("ann").id
    for value in (1, 1, 4, 4, 4, 1):
        assert _answer(store, project, rater, value) == "qualification"
    assert _answer(store, project, rater, 5) == "rating"
    store.close()


def test_failed_checks_stop_a_rater(tmp_path: Path) -> None:
    project, store = _study(tmp_path, check_rate=0.5, check_failures=1)
    rater = store.add_rater("ann").id
    roles = []
    while isinstance(store.claim(rater), Claim):
        roles.append(_answer(store, project, rater, 1))
    assert roles.count("check") == 2
    assert store.claim(rater) == Ended("failed_checks")
    store.close()


def test_an_answer_near_a_known_value_is_right_where_the_study_says_so(tmp_path: Path) -> None:
    project, store = _study(tmp_path, qualify=3, gold_within=1.0)
    rater = store.add_rater("ann").id
    for _ in range(3):
        _answer(store, project, rater, 5)
    assert _answer(store, project, rater, 1) == "rating"
    store.close()
