from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialeval.stats.strengths import Preferences, bradley_terry


def preferences(counts):
    """From {(first, second): (wins, ties, losses)}."""
    lines = [
        (first, second, outcome)
        for (first, second), times in counts.items()
        for outcome, n in zip((1.0, 0.5, 0.0), times, strict=True)
        for _ in range(n)
    ]
    first, second, outcome = np.array(lines).reshape(-1, 3).T
    return Preferences(first.astype(int), second.astype(int), outcome)


ROUND_ROBIN = {
    (0, 1): (7, 0, 3),
    (0, 2): (8, 0, 2),
    (1, 2): (6, 0, 5),
    (2, 3): (9, 0, 1),
    (1, 3): (4, 0, 2),
    (0, 3): (5, 0, 1),
}


def test_without_ties_strengths_are_choixs():
    """choix 0.4.1: ``ilsr_pairwise(4, data)`` of the same wins."""
    found = bradley_terry(preferences(ROUND_ROBIN), 4)
    assert found.strength == pytest.approx([1.06178328, 0.08600437, 0.07008459, -1.21787224], abs=1e-8)
    assert found.tie == 0
    assert (found.reach > 0).all()


def test_two_systems_with_ties_by_hand():
    """The model has as many parameters as there are shares: it repeats 9 wins, 7 ties and 4 losses of 20."""
    found = bradley_terry(preferences({(0, 1): (9, 7, 4)}), 2)
    assert found.strength[0] - found.strength[1] == pytest.approx(math.log(9 / 4))
    assert found.tie == pytest.approx(7 / math.sqrt(9 * 4))
    assert found.preferred(0, 1) == pytest.approx(12.5 / 20)
    # The error of a log odds ratio of two counts: sqrt(1 / 9 + 1 / 4), and half of it for each strength.
    error = math.sqrt(20 / 19 * (1 / 9 + 1 / 4)) / 2
    assert found.reach == pytest.approx([2.0930240544 * error] * 2)


def test_expected_wins_and_ties_are_those_seen():
    """Where the likelihood is greatest its derivatives are 0: every system's wins, and all ties, are as expected."""
    counts = {(0, 1): (5, 3, 2), (1, 2): (4, 1, 4), (2, 0): (3, 3, 6)}
    found = bradley_terry(preferences(counts), 3)
    seen, expected, ties = np.zeros(3), np.zeros(3), [0.0, 0.0]
    for (i, j), (won, tied, lost) in counts.items():
        n, ahead = won + tied + lost, math.exp((found.strength[i] - found.strength[j]) / 2)
        whole = ahead + found.tie + 1 / ahead
        seen[[i, j]] += [won + tied / 2, lost + tied / 2]
        expected[[i, j]] += [n * found.preferred(i, j), n * found.preferred(j, i)]
        ties[0], ties[1] = ties[0] + tied, ties[1] + n * found.tie / whole
    np.testing.assert_allclose(expected, seen)
    assert ties[1] == pytest.approx(ties[0])
    assert found.strength.sum() == pytest.approx(0)


@settings(max_examples=50)
@given(st.lists(st.tuples(*[st.integers(1, 9)] * 3), min_size=6, max_size=6), st.permutations(range(4)))
def test_names_and_sides_move_nothing(times, order):
    pairs = [(i, j) for i in range(4) for j in range(i)]
    found = bradley_terry(preferences(dict(zip(pairs, times, strict=True))), 4)
    moved = {(order[j], order[i]): t[::-1] for (i, j), t in zip(pairs, times, strict=True)}
    other = bradley_terry(preferences(moved), 4)
    for field in ("strength", "reach"):
        np.testing.assert_allclose(getattr(other, field)[list(order)], getattr(found, field), atol=1e-7)


@pytest.mark.parametrize(
    ("counts", "systems", "absence"),
    [
        ({}, 1, "one-system"),
        ({(0, 1): (0, 4, 0)}, 2, "ties-alone"),
        ({(0, 1): (4, 0, 0)}, 2, "separated"),
        ({(0, 1): (4, 0, 2)}, 3, "separated"),
        ({(0, 1): (4, 0, 2), (0, 2): (3, 0, 0)}, 3, "separated"),
    ],
)
def test_strengths_that_would_be_infinite_have_a_reason(counts, systems, absence):
    found = bradley_terry(preferences(counts), systems)
    assert found.absence == absence
    assert np.isnan(found.strength).all()


def test_a_tie_leads_both_ways():
    assert bradley_terry(preferences({(0, 1): (4, 1, 0)}), 2).absence is None


def test_judgements_of_one_cluster_have_no_interval():
    given_ = preferences({(0, 1): (4, 1, 2)})
    found = bradley_terry(given_, 2, clusters=np.zeros(7, dtype=np.int64))
    assert found.absence == "one-unit"
    assert np.isfinite(found.strength).all()
    assert np.isnan(found.reach).all()


def test_copies_of_judgements_add_nothing_where_they_are_clustered():
    once = preferences(ROUND_ROBIN)
    n = len(once.outcome)
    copies = Preferences(*(np.repeat(part, 5) for part in once))
    alone = bradley_terry(once, 4)
    together = bradley_terry(copies, 4, clusters=np.repeat(np.arange(n), 5))
    np.testing.assert_allclose(together.reach, alone.reach)
    assert (bradley_terry(copies, 4).reach < alone.reach).all()


@pytest.mark.parametrize(
    ("given_", "match"),
    [
        (Preferences(np.array([0]), np.array([0]), np.array([1.0])), "two different systems"),
        (Preferences(np.array([0]), np.array([5]), np.array([1.0])), "2 systems"),
        (Preferences(np.array([0]), np.array([1]), np.array([0.7])), "0.5"),
        (Preferences(np.array([0, 1]), np.array([1]), np.array([0.5])), "two systems and an outcome"),
    ],
)
def test_judgements_that_cannot_be_are_refused(given_, match):
    with pytest.raises(ValueError, match=match):
        bradley_terry(given_, 2)


@pytest.mark.slow
def test_intervals_cover_where_raters_of_an_item_agree():
    """Six judgements an item that share its taste: taken as independent, 95 % intervals cover 91 %."""
    rng = np.random.default_rng(0)
    strengths, tie, items = np.array([0.8, 0.2, -0.3, -0.7]), 0.6, 60
    first, second = np.triu_indices(4, 1)

    def judged(items):
        unit = np.repeat(np.arange(items), 6)
        i, j = np.tile(first, items), np.tile(second, items)
        taste = strengths + rng.normal(size=(items, 4))
        ahead = np.exp((taste[unit, i] - taste[unit, j]) / 2)
        whole, drawn = ahead + tie + 1 / ahead, rng.random(len(unit))
        outcome = np.where(drawn < ahead / whole, 1.0, np.where(drawn < (ahead + tie) / whole, 0.5, 0.0))
        return Preferences(i, j, outcome), unit

    truth = bradley_terry(judged(40_000)[0], 4).strength
    held = {"clustered": [], "alone": []}
    for _ in range(300):
        given_, unit = judged(items)
        for name, clusters in (("clustered", unit), ("alone", None)):
            found = bradley_terry(given_, 4, clusters=clusters)
            held[name].append(np.abs(found.strength - truth) <= found.reach)
    assert np.mean(held["clustered"]) >= 0.93
    assert np.mean(held["alone"]) < 0.935


def test_a_system_that_ties_and_wins_and_never_loses_has_no_strength() -> None:
    """Its likelihood rises for ever, with the probability of ties: win : tie : loss = 1 : 5 : 0."""
    outcome = np.array([1.0, 0.5, 0.5, 0.5, 0.5, 0.5])
    found = bradley_terry(Preferences(np.zeros(6, dtype=np.int64), np.ones(6, dtype=np.int64), outcome), 2)
    assert found.absence == "separated"
