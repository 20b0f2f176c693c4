"""Verdicts on pairs: what survives the swap, shares with intervals, and raters beside each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialeval.core import Resampling
from dialeval.ratings.pairwise import PEOPLE, pairwise_results, settle
from dialeval.ratings.preferences import Preference

SIDES = ("a", "b")
CHOICES = ("a", "b", "tie", None)


def both(item: str, first: str | None, swapped: str | None, **more: object) -> list[Preference]:
    """A judge's verdicts on new and old: with new shown first, then with old first."""
    return [
        Preference(item, "judge", "new", "old", first, "a", **more),
        Preference(item, "judge", "old", "new", swapped, "a", **more),
    ]


@pytest.mark.parametrize(
    ("first", "swapped", "choice", "flipped"),
    [
        ("a", "b", "a", False),  # the same answer, wherever it stands
        ("a", "a", "tie", True),
        ("tie", "tie", "tie", False),
        ("tie", "b", "tie", True),
        ("b", "a", "b", False),
        (None, "b", None, False),
    ],
)
def test_a_verdict_counts_if_it_survives_the_swap(
    first: str | None, swapped: str | None, choice: str | None, flipped: bool
) -> None:
    (found,) = settle(both("q1", first, swapped))["judge"]
    assert (found.a, found.choice, found.flipped) == ("new", choice, flipped)


def test_shares_are_counted_by_hand() -> None:
    given = [*both("q1", "a", "b"), *both("q2", "a", "a"), *both("q3", "tie", "tie"), *both("q4", "b", "a")]
    given += both("q5", "a", None, reason="refused")
    (found,) = pairwise_results(given).raters
    (head,) = found.head_to_head
    assert (head.wins, head.ties, head.flips, head.losses) == (1, 2, 1, 1)
    assert head.win_rate[0::3] == (0.5, 4)
    assert found.first[0::3] == (5 / 7, 7)  # the lone verdict on q5 counts, ties do not
    assert found.flips[0::3] == (0.25, 4)
    assert (found.pairs, found.both_orders, found.unscored) == (4, 5, {"refused": 1})
    assert head.win_rate.low < 0.5 < head.win_rate.high
    assert found.longer.reason == found.slope.reason == "the lengths of the answers are not known"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(CHOICES), st.sampled_from(CHOICES)), min_size=3, max_size=12))
def test_exchanging_the_systems_mirrors_the_results(verdicts: list[tuple[str | None, str | None]]) -> None:
    rows = [row for n, two in enumerate(verdicts) for row in both(f"q{n}", *two)]
    mirror = {"a": "b", "b": "a", "tie": "tie", None: None}
    turned = [
        one._replace(a=one.b, b=one.a, choice=mirror[one.choice], first="b" if one.first == "a" else "a")
        for one in rows
    ]
    one, other = (pairwise_results(given).raters[0] for given in (rows, turned))
    assert (one.first, one.flips, one.pairs) == (other.first, other.flips, other.pairs)
    for head, mirrored in zip(one.head_to_head, other.head_to_head, strict=True):
        assert (head.a, head.wins, head.losses) == (mirrored.b, mirrored.losses, mirrored.wins)
        assert head.win_rate.value == pytest.approx(1 - mirrored.win_rate.value)


def test_people_and_judges_meet_in_one_table() -> None:
    rows = []
    for n in range(20):
        truth = "a" if n < 12 else "b"
        rows += [Preference(f"q{n}", who, "new", "old", truth) for who in ("ann", "ben")]
        rows.append(Preference(f"q{n}", "cem", "old", "new", "a"))
        rows += both(f"q{n}", truth, {"a": "b", "b": "a"}[truth] if n % 4 else truth)
    found = pairwise_results(rows)
    people, judge = found.raters
    assert (people.rater, people.head_to_head[0].wins, people.people) == (PEOPLE, 12, None)
    assert judge.people.right.value == 35 / 40
    assert judge.people.right_both.value == judge.people.equal.value == 0.75
    named = {(one.a, one.b): one for one in found.agreements}
    assert named["ann", "ben"].kappa[:3] == (1, None, None)
    assert named["ann", "ben"].kappa.reason == "it is the same whichever item is left out"
    assert named["ann", "ben"].equal.low < 1
    assert named["ann", "cem"].equal.value == 0.4
    assert ("ann", PEOPLE) not in named
    assert named["judge", PEOPLE].equal == judge.people.equal


def test_own_family_is_a_difference_of_differences() -> None:
    """Both find new better; what tells of bias is only by how much more the judge does."""
    rows = []
    for n in range(40):
        rows.append(Preference(f"q{n}", PEOPLE, "new", "old", "a" if n < 24 else "b"))
        rows += both(f"q{n}", *(("a", "b") if n < 34 else ("b", "a")))
    none, own, others = (
        pairwise_results(rows, own=names).raters[1].own_family for names in ((), ("new",), ("old",))
    )
    assert own.value == pytest.approx(10 / 40)
    assert own.low > 0
    assert others.value == pytest.approx(-10 / 40)
    assert none.reason == "no system was named as one of the judge's own family"


def test_a_judge_without_people_has_its_family_beside_other_judges() -> None:
    rows = [one for n in range(9) for one in both(f"q{n}", "a", "b")]
    alone = pairwise_results(rows, own=("new",)).raters[0].own_family
    assert alone.reason == "nobody else judged pairs of an own system and another"
    rows += [one._replace(rater="other", choice="tie") for one in rows]
    assert pairwise_results(rows, own=("new",)).raters[0].own_family.value == 0.5


def test_a_judge_of_chance_is_found_to_be_one() -> None:
    """Intervals of a judge that throws a coin, whose first share and win rate are .5 and flip rate is .5."""
    rng, covered = np.random.default_rng(5), np.zeros(3)
    for _ in range(200):
        rows = [one for n in range(60) for one in both(f"q{n}", *rng.choice(SIDES, 2))]
        (found,) = pairwise_results(rows).raters
        shares = (found.first, found.flips, found.head_to_head[0].win_rate)
        covered += [share.low <= 0.5 <= share.high for share in shares]
    assert (covered >= 0.92 * 200).all()


def test_most_of_three_judges_are_a_panel() -> None:
    rows = []
    for n in range(6):
        rows.append(Preference(f"q{n}", PEOPLE, "new", "old", "a"))
        for judge, choice in (("x", "a"), ("y", "a" if n else "b"), ("z", "b")):
            swapped = {"a": "b", "b": "a"}[choice]
            rows += [one._replace(rater=judge) for one in both(f"q{n}", choice, swapped)]
    found = {one.rater: one for one in pairwise_results(rows).raters}
    assert list(found) == [PEOPLE, "x", "y", "z", "panel"]
    assert found["panel"].people.equal.value == 5 / 6
    assert found["panel"].head_to_head[0].wins == 5
    assert found["panel"].flips.value is None
    assert [one.rater for one in pairwise_results(rows[:5]).raters] == [PEOPLE, "x", "y"]


def test_turns_of_a_dialogue_are_taken_together_and_cover() -> None:
    rng, covered = np.random.default_rng(0), {"auto": 0, "none": 0}
    for _ in range(120):
        taste = rng.normal(size=25)
        wins = rng.random((25, 6)) < 1 / (1 + np.exp(-1.5 * taste[:, None]))
        rows = [
            one
            for d in range(25)
            for t in range(6)
            for one in both(f"d{d}/{t}", *(("a", "b") if wins[d, t] else ("b", "a")))
        ]
        for cluster in covered:
            found = pairwise_results(rows, resampling=Resampling(cluster=cluster, resamples=0))
            rate = found.raters[0].head_to_head[0].win_rate
            covered[cluster] += rate.low <= 0.5 <= rate.high
    assert covered["auto"] >= 0.92 * 120
    assert covered["none"] < 0.85 * 120
