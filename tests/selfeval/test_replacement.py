from __future__ import annotations

import random

import pytest
from hypothesis import given, strategies as st

from dialeval.errors import Unsuitable
from dialeval.selfeval.replacement import (
    SIMPLE,
    Replacement,
    likely_source,
    random_source,
    replaced_samples,
)

DIALOGUES = [[f"{name}{number}" for number in range(8)] for name in "abc"]


def samples(settings: Replacement, turns: int = 8, seed: int = 0):  # type: ignore[no-untyped-def]
    source = random_source(DIALOGUES, 0)
    return replaced_samples(DIALOGUES[0][:turns], source, settings, random.Random(seed))


def test_two_rounds_have_three_levels_with_the_papers_scores() -> None:
    found = samples(SIMPLE, turns=4)
    assert {(sample.level, sample.score) for sample in found} == {(0, 1.0), (1, 0.5), (2, 0.0)}
    assert [len(sample.turns) for sample in found] == [4] * len(found)


def test_small_dialogues_have_every_set_of_places() -> None:
    # n!/(i!(n - i)!) sets of i of n places: 1, 3, 3, 1 for three rounds.
    found = samples(Replacement(rounds=3, per_level=10), turns=6)
    counts = [sum(sample.level == level for sample in found) for level in range(4)]
    assert counts == [1, 3, 3, 1]
    assert {round(sample.score, 6) for sample in found} == {1.0, round(2 / 3, 6), round(1 / 3, 6), 0.0}


@given(
    seed=st.integers(0, 10_000), speakers=st.sampled_from(["one", "any"]), last=st.sampled_from([0.0, 1.0])
)
def test_as_many_turns_are_strangers_as_the_level_says(seed: int, speakers: str, last: float) -> None:
    settings = Replacement(speakers=speakers, last_turn=last)  # type: ignore[arg-type]
    for sample in samples(settings, seed=seed):
        strangers = [place for place, turn in enumerate(sample.turns) if not turn.startswith("a")]
        assert len(strangers) == sample.level
        if speakers == "one":
            assert len({place % 2 for place in strangers}) <= 1
        if last and sample.level:
            assert strangers[-1] == len(sample.turns) - 1


def test_the_same_seed_gives_the_same_samples() -> None:
    assert samples(Replacement(), seed=5) == samples(Replacement(), seed=5)
    assert samples(Replacement(), seed=5) != samples(Replacement(), seed=6)


def test_late_places_can_count_more_and_the_scale_can_bend() -> None:
    settings = Replacement(late=2.0, curve=2.0)
    # Places weigh 1, 2, 4; without the last 3/7 are left, squared.
    assert settings.score([1.0, 2.0, 4.0], {2: 1}) == pytest.approx((3 / 7) ** 2)


def test_without_limits_a_dialogue_is_whole_and_has_every_version() -> None:
    found = samples(Replacement(most_rounds=None, per_level=None))
    assert {len(sample.turns) for sample in found} == {8}
    assert len(found) == 2**4 == Replacement(per_level=None).samples(4)


@given(seed=st.integers(0, 10_000), few=st.sampled_from([None, 1, 3]), last=st.sampled_from([0.0, 1.0]))
def test_near_turns_count_one_and_far_ones_two(seed: int, few: int | None, last: float) -> None:
    settings = Replacement(hardness="graded", per_level=few, near=0.25, last_turn=last)
    far, near = (lambda text, draw: f"far {draw.random()}"), (lambda text, draw: f"near {draw.random()}")
    found = replaced_samples(DIALOGUES[0], far, settings, random.Random(seed), near)
    places = max(sample.level for sample in found) // 2
    assert len(found) <= settings.samples(places)
    for sample in found:
        kinds = [turn.split()[0] for turn in sample.turns]
        assert 2 * kinds.count("far") + kinds.count("near") == sample.level
        assert sample.score == pytest.approx(1 - (kinds.count("far") + 0.25 * kinds.count("near")) / places)
        if last and sample.level:
            assert kinds[-1] in ("far", "near")


def test_short_dialogues_give_nothing() -> None:
    assert samples(SIMPLE, turns=3) == []
    assert samples(Replacement(), turns=2) == []


def test_one_dialogue_has_nobody_to_borrow_from() -> None:
    with pytest.raises(Unsuitable, match="at least 2"):
        random_source([["a"]], 0)


def test_turns_come_from_the_named_dialogues_only() -> None:
    source = random_source(DIALOGUES, 0, among=[0, 2])
    assert all(source("x", random.Random(seed)).startswith("c") for seed in range(20))


def test_the_nearest_of_some_turns_is_taken() -> None:
    source = likely_source(
        DIALOGUES, 0, lambda text, found: [float(turn == "b3") for turn in found], tries=200
    )
    assert source("a1", random.Random(0)) == "b3"
