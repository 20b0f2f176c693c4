"""Contradictions in n-best lists by what a measure says: means by hand, the test against all permutations."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dialeval.core import Resampling
from dialeval.errors import DialevalError
from dialeval.nbest.measuring.shares import NBestCount, validate_nbest
from dialeval.ratings.joined import Grid, MeasureGrid


def chosen(values: object, systems: tuple[str, ...] = ("s0",)) -> MeasureGrid:
    grid = np.asarray(values, dtype=np.float64)
    return MeasureGrid("chosen", "chosen", "chosen", Grid(systems, tuple("abcdefgh"[: grid.shape[1]]), grid))


def lists(shares: str, system: str = "s0") -> list[NBestCount]:
    """One list of ten for each item, with as many contradictions as the digit says."""
    return [NBestCount("abcdefgh"[at], system, int(k), 10) for at, k in enumerate(shares)]


def test_mean_shares_by_hand() -> None:
    # Sato (2024): 5 lists where right, 5 where wrong, the means of their shares compared.
    found = validate_nbest(lists("0123"), chosen([[1, 1, 0, 0]]), resampling=Resampling(resamples=100))
    assert (found.rule, found.unjoined, found.reason) == ("chosen = 1", 0, None)
    assert (found.overall.right, found.overall.wrong) == (2, 2)
    assert found.overall.share_right == pytest.approx(0.05)
    assert found.overall.share_wrong == pytest.approx(0.25)
    assert found.difference == pytest.approx(0.2)
    assert found.systems[0].system == "s0"


def test_lists_of_other_lengths_count_by_their_share() -> None:
    counts = [NBestCount("a", "s0", 1, 2), NBestCount("b", "s0", 1, 4)]
    found = validate_nbest(counts, chosen([[0, 1]]), resampling=Resampling(resamples=10))
    assert (found.overall.share_wrong, found.overall.share_right) == (0.5, 0.25)


def test_the_test_approaches_all_permutations_within_systems() -> None:
    values = {"s0": "02354", "s1": "13702"}
    verdicts = np.array([[1, 1, 0, 0, 0], [1, 0, 0, 1, 1]])
    counts = [one for system, shares in values.items() for one in lists(shares, system)]
    found = validate_nbest(
        counts, chosen(verdicts, ("s0", "s1")), resampling=Resampling(resamples=20_000, seed=3)
    )
    shares = [[int(k) / 10 for k in digits] for digits in values.values()]
    weights = [2 * 3 / 5, 3 * 2 / 5]

    def statistic(rights: tuple[tuple[int, ...], ...]) -> float:
        parts = [
            np.mean([one[i] for i in range(5) if i not in right]) - np.mean([one[i] for i in right])
            for one, right in zip(shares, rights, strict=True)
        ]
        return float(np.average(parts, weights=weights))

    every = itertools.product(itertools.combinations(range(5), 2), itertools.combinations(range(5), 3))
    observed = statistic(((0, 1), (0, 3, 4)))
    all_of_them = np.array([statistic(rights) for rights in every])
    assert found.difference == pytest.approx(observed)
    assert found.p == pytest.approx(np.mean(all_of_them >= observed - 1e-9), abs=0.012)


def test_a_bad_system_that_is_also_often_wrong_is_no_evidence() -> None:
    # Within each system the shares are alike; over both, wrong lists hold far more contradictions.
    counts = lists("00000000", "s0") + lists("99999999", "s1")
    verdicts = [[1, 1, 1, 1, 1, 1, 0, 0], [1, 1, 0, 0, 0, 0, 0, 0]]
    found = validate_nbest(counts, chosen(verdicts, ("s0", "s1")), resampling=Resampling(resamples=200))
    assert found.overall.share_wrong - found.overall.share_right > 0.4
    assert (found.difference, found.p) == (0, 1)


def test_what_cannot_be_compared_says_why() -> None:
    found = validate_nbest(lists("012"), chosen([[1, 1, 1]]), resampling=Resampling(resamples=10))
    assert found.reason == "no system has lists for both right and wrong items"
    assert math.isnan(found.p)
    assert math.isnan(found.overall.share_wrong)


def test_lists_without_a_verdict_are_counted() -> None:
    counts = [*lists("0123"), NBestCount("elsewhere", "s0", 1, 10), NBestCount("a", "nobody", 1, 10)]
    found = validate_nbest(counts, chosen([[1, 0, math.nan, 0]]), resampling=Resampling(resamples=10))
    assert (found.unjoined, found.overall.right, found.overall.wrong) == (3, 1, 2)


def test_impossible_counts_are_refused() -> None:
    for k, n in ((3, 2), (-1, 2), (0, 0)):
        with pytest.raises(DialevalError, match=f"found {k} of {n} contradictory"):
            validate_nbest([NBestCount("a", "s0", k, n)], chosen([[1]]))


def test_the_test_does_not_depend_on_how_many_shuffles_are_held_at_once(monkeypatch) -> None:
    counts = lists("0235", "s0") + lists("1370", "s1")
    grid = chosen([[1, 1, 0, 0], [1, 0, 0, 1]], ("s0", "s1"))
    whole = validate_nbest(counts, grid, resampling=Resampling(resamples=500))
    held = []

    def small(n: int, trials: int) -> list[int]:
        held.append(n)
        return [7] * (trials // 7) + [trials % 7]

    monkeypatch.setattr("dialeval.nbest.measuring.shares.blocks", small)
    assert validate_nbest(counts, grid, resampling=Resampling(resamples=500)).p == whole.p
    assert held == [4, 4]
