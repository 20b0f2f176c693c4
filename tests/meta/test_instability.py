"""How much a verdict depends on the test set."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import spearmanr

from dialeval.data.types import Judgement
from dialeval.errors import Unsuitable
from dialeval.meta.instability import over_test_sets
from dialeval.meta.judgements import join
from dialeval.ratings.joined import Joined
from dialeval.ratings.table import Ratings

HUMAN = [[1, 2, 3], [2, 3, 4], [5, 4, 3], [4, 5, 5]]
SCORES = [[0.1, 0.9, 0.5], [0.5, 0.2, 0.4], [0.3, 0.8, 0.1], [0.9, 0.1, 0.8]]


def table(scores: list[list[float]]) -> Joined:
    sides = (("ann", "overall", HUMAN), ("mine", "mine", scores))
    return join(
        Ratings.of(
            Judgement(f"i{item}", f"s{system}", rater, criterion, float(value))
            for rater, criterion, rows in sides
            for system, row in enumerate(rows)
            for item, value in enumerate(row)
            if value == value
        ),
        "overall",
    )


def test_every_test_set_is_one_of_those_that_can_be_drawn() -> None:
    (found,) = over_test_sets(table(SCORES), size=2, trials=60)
    human = np.mean(HUMAN, axis=1)
    possible = {
        round(float(spearmanr(human, np.array(SCORES)[:, list(pair)].mean(axis=1)).statistic), 9)
        for pair in combinations(range(3), 2)
    }
    assert {round(value, 9) for value in found.values.tolist()} == possible
    assert (found.measure, found.size, len(found.values), found.undefined) == ("mine", 2, 60, 0)


def test_the_test_set_of_all_items_gives_the_correlation_itself() -> None:
    (found,) = over_test_sets(table(SCORES), size=3, trials=4)
    expected = spearmanr(np.mean(HUMAN, axis=1), np.mean(SCORES, axis=1)).statistic
    assert found.values.tolist() == pytest.approx([expected] * 4)


def test_half_of_the_items_is_the_usual_size_and_others_are_refused() -> None:
    assert over_test_sets(table(SCORES), trials=2)[0].size == 1
    with pytest.raises(Unsuitable, match="A test set of 4 items cannot be drawn from 3"):
        over_test_sets(table(SCORES), size=4)


def test_a_test_set_without_scores_of_a_system_ranks_the_others() -> None:
    partly = [[0.1, 0.9, 0.5], [0.5, 0.2, 0.4], [0.3, float("nan"), float("nan")], [0.9, 0.1, 0.8]]
    (found,) = over_test_sets(table(partly), size=1, trials=80)
    human = np.mean(HUMAN, axis=1)
    three = [0, 1, 3]
    possible = {
        round(float(spearmanr(human, np.array(partly)[:, 0]).statistic), 9),
        *(round(float(spearmanr(human[three], np.array(partly)[three, at]).statistic), 9) for at in (1, 2)),
    }
    assert {round(value, 9) for value in found.values.tolist()} == possible


def test_five_numbers_draw_the_box() -> None:
    (found,) = over_test_sets(table(SCORES), size=3, trials=4)
    assert found.five == pytest.approx([float(found.values[0])] * 5)


def test_the_seed_draws_the_test_sets() -> None:
    one, two, other = (over_test_sets(table(SCORES), size=2, seed=seed)[0].values for seed in (1, 1, 2))
    assert one.tolist() == two.tolist() != other.tolist()


def test_systems_with_the_same_mean_on_paper_tie() -> None:
    tenths = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.2, 0.2], [0.9, 0.9, 0.9]]
    (found,) = over_test_sets(table(tenths), size=3, trials=1)
    expected = spearmanr(np.mean(HUMAN, axis=1), [0.2, 0.2, 0.2, 0.9]).statistic
    assert found.values.tolist() == pytest.approx([expected])
