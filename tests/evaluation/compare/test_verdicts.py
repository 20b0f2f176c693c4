"""Verdicts: they follow from the corrected tests, over families that have a name, and keep their error rates."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialeval.core import Resampling, Result
from dialeval.errors import Unsuitable
from dialeval.evaluation.compare import add_first_look, compare, compare_all, compare_pairs, decide_families
from dialeval.stats import combined_p, looks
from support.ratios import of

FEW = Resampling(resamples=199)


def pair(shift: float, n: int = 60, seed: int = 0) -> tuple[Result, Result]:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=n)
    return of("a", list(values + shift + 0.3 * rng.normal(size=n))), of("b", list(values))


def test_the_four_verdicts():
    assert compare(*pair(0.3)).verdict == "better"
    assert compare(*reversed(pair(0.3))).verdict == "worse"
    assert compare(*pair(0.0)).verdict == "undecided"
    equal = compare(*pair(0.0), margin=0.3)
    assert (equal.verdict, equal.significant, equal.margin) == ("equivalent", False, 0.3)
    assert equal.p_equivalence < 0.05
    assert (equal.more_items, equal.more_items_low, equal.more_items_high) == (0, 0, 0)
    assert equal.sentence.startswith("a and b are equivalent within 0.3: ")
    small = compare(*pair(0.1, n=2000), margin=0.3)
    assert (small.verdict, small.significant) == ("equivalent", True)
    assert "significant and too small to matter" in small.sentence
    assert compare(*pair(0.3), margin=0.3).verdict == "better"


@pytest.mark.parametrize("margin", [0.0, -0.1, math.inf, math.nan])
def test_a_margin_is_a_number_above_zero(margin):
    with pytest.raises(Unsuitable, match="margin"):
        compare(*pair(0.1), margin=margin)


values = st.lists(st.tuples(*[st.integers(0, 6)] * 3, st.integers(0, 4)), min_size=1, max_size=25)


@given(values, st.sampled_from([None, 0.5, 2.0]), st.sampled_from(["auto", "none"]))
@settings(deadline=None, max_examples=60)
def test_a_verdict_is_what_its_tests_say(rows, margin, cluster):
    results = []
    for name, side in zip("abc", zip(*(row[:3] for row in rows), strict=True), strict=True):
        result = of(name, list(map(float, side)))
        ids = tuple(f"d{row[3]}/{place}" for place, row in enumerate(rows))
        results.append(dataclasses.replace(result, items=ids))
    resampling = dataclasses.replace(FEW, cluster=cluster)
    for c in compare_all(results, resampling, margin=margin):
        shown = c.p_equivalence is not None and c.p_equivalence < 0.05
        assert c.significant == (c.p_adjusted is not None and c.p_adjusted < 0.05)
        expected = "equivalent" if shown else "undecided"
        if c.significant and not shown:
            expected = "better" if c.difference.value > 0 else "worse"
        assert c.verdict == expected
        assert (c.better is not None) == c.significant
        assert (
            (c.difference.low is None)
            == (c.difference.high is None)
            == (c.largest is None)
            == (c.absence is not None)
        )
        if c.difference.low is not None:
            assert c.difference.low < c.difference.high
            assert c.largest == max(abs(c.difference.low), abs(c.difference.high))
        assert c.sentence.startswith("Undecided") == (c.verdict == "undecided")
        assert (c.more_items_low == 0) == (c.verdict != "undecided")
        assert c.family == 3
        assert (margin is None) == (c.margin is None)


def test_families_over_measures_are_corrected_together():
    systems = [of(name, list(np.random.default_rng(at).normal(size=40))) for at, name in enumerate("abc")]
    compared = [
        dataclasses.replace(c, measure=measure)
        for measure in ("bleu", "rouge_l")
        for c in compare_all(systems, FEW)
    ]
    raw = [c.p_value for c in compared]
    together = decide_families(compared)
    assert [(c.family, c.correction, c.role) for c in together] == [(6, "holm", None)] * 6
    assert all(new.p_adjusted >= old.p_adjusted for new, old in zip(together, compared, strict=True))
    assert [c.p_value for c in together] == raw
    again = decide_families(together)  # from raw p-values: deciding twice changes nothing
    assert again == together
    declared = decide_families(compared, primary="rouge_l", correction="bh")
    assert [(c.family, c.correction, c.role) for c in declared] == [
        *[(3, "bh", "exploratory")] * 3,
        *[(3, "holm", "confirmatory")] * 3,
    ]
    assert [c.p_adjusted for c in declared[3:]] == [c.p_adjusted for c in compared[3:]]
    assert decide_families([]) == ()


def test_a_difference_that_no_longer_stands_asks_for_more_items_again():
    found = compare(*pair(0.11, seed=2), FEW)
    assert found.significant
    assert found.more_items_low == 0
    weaker = [dataclasses.replace(found, measure=str(at)) for at in range(20)]
    (first, *_) = decide_families(weaker)
    assert (first.verdict, first.family) == ("undecided", 20)
    assert first.more_items_low > 0
    assert "after Holm's correction over 20 tests" in first.sentence


def test_d_z_has_the_sign_of_the_difference_and_is_cohens_for_means():
    a, b = pair(0.2)
    gains = a.values - b.values
    assert compare(a, b).effect_size == pytest.approx(gains.mean() / gains.std(ddof=1))
    thirds = Resampling(group=lambda item: str(int(item[1:]) % 20))
    assert compare(a, b, thirds).units == 20
    assert compare(a, b, thirds).effect_size == pytest.approx(compare(a, b).effect_size)


def test_turns_of_dialogues_do_not_make_false_claims():
    """Equal systems, ten turns of each of 20 dialogues at ICC .3: as independent items they differ far too often."""
    rng = np.random.default_rng(4)
    ids = tuple(f"d{place // 10}/{place % 10}" for place in range(200))
    claims = {"auto": 0, "none": 0}
    for _ in range(100):
        gain = np.repeat(rng.normal(scale=0.3**0.5, size=20), 10) + rng.normal(scale=0.7**0.5, size=200)
        a, b = (
            dataclasses.replace(of(name, list(v)), items=ids) for name, v in (("a", gain), ("b", 0 * gain))
        )
        for cluster in claims:
            claims[cluster] += compare(a, b, dataclasses.replace(FEW, cluster=cluster)).verdict != "undecided"
    assert claims["auto"] <= 10
    assert claims["none"] >= 20
    assert compare(a, b).design_effect > 2
    assert compare(a, b).units == 20


def test_systems_that_differ_by_the_margin_are_rarely_called_equivalent():
    shown = sum(
        compare(*pair(0.1, n=72, seed=seed), FEW, margin=0.1).verdict == "equivalent" for seed in range(300)
    )
    assert shown <= 0.08 * 300


def test_a_second_look_adds_the_evidence_of_the_first():
    """That two looks keep alpha is simulated with `stats.looks`; here they reach the verdict."""
    limits = looks()
    first = compare_pairs([pair(0.08, n=40, seed=4)], FEW, spent=limits.first)
    second = compare_pairs([pair(0.08, n=40, seed=5)], FEW, spent=limits.second)
    assert [c.verdict for c in (*first, *second)] == ["undecided", "undecided"]
    (both,) = decide_families(add_first_look(second, first))
    expected = combined_p(*((c.difference.value, c.p_permutation) for c in (*first, *second)))
    assert both.p_adjusted == expected < limits.second
    assert both.verdict == "better"
    assert (both.difference, both.p_permutation) == (second[0].difference, second[0].p_permutation)
    assert "of both looks" in both.sentence
    opposite = [dataclasses.replace(first[0], difference=-first[0].difference)]
    assert decide_families(add_first_look(second, opposite))[0].verdict == "undecided"


def test_looks_must_be_at_the_same_measures():
    one = compare_pairs([pair(0.1)], FEW)
    with pytest.raises(Unsuitable, match="the same measures"):
        add_first_look(one, [])
