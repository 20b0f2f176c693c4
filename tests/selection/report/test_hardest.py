"""The questions that the fewest systems get right."""

from __future__ import annotations

import pytest

from dialeval.data.choices import Choice, ChoiceRow, NoChoice
from dialeval.data.types import Candidate, Question, Turn
from dialeval.selection.report.page import hardest

TEXTS = ("At noon.", "No tea, thanks.", "Trains are red.")


def choice(item: str, system: str, chosen: int, *, error: str | None = None) -> ChoiceRow:
    candidates = tuple(
        Candidate(text, place == 0, error if place == 1 else None) for place, text in enumerate(TEXTS)
    )
    question = Question(item, (Turn("user", f"When, {item}?"),), candidates)
    return ChoiceRow(
        "accuracy", Choice(question, system, tuple(float(chosen == place) for place in range(3)))
    )


@pytest.fixture
def rows() -> list[ChoiceRow]:
    chosen = {"easy": (0, 0), "half": (0, 1), "hard": (1, 2), "other": (2, 0)}
    return [
        choice(item, system, places[at]) for at, system in enumerate("ab") for item, places in chosen.items()
    ]


def test_the_smallest_share_right_comes_first_and_ties_keep_their_order(rows):
    found = hardest(rows)
    assert [(view.question.item, view.right, len(view.choices)) for view in found.shown] == [
        ("hard", 0, 2),
        ("half", 1, 2),
        ("other", 1, 2),
    ]
    assert found.wrong == 3


def test_only_so_many_are_shown_and_all_are_counted(rows):
    found = hardest(rows, most=1)
    assert [view.question.item for view in found.shown] == ["hard"]
    assert found.wrong == 3


def test_each_candidate_says_who_chose_it(rows):
    (hard, *_) = hardest(rows).shown
    assert [[cell.text for cell in row] for row in hard.candidates.rows] == [
        ["—", "At noon."],
        ["a", "No tea, thanks."],
        ["b", "Trains are red."],
    ]
    assert [row[1].mark for row in hard.candidates.rows] == ["✓", "", ""]


def test_what_is_wrong_is_told_where_it_is_known():
    (shown,) = hardest([choice("q", "a", 1, error="irrelevant")]).shown
    assert [row[1].detail for row in shown.candidates.rows] == ["", "irrelevant", ""]


def test_a_share_is_of_those_who_chose():
    missing = ChoiceRow("accuracy", NoChoice("q", "b", None, "asleep"))
    (shown,) = hardest([choice("q", "a", 1), missing]).shown
    assert (shown.right, len(shown.choices)) == (0, 1)
    assert hardest([]).shown == ()
