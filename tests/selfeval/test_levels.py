"""Levels of replacement: versions, cut points and their accuracy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from dialeval.core import Floats
from dialeval.data.types import Dialogue, Prompt, Turn
from dialeval.errors import Unsuitable
from dialeval.selfeval.levels import Talk, best_cuts, measure_levels, predicted, talks_of, versions_of

TALKS = [
    Talk(tuple(f"{name}{place}" for place in range(4 + number % 5)), name)
    for number, name in enumerate("abcdefgh")
]


class Strangers:
    """Minus the number of turns that are not of the dialogue most turns are of."""

    def __init__(self, blind: str = "") -> None:
        self.blind = blind

    def unscorable(self, subject: Dialogue) -> str | None:
        return None

    def statistics(self, subjects: Sequence[Dialogue]) -> Floats:
        rows = np.zeros((len(subjects), 2))
        for row, subject in enumerate(subjects):
            names = [turn.text[0] for turn in subject.turns]
            rows[row] = (
                -min(sum(name != own for name in names) for own in names[:2]),
                subject.item[0] != self.blind,
            )
        return rows


def test_versions_have_none_one_and_more_turns_of_others() -> None:
    made = versions_of(TALKS, 0)
    assert len(made) == 3 * len(TALKS)
    for number, talk in enumerate(TALKS):
        counts = [
            sum(turn.text != text for turn, text in zip(version.turns, talk.turns, strict=True))
            for version in made[3 * number : 3 * number + 3]
        ]
        assert counts[:2] == [0, 1]
        assert 2 <= counts[2] <= (len(talk.turns) + 1) // 2
    assert versions_of(TALKS, 0) == made != versions_of(TALKS, 1)


def test_a_prompt_gives_a_dialogue_for_each_reference_and_they_lend_each_other_nothing() -> None:
    context = tuple(Turn("AB"[place % 2], f"p{place}") for place in range(3))
    talks = talks_of([Prompt("p", context, ("x", "y")), Prompt("q", context[:2], ("short",))])
    assert [talk.turns[-1] for talk in talks] == ["x", "y"]
    assert {talk.origin for talk in talks} == {"p"}
    with pytest.raises(Unsuitable, match="at least 2 different ones"):
        versions_of(talks, 0)


def test_a_score_that_counts_strangers_finds_every_level() -> None:
    result = measure_levels(Strangers(), TALKS, TALKS)
    assert [each.value for each in (*result.by_level, result.overall)] == [1.0] * 4
    assert (result.first_above_second.value, result.second_above_third.value) == (1.0, 1.0)
    assert result.overall.low is not None
    assert result.overall.low < 1
    assert (result.dialogues, result.unscored) == (8, 0)


def test_dialogues_without_a_score_are_counted_apart() -> None:
    result = measure_levels(Strangers(blind="3"), TALKS, TALKS)
    assert (result.dialogues, result.unscored) == (7, 1)


def test_cut_points_part_the_levels() -> None:
    scores = np.array([[0.9, 0.5, 0.1], [0.8, 0.6, 0.2]])
    cuts = best_cuts(scores)
    assert predicted(scores, cuts).tolist() == [[0, 1, 2]] * 2
    with pytest.raises(Unsuitable, match="No dialogue has a score"):
        best_cuts(np.full((1, 3), np.nan))
