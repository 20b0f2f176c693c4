"""Preferences between systems: read from files, and turned into strengths."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.core import Resampling
from dialeval.errors import BadInput
from dialeval.ratings.preferences import ABSENT, Preference, read_preferences, strengths

WINS = {("s0", "s1"): (7, 3), ("s0", "s2"): (8, 2), ("s1", "s2"): (6, 5)}
WINS |= {("s2", "s3"): (9, 1), ("s1", "s3"): (4, 2), ("s0", "s3"): (5, 1)}


def round_robin() -> list[Preference]:
    pairs = [
        (*pair, choice)
        for pair, times in WINS.items()
        for choice, n in zip("ab", times, strict=True)
        for _ in range(n)
    ]
    return [Preference(f"i{n}", f"r{n % 5}", a, b, choice) for n, (a, b, choice) in enumerate(pairs)]


def test_strengths_are_choixs() -> None:
    """choix 0.4.1: ``ilsr_pairwise(4, data)`` of the same wins."""
    found = strengths(round_robin())
    expected = {"s0": 1.06178328, "s1": 0.08600437, "s2": 0.07008459, "s3": -1.21787224}
    assert {one.system: one.strength.value for one in found.systems} == pytest.approx(expected, abs=1e-8)
    assert [one.system for one in found.systems] == ["s0", "s1", "s2", "s3"]
    assert all(one.strength.low < one.strength.value < one.strength.high for one in found.systems)
    assert (found.systems[0].wins, found.systems[0].losses, found.tie) == (20, 6, 0)
    others = strengths(round_robin(), raters="sampled")
    assert all(
        wide.strength.low < one.strength.low for wide, one in zip(others.systems, found.systems, strict=True)
    )


def test_turns_of_a_dialogue_are_taken_together_and_cover() -> None:
    rng, covered = np.random.default_rng(0), {"auto": 0, "none": 0}
    for _ in range(150):
        taste = rng.normal(size=25)
        wins = rng.random((25, 6)) < 1 / (1 + np.exp(-1.5 * taste[:, None]))
        given = [
            Preference(f"d{d}/{t}", "ann", "new", "old", "a" if wins[d, t] else "b")
            for d in range(25)
            for t in range(6)
        ]
        for cluster in covered:
            system = strengths(given, resampling=Resampling(cluster=cluster)).systems[0]
            other = 0.0  # equal on average over dialogues
            covered[cluster] += system.strength.low <= other <= system.strength.high
    assert covered["auto"] >= 0.92 * 150
    assert covered["none"] < 0.85 * 150


@pytest.mark.parametrize(
    ("choices", "reason"),
    [(["a", "a"], "separated"), (["tie", "tie"], "ties-alone")],
)
def test_what_has_no_strength_has_a_reason(choices: list[str], reason: str) -> None:
    found = strengths([Preference(f"i{n}", "r", "x", "y", choice) for n, choice in enumerate(choices)])
    assert (found.systems[0].strength.value, found.reason) == (None, ABSENT[reason])


def test_files_name_sides_or_systems(tmp_path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("item,rater,a,b,choice\nq1,ann,new,old,A\nq1,ben,new,old,old\nq2,ann,old,new,Tie\n")
    assert [one.choice for one in read_preferences(path)] == ["a", "b", "tie"]
    path.write_text("a,b,choice\nnew,old,perhaps\n")
    with pytest.raises(BadInput, match="line 2, field 'choice': found 'perhaps', expected a, b or tie"):
        read_preferences(path)
    path.write_text("a,b,choice\nnew,new,a\n")
    with pytest.raises(BadInput, match="on both sides"):
        read_preferences(path)
