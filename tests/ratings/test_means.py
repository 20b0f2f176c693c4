"""Mean ratings and differences: by hand, over shared items, for these raters and for others, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from dialeval import Judgement
from dialeval.core import Resampling
from dialeval.display.notes import codes
from dialeval.errors import UnknownName, Unsuitable
from dialeval.metrics.rows import mean_of_rows
from dialeval.ratings import Ratings, RatingScale
from dialeval.ratings.means import means_of
from dialeval.stats import holm
from dialeval.stats.resampling.intervals import interval_of

TINY = {  # (item, system): ratings by ana and ben
    ("q1", "new"): (4, 5),
    ("q2", "new"): (2, 3),
    ("q1", "old"): (3, 3),
    ("q2", "old"): (2, 1),
}


def ratings_of(table, criterion="fluency") -> Ratings:
    return Ratings.of(
        Judgement(item, system, rater, criterion, float(value))
        for (item, system), values in table.items()
        for rater, value in zip(("ana", "ben", "cleo", "dan"), values, strict=False)
        if value is not None
    )


def drawn(*, items=30, raters=3, gaps=(0.5, 0.0), taste=0.0, seed=0, item="q{}") -> Ratings:
    rng = np.random.default_rng(seed)
    tastes, difficulty = taste * rng.normal(size=(raters, len(gaps))), rng.normal(size=items)
    return Ratings.of(
        Judgement(
            item.format(i),
            f"s{s}",
            f"r{r}",
            "c",
            float(difficulty[i] + gap + tastes[r, s] + rng.normal() / 2),
        )
        for i in range(items)
        for r in range(raters)
        for s, gap in enumerate(gaps)
    )


def test_a_tiny_table_by_hand_for_these_raters():
    """Items differ by 1.5 and 1, so 1.25 ± 12.706 * 0.25, and t = 5 with one degree of freedom."""
    (found,) = means_of(ratings_of(TINY))
    assert [(one.system, one.mean.value, one.mean.n, one.ratings) for one in found.systems] == [
        ("new", 3.5, 2, 4),
        ("old", 2.25, 2, 4),
    ]
    (pair,) = found.differences
    assert (pair.a, pair.b, pair.difference.value) == ("new", "old", 1.25)
    assert pair.difference.low == pytest.approx(1.25 - 12.7062 * 0.25, abs=1e-4)
    assert pair.difference.high == pytest.approx(1.25 + 12.7062 * 0.25, abs=1e-4)
    assert pair.p_adjusted == pytest.approx(1 - 2 / math.pi * math.atan(5))
    assert (pair.verdict, pair.family, pair.correction) == ("undecided", 1, None)
    assert (pair.wins, pair.ties, pair.losses, pair.n) == (2, 0, 0, 2)


def test_the_same_table_by_hand_for_other_raters_too():
    """Ratings differ by 1, 2 / 0, 2: variances 1/16 by items, 9/16 by raters, 11/48 alone; the sum is below 9/16."""
    (found,) = means_of(ratings_of(TINY), raters="sampled")
    (pair,) = found.differences
    degrees = (9 / 16) ** 2 / ((1 / 16) ** 2 + (9 / 16) ** 2)
    assert pair.difference.value == pytest.approx(1.25)
    assert pair.difference.high - 1.25 == pytest.approx(stats.t.ppf(0.975, degrees) * 0.75)
    assert pair.p_adjusted == pytest.approx(2 * stats.t.sf(1.25 / 0.75, degrees))


def test_items_count_the_same_however_many_rated_them():
    table = {("q1", "a"): (5, 5, 5, 5), ("q2", "a"): (1,), ("q1", "b"): (2,), ("q2", "b"): (2, 2, 2)}
    for raters in ("fixed", "sampled"):
        (found,) = means_of(ratings_of(table), raters=raters)
        assert {one.system: pytest.approx(one.mean.value) for one in found.systems} == {"a": 3.0, "b": 2.0}
        assert found.differences[0].difference.value == pytest.approx(1.0)


def test_a_system_rated_on_easy_items_alone_does_not_win():
    """b has the two easy items only and loses both of them; over its own items its mean would be the higher one."""
    table = {("e1", "a"): (5,), ("e2", "a"): (4,), ("h1", "a"): (1,), ("h2", "a"): (1,)}
    (found,) = means_of(ratings_of({**table, ("e1", "b"): (4,), ("e2", "b"): (3,)}), scales=SCALE)
    assert [(one.system, one.mean.value) for one in found.systems] == [("a", 4.5), ("b", 3.5)]
    assert found.items == 2
    assert codes(found.notes) == ("shared_items", "one_rater")
    assert (found.differences[0].n, found.differences[0].unpaired) == (2, 2)


def test_systems_without_a_common_item_are_not_compared():
    table = {("q1", "a"): (5, 4), ("q1", "b"): (3, 2), ("q2", "c"): (3, 3), ("q3", "c"): (2, 3)}
    (found,) = means_of(ratings_of(table), scales=SCALE)
    assert [(pair.a, pair.b) for pair in found.differences] == [("a", "b")]
    assert codes(found.notes) == ("no_shared_item", "not_compared")
    assert (found.differences[0].difference.low, found.differences[0].absence) == (None, "one-unit")


def test_tastes_of_raters_count_only_where_raters_are_sampled():
    """Three raters whose liking differs by more than the systems do."""
    given = drawn(taste=1.0, gaps=(0.4, 0.0), seed=1)
    verdicts = {who: means_of(given, raters=who)[0].differences[0].verdict for who in ("fixed", "sampled")}
    assert verdicts == {"fixed": "better", "sampled": "undecided"}


def test_every_difference_of_every_criterion_is_one_family():
    one, other = drawn(gaps=(0.5, 0.2, 0.0)), ratings_of(TINY, "interest")
    found = means_of(Ratings.merge([one, other]))
    pairs = [pair for criterion in found for pair in criterion.differences]
    assert [pair.family for pair in pairs] == [4] * 4
    assert [pair.p_adjusted for pair in pairs] == pytest.approx(holm([pair.p_jackknife for pair in pairs]))
    declared = means_of(Ratings.merge([one, other]), primary="interest")
    assert [(c.differences[0].role, c.differences[0].family) for c in declared] == [
        ("exploratory", 3),
        ("confirmatory", 1),
    ]


def test_less_may_be_better():
    (found,) = means_of(drawn(), lower_is_better=["c"])
    (pair,) = found.differences
    assert [one.system for one in found.systems] == ["s1", "s0"]
    assert (pair.a, pair.verdict, pair.better) == ("s1", "better", "s1")
    assert pair.difference.value < 0


def test_turns_of_a_dialogue_are_left_out_together():
    given = drawn(items=40, item="d{0}/1")
    turned = Ratings.of(
        Judgement(f"d{int(given.items[i][1:-2]) // 4}/{i}", given.systems[s], given.raters[r], "c", v)
        for i, s, r, v in zip(
            *(column.tolist() for column in (given.item, given.system, given.rater, given.value)), strict=True
        )
    )
    for raters in ("fixed", "sampled"):
        (together,) = means_of(turned, raters=raters)
        (apart,) = means_of(turned, raters=raters, resampling=Resampling(cluster="none"))
        assert (together.clusters, apart.clusters) == (10, None)
        assert (together.differences[0].units, apart.differences[0].units) == (10, 40)
        assert together.differences[0].difference.low != apart.differences[0].difference.low
        assert together.differences[0].difference.value == pytest.approx(
            apart.differences[0].difference.value
        )


def test_ratings_that_are_all_alike_have_no_interval_of_width_zero():
    table = {(f"q{i}", system): (value, value) for i in range(5) for system, value in (("a", 4), ("b", 0))}
    for raters, p in (("fixed", 2.0**-4), ("sampled", 2.0**-1)):
        (found,) = means_of(ratings_of(table), raters=raters)
        assert [(one.mean.low, one.absence) for one in found.systems] == [(None, "constant")] * 2
        (pair,) = found.differences
        assert (pair.difference.low, pair.absence, pair.p_adjusted) == (None, "constant", p)


def test_what_has_no_means_or_differences_is_refused():
    one_system = ratings_of({("q1", "new"): (4, 5), ("q2", "new"): (2, 3)})
    with pytest.raises(Unsuitable, match=r"two systems rated on one criterion.*one system, 'new'"):
        means_of(one_system)
    one_rater = ratings_of({key: values[:1] for key, values in TINY.items()})
    with pytest.raises(Unsuitable, match="'fluency' has one rater, 'ana'"):
        means_of(one_rater, raters="sampled")
    with pytest.raises(UnknownName, match="criterion called 'fluncy'"):
        means_of(ratings_of(TINY), primary="fluncy")
    unnamed = Ratings.of(
        Judgement(item, system, f"#{n + 1}", "fluency", value)
        for (item, system), values in TINY.items()
        for n, value in enumerate(values)
    )
    with pytest.raises(Unsuitable, match="raters are not named"):
        means_of(unnamed, raters="sampled")


@pytest.mark.parametrize(("raters", "least", "most"), [("fixed", 0.3, 0.8), ("sampled", 0.0, 0.1)])
def test_equal_systems_are_called_different_as_often_as_promised(raters, least, most):
    """Tastes of sd 0.5, 3 raters, 40 items: tests of these raters are no tests of others."""
    false = [
        means_of(drawn(items=40, gaps=(0, 0), taste=0.5, seed=seed), raters=raters)[0]
        .differences[0]
        .significant
        for seed in range(60)
    ]
    assert least <= np.mean(false) <= most


FOUR = {  # (item, system): the rating by ana, on a scale of 1 to 5
    **{(f"q{i}", "new"): (value,) for i, value in enumerate((5, 5, 5, 4))},
    **{(f"q{i}", "old"): (value,) for i, value in enumerate((4, 1, 4, 4))},
}
SCALE = {"fluency": RatingScale(1, 5)}


@pytest.mark.parametrize("items", [2, 3, 4])
@pytest.mark.parametrize("raters", ["fixed", "sampled"])
def test_no_interval_leaves_the_scale_that_was_declared(items, raters):
    """Four items gave differences up to 5.9 and means up to 5.6 on a scale of 1 to 5."""
    table = {key: (value[0], max(1, value[0] - 1)) for key, value in FOUR.items() if key[0] < f"q{items}"}
    ((free,), (bounded,)) = (
        means_of(ratings_of(table), raters=raters, scales=scales) for scales in ({}, SCALE)
    )
    ends = [end for one in free.systems for end in one.mean.bounds or ()]
    assert max(ends) > 5 or min(ends) < 1
    for one, before in zip(bounded.systems, free.systems, strict=True):
        assert one.mean.value == before.mean.value
        assert 1 <= one.mean.low <= one.mean.value <= one.mean.high <= 5
    ((pair,), (before,)) = bounded.differences, free.differences
    assert (pair.difference.value, pair.p_adjusted) == (before.difference.value, before.p_adjusted)
    assert -4 <= pair.difference.low < pair.difference.value < pair.difference.high <= 4
    assert pair.largest <= 4
    assert "unknown_scale" in codes(free.notes)
    assert "unknown_scale" not in codes(bounded.notes)


def test_means_have_the_interval_that_measures_of_the_same_limits_have():
    (found,) = means_of(ratings_of(FOUR), scales=SCALE)
    values = np.array([5.0, 5.0, 5.0, 4.0])
    rows = np.column_stack([values, np.ones(4)])
    alike = interval_of(rows, mean_of_rows, limits=(1.0, 5.0)).estimate
    assert found.systems[0].mean[:3] == alike[:3]
    assert alike.low > 1


def test_ratings_that_are_all_the_highest_have_an_interval_on_a_declared_scale():
    table = {(f"q{i}", system): (value,) for i in range(10) for system, value in (("new", 5), ("old", 4))}
    (found,) = means_of(ratings_of(table), scales=SCALE)
    assert found.systems[0].mean[:3] == pytest.approx((5.0, 5 - 4 * (1 - 0.025 ** (1 / 10)), 5.0))


def test_ratings_inside_their_own_range_need_no_scale():
    (found,) = means_of(drawn())
    assert "unknown_scale" not in codes(found.notes)


def test_a_scale_that_ratings_leave_is_not_theirs():
    """The command refuses such ratings if the scale was given to it."""
    assert means_of(ratings_of(FOUR), scales={"fluency": RatingScale(1, 4)}) == means_of(ratings_of(FOUR))
