"""Lists drawn for raters, and their verdicts."""

from __future__ import annotations

import pytest

from dialeval.data.types import Judgement, NBest, Response, Turn
from dialeval.errors import DialevalError, Unsuitable
from dialeval.nbest.measuring.people import TIED, UNRATED, draw_lists, judge_by_people

CONTEXT = (Turn("assistant", "I have a dog."), Turn("user", "Tell me more."))


def given(item: str, *texts: str, system: str = "bot") -> NBest:
    return NBest(item, system, CONTEXT, tuple(map(Response, texts)))


def votes(item: str, *values: float | None, system: str = "bot", criterion: str = "contradictory"):
    return [Judgement(item, system, f"r{n}", criterion, value) for n, value in enumerate(values)]


def test_more_than_half_of_the_votes_decide_and_ties_and_gaps_settle_nothing():
    lists = [given("a", "x", "y"), given("b", "x"), given("c", "x"), given("d", "x", " ")]
    said = [
        *votes("a/1", 1, 1, 0),
        *votes("a/2", 0, 0, None),
        *votes("b/1", 1, 0),
        *votes("d/1", 0),
        *votes("a/3", 1),
    ]
    read = judge_by_people(lists, said)
    assert [(one.item, one.verdicts) for one in read.lists] == [
        ("a", ("contradictory", "consistent")),
        ("d", ("consistent", "contradictory")),  # a blank response answers nothing
    ]
    assert read.lists[0].probabilities == pytest.approx((2 / 3, 1.0))
    assert (dict(read.unjudged), read.strange) == ({TIED: 1, UNRATED: 1}, 1)


def test_responses_on_one_page_and_labels_of_errors_are_read_too():
    page = [*votes("a", 1, system="bot/1", criterion="m:contradictory"), *votes("a", 3, criterion="m")]
    page += votes("a", 0, system="bot/2", criterion="m:contradictory")
    (one,) = judge_by_people([given("a", "x", "y")], page).lists
    assert one.verdicts == ("contradictory", "consistent")


def test_other_criteria_and_scales_are_refused():
    with pytest.raises(Unsuitable, match="overall"):
        judge_by_people([given("a", "x")], votes("a/1", 1, criterion="overall"))
    assert judge_by_people([given("a", "x")], votes("a/1", 1, criterion="overall"), criterion="overall").lists
    with pytest.raises(DialevalError, match="as 4 under 'contradictory'"):
        judge_by_people([given("a", "x")], votes("a/1", 4))
    with pytest.raises(Unsuitable, match="settle none of 1 lists"):
        judge_by_people([given("a", "x")], votes("b/1", 1))


LISTS = [given(f"q{n:02}", "x", system=system) for system in ("bot", "other") for n in range(40)]
RIGHT = {(one.item, one.system): int(one.item[1:]) % 2 == 0 for one in LISTS if one.item != "q00"}


class TestDraws:
    def test_of_each_system_as_many_right_as_wrong(self):
        for drawn in draw_lists(LISTS, RIGHT, most=5):
            assert (len(drawn.right), len(drawn.wrong)) == (5, 5)
            assert all(RIGHT[one.item, drawn.system] for one in drawn.right)
            assert not any(RIGHT[one.item, drawn.system] for one in drawn.wrong)

    def test_a_draw_follows_from_the_seed_alone(self):
        first = draw_lists(LISTS, RIGHT, most=5, seed=3)
        assert draw_lists(LISTS[::-1], RIGHT, most=5, seed=3) == first[::-1]
        assert draw_lists(LISTS[40:], RIGHT, most=5, seed=3) == first[1:]
        assert draw_lists(LISTS, RIGHT, most=5, seed=4) != first
        assert [one.item for one in first[0].right] != [one.item for one in first[1].right]

    def test_every_list_is_as_likely_as_any_other(self):
        seen = dict.fromkeys((one.item for one in LISTS[:40] if one.item != "q00"), 0)
        for seed in range(400):
            (drawn,) = draw_lists(LISTS[:40], RIGHT, most=5, seed=seed)
            for one in (*drawn.right, *drawn.wrong):
                seen[one.item] += 1
        # 400 draws of 5 of 20 (or of 19): about 100 each, with a standard deviation below 9.
        assert min(seen.values()) > 60
        assert max(seen.values()) < 145

    def test_where_there_are_too_few_all_are_taken(self):
        (drawn,) = draw_lists([given("q1", "x"), given("q2", "y")], {("q1", "bot"): True}, most=5)
        assert ([one.item for one in drawn.right], drawn.wrong) == (["q1"], ())
