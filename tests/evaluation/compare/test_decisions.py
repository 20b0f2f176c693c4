"""Comparisons of two results: pairing, tests, verdicts, and refusals."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies as st

from dialeval.core import Resampling, Result
from dialeval.errors import Unsuitable
from dialeval.evaluation.compare import Comparison, compare, compare_all, compare_pairs
from support.paths import DOCS
from support.ratios import Ratio, Scored, of, result

NAN = math.nan


def two(n: int, gap: float, seed: int = 0) -> tuple[Result, Result]:
    rng = np.random.default_rng(seed)
    old = rng.normal(0.5, 0.1, n)
    return of("new", list(old + rng.normal(gap, 0.1, n))), of("old", list(old))


def test_a_clear_difference_is_found_and_named() -> None:
    new, old = two(200, 0.05)
    found = compare(new, old)
    gains = new.values - old.values
    assert (found.a, found.b, found.n, found.unpaired) == ("new", "old", 200, 0)
    assert found.basis.signature == "ratio(order=1)|case=lc|version=1"
    assert found.difference.value == pytest.approx(gains.mean())
    assert found.basis.score_a == pytest.approx(new.score)
    assert found.effect_size == pytest.approx(gains.mean() / gains.std(ddof=1))
    assert found.significant
    assert found.better == "new"
    assert found.more_items == 0
    assert found.p_mcnemar is None
    assert found.p_adjusted == found.p_permutation == pytest.approx(1 / 1001)
    assert found.p_bootstrap == pytest.approx(2 / 1001)
    assert (found.wins, found.ties, found.losses) == ((gains > 0).sum(), 0, (gains < 0).sum())
    assert found.sentence == (
        f"new is better than old by {found.difference.value:.4f} (95 % interval {found.difference.low:.4f} to "
        f"{found.difference.high:.4f}, p < 0.001)."
    )


def test_interval_and_p_agree_with_a_t_test_on_a_mean() -> None:
    new, old = two(120, 0.018, seed=3)
    found = compare(new, old, resampling=Resampling(resamples=10_000, seed=1))
    peer = scipy.stats.ttest_rel(new.values, old.values)
    low, high = peer.confidence_interval(0.95)
    assert (found.difference.low, found.difference.high) == pytest.approx((low, high), abs=0.001)
    assert found.p_permutation == pytest.approx(peer.pvalue, abs=0.012)
    assert found.p_bootstrap == pytest.approx(peer.pvalue, abs=0.02)


def test_noise_is_called_noise_with_a_way_out() -> None:
    # Differences +0.3 and -0.2 in turn: mean 0.05, standard error 0.25 / sqrt(39) = 0.0400,
    # so 40 (2.8016 x 0.0400 / 0.05)^2 = 202 items in all, 162 more; 40 (2.8016 x 0.0400 / 0.131)^2 = 30 at the far end.
    found = compare(of("new", [0.8, 0.3] * 20), of("old", [0.5] * 40))
    assert not found.significant
    assert found.better is None
    assert found.verdict == "undecided"
    assert found.more_items == 162
    assert (found.more_items_low, found.more_items_high) == (1, None)  # perhaps never
    assert found.largest == found.difference.high == pytest.approx(0.05 + 2.0227 * 0.04003, abs=1e-4)
    assert found.sentence == (
        "Undecided: new scores 0.050 higher than old (95 % interval -0.031 to 0.131, "
        f"p = {found.p_permutation:.3f}); the difference may be as large as 0.131."
    )


def test_more_items_shrink_to_none_needed_as_items_come() -> None:
    sizes = [compare(*two(n, 0.02, seed=4)) for n in (20, 1000)]
    assert sizes[0].more_items
    assert sizes[1].more_items == 0


def test_identical_systems() -> None:
    values = [0.1, 0.7, 0.7, 0.3] * 10
    found = compare(of("new", values), of("old", values))
    assert found.difference.value == 0
    assert (found.difference.bounds, found.absence, found.verdict) == (None, "constant", "undecided")
    assert found.p_bootstrap == found.p_permutation == 1
    assert found.effect_size == 0
    assert found.more_items is None
    assert (found.wins, found.ties, found.losses) == (0, 40, 0)
    assert found.better is None
    assert found.sentence == (
        "Undecided: new and old score the same on 40 items (no interval: nothing varies from item to item; p = 1.000)."
    )


def test_systems_that_tie_but_for_rounding_tie() -> None:
    found = compare(of("new", [0.1, 0.2, 0.0]), of("old", [0.0, 0.0, 0.3]))
    assert found.basis.score_a != found.basis.score_b  # 0.1 + 0.2 and 0.3, in binary
    assert found.difference.value == 0
    assert found.p_permutation == 1
    assert found.more_items is None


def test_where_lower_is_better_the_lower_system_wins() -> None:
    errors = Ratio("error_rate", higher_is_better=False)
    found = compare(of("new", [1.0, 2.0, 3.0] * 10, errors), of("old", [2.0, 3.0, 3.0] * 10, errors))
    assert found.difference.value == pytest.approx(-2 / 3)
    assert found.better == "new"
    assert (found.wins, found.ties, found.losses) == (20, 10, 0)
    assert found.effect_size is not None
    assert found.effect_size < 0
    assert found.sentence.startswith("new is better than old by 0.667 (95 % interval 0.467 to 0.846, p")


def test_a_description_has_no_better() -> None:
    length = Ratio("length", higher_is_better=None)
    found = compare(of("old", [3.0] * 30, length), of("new", [4.0, 5.0] * 15, length))
    assert found.significant
    assert found.better is None
    assert found.losses == 30
    assert found.sentence.startswith("new scores higher than old by 1.50 (95 % interval 1.")


def test_yes_no_measures_are_decided_by_mcnemar() -> None:
    new, old = [1.0] * 9 + [0.0] * 31, [0.0] * 8 + [1.0] + [0.0] * 30 + [1.0]
    found = compare(of("new", new), of("old", old))
    assert found.p_mcnemar == pytest.approx(scipy.stats.binomtest(8, 9).pvalue)  # 8 won, 1 lost
    assert found.p_adjusted == found.p_mcnemar
    assert found.significant


def test_mcnemar_stays_out_where_the_score_is_no_share_of_right_items() -> None:
    # Each value is 0 or 1, but items weigh by length: the pooled score is not their mean.
    a = result([Scored("x", "a", 9, 9), Scored("y", "a", 0, 1), Scored("z", "a", 0, 1)])
    b = result([Scored("x", "b", 0, 9), Scored("y", "b", 1, 1), Scored("z", "b", 0, 1)])
    assert compare(a, b).p_mcnemar is None


def test_mcnemar_stays_out_where_items_come_in_clusters() -> None:
    a, b = of("a", [1.0, 1.0, 0.0, 1.0]), of("b", [0.0, 0.0, 1.0, 1.0])
    assert compare(a, b).p_mcnemar == pytest.approx(1.0)
    odd = Resampling(group=lambda item: "odd" if int(item[-1]) % 2 else "even")
    assert compare(a, b, odd).p_mcnemar is None


def test_pooled_measures_are_compared_by_their_pooled_score() -> None:
    # By items a wins two of three; pooled it loses 3/12 to 8/12.
    a = result([Scored("x", "a", 1, 10), Scored("y", "a", 1, 1), Scored("z", "a", 1, 1)])
    b = result([Scored("x", "b", 8, 10), Scored("y", "b", 0, 1), Scored("z", "b", 0, 1)])
    found = compare(a, b)
    assert (found.basis.score_a, found.basis.score_b) == pytest.approx((3 / 12, 8 / 12))
    assert (found.wins, found.losses) == (2, 1)
    # The gaps 7, -1 and -1 of 12 add up to 5, 7, 7 or 9 under any signs: no assignment does less than ours.
    assert found.p_permutation == 1


def test_items_pair_by_id_whatever_their_order() -> None:
    new, old = two(60, 0.02)
    order = np.random.default_rng(1).permutation(60).tolist()
    shuffled = replace(
        old, items=tuple(old.items[at] for at in order), rows=old.rows[order], values=old.values[order]
    )
    assert compare(new, shuffled) == compare(new, old)


def test_items_without_a_partner_are_counted_and_left_out() -> None:
    a = result([Scored("x", "a", 1), Scored("y", "a", NAN), Scored("z", "a", 3), Scored("only-a", "a", 50)])
    b = result([Scored("z", "b", 1), Scored("y", "b", 9), Scored("x", "b", 1), Scored("only-b", "b", NAN)])
    found = compare(a, b)
    assert (found.n, found.unpaired) == (2, 3)
    assert (found.basis.score_a, found.basis.score_b) == (2, 1)


def test_clusters_are_the_units_of_every_test() -> None:
    # Two hundred items in only four dialogues that all agree: chance alone does so in 2 of 16 assignments.
    rng = np.random.default_rng(0)
    old = rng.random(200)
    a, b = of("a", list(old + 0.1 + rng.random(200) / 100)), of("b", list(old))
    assert compare(a, b).significant
    clustered = compare(
        a, b, resampling=Resampling(group=lambda item: item[-1:] if item[-1] in "012" else "rest")
    )
    assert clustered.p_permutation == 2 / 16
    assert not clustered.significant
    # Six clusters are the fewest that can reach 0.05, at 50 items each.
    assert clustered.more_items == 6 * 50 - 200


def test_one_pair_is_too_few_to_tell() -> None:
    found = compare(of("a", [2.0]), of("b", [1.0]))
    assert found.p_permutation == 1
    assert found.effect_size is None
    assert found.more_items is None
    assert found.sentence == (
        "Undecided: a scores 1.00 higher than b (no interval: a single item or dialogue shows no spread; p = 1.000)."
    )


def test_an_undefined_score_gives_no_verdict() -> None:
    a, b = (replace(of(name, [1.0, 1.0]), rows=np.zeros((2, 2))) for name in "ab")
    found = compare(a, b)
    assert found.difference.value is None
    assert found.p_adjusted is None
    assert not found.significant
    assert found.sentence == "Undecided: a or b has no defined score."


def test_confidence_sets_alpha_and_the_interval() -> None:
    new, old = two(50, 0.03)
    wide, narrow = (
        compare(new, old, resampling=Resampling(confidence=0.99)),
        compare(new, old, resampling=Resampling(confidence=0.9)),
    )
    assert (wide.basis.alpha, narrow.basis.alpha) == (0.01, 0.1)
    assert wide.basis.confidence == 0.99
    assert wide.difference.low < narrow.difference.low < narrow.difference.high < wide.difference.high
    assert "90 % interval" in narrow.sentence


def test_all_pairs_are_corrected_together() -> None:
    rng = np.random.default_rng(2)
    base = rng.random(80)
    results = [
        of(name, list(base + rng.normal(gap, 0.1, 80))) for name, gap in (("a", 0), ("b", 0.03), ("c", 0.06))
    ]
    pairs = compare_all(results)
    assert [(pair.a, pair.b) for pair in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    ps = sorted((pair.p_permutation, at) for at, pair in enumerate(pairs))
    running = 0.0
    for factor, (p, at) in zip((3, 2, 1), ps, strict=True):
        running = max(running, factor * p)
        assert pairs[at].p_adjusted == pytest.approx(min(1, running))
    alone = compare(results[0], results[1])
    assert pairs[0].p_permutation == alone.p_permutation
    assert any("after Holm's correction" in pair.sentence for pair in pairs)


def test_a_difference_that_correction_takes_away_needs_more_items() -> None:
    # Six of six items agree: p = 1/32 alone, but 6/32 among the six pairs of four systems.
    results = [of("a", [1.0] * 6), *(of(name, [0.9, 0.8] * 3) for name in "bcd")]
    assert compare(results[0], results[1]).more_items == 0
    pair = compare_all(results)[0]
    assert pair.p_adjusted == pytest.approx(6 / 32)
    assert not pair.significant
    assert pair.more_items == 2  # eight in all: 2^(1 - 8) < 0.05 / 6 <= 2^(1 - 7)


def test_chosen_pairs_are_corrected_among_themselves_and_one_alone_is_not() -> None:
    high, low = of("a", [1.0] * 6), of("b", [0.9, 0.8] * 3)
    (alone,) = compare_pairs([(high, low)])
    assert alone == compare(high, low)
    assert alone.p_adjusted == alone.p_permutation
    first, second = compare_pairs([(high, low), (low, high)])
    assert first.p_adjusted == second.p_adjusted == pytest.approx(2 / 32)


def test_pairs_that_share_nothing_are_left_out_of_all_pairs() -> None:
    lone = result([Scored("elsewhere", "lone", 1.0)])
    pairs = compare_all([of("a", [1.0, 2.0]), lone, of("b", [1.0, 2.0])])
    assert [(pair.a, pair.b) for pair in pairs] == [("a", "b")]
    assert compare_all([of("a", [1.0])]) == ()


def test_different_measures_are_refused_with_what_differs() -> None:
    with pytest.raises(
        Unsuitable, match=r"ratio\(order=1\).* and ratio\(order=2\).* differ in order \(1 and 2\)"
    ):
        compare(of("a", [1.0]), of("b", [1.0], Ratio(order=2)))
    with pytest.raises(Unsuitable, match=r"differ in name \(ratio and other\)"):
        compare_all([of("a", [1.0]), of("b", [1.0], Ratio("other"))])


def test_results_of_several_systems_are_refused() -> None:
    mixed = result([Scored("x", "a", 1), Scored("y", "b", 1)])
    with pytest.raises(Unsuitable, match=r"2 systems \(a, b\)"):
        compare(mixed, of("c", [1.0]))
    with pytest.raises(Unsuitable, match="no items"):
        compare(of("c", [1.0]), result([]))


def test_repeated_items_are_refused() -> None:
    twice = result([Scored("x", "a", 1), Scored("y", "a", 1), Scored("x", "a", 2)])
    with pytest.raises(Unsuitable, match=r"several values for one item \(first: 'x'\)"):
        compare(twice, of("b", [1.0]))


def test_no_resamples_are_refused() -> None:
    with pytest.raises(Unsuitable, match="found 0 resamples"):
        compare(of("a", [1.0]), of("b", [1.0]), resampling=Resampling(resamples=0))


def test_nothing_in_common_is_refused() -> None:
    with pytest.raises(Unsuitable, match=r"share no item .* 0 of 1 and 1 of 1 .* 1 ids are in both"):
        compare(of("a", [NAN]), of("b", [1.0]))


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=30),
    st.sampled_from([True, False, None]),
)
def test_swapping_the_systems_mirrors_everything(
    values: list[tuple[int, int]], direction: bool | None
) -> None:
    metric = Ratio(higher_is_better=direction)
    a, b = (
        of(name, list(map(float, side)), metric)
        for name, side in zip("ab", zip(*values, strict=True), strict=True)
    )
    forth, back = (
        compare(a, b, resampling=Resampling(resamples=60)),
        compare(b, a, resampling=Resampling(resamples=60)),
    )
    assert back.difference.value == -forth.difference.value
    assert (back.difference.bounds is None, back.absence) == (forth.difference.bounds is None, forth.absence)
    if forth.difference.bounds is not None:
        assert (back.difference.low, back.difference.high) == pytest.approx(
            (-forth.difference.high, -forth.difference.low)
        )
    assert [back.p_bootstrap, back.p_permutation, back.p_mcnemar] == [
        forth.p_bootstrap, forth.p_permutation, forth.p_mcnemar,
    ]  # fmt: skip
    assert (back.wins, back.ties, back.losses) == (forth.losses, forth.ties, forth.wins)
    assert back.effect_size == (None if forth.effect_size is None else pytest.approx(-forth.effect_size))
    assert (back.better, back.more_items, back.n) == (forth.better, forth.more_items, forth.n)
    assert back.sentence == forth.sentence or forth.difference.value == 0


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=30), st.integers(-50, 50)
)
def test_a_constant_added_to_both_changes_no_conclusion(values: list[tuple[int, int]], shift: int) -> None:
    def shifted(by: float) -> Comparison:
        a, b = ([v + by for v in side] for side in zip(*values, strict=True))
        return compare(of("a", a), of("b", b), resampling=Resampling(resamples=60))

    plain, moved = shifted(0.5), shifted(0.5 + shift)  # halves keep both clear of yes/no values
    assert moved.difference.value == pytest.approx(plain.difference.value, abs=1e-9)
    assert (moved.p_bootstrap, moved.p_permutation) == (plain.p_bootstrap, plain.p_permutation)
    assert (moved.wins, moved.ties, moved.losses) == (plain.wins, plain.ties, plain.losses)


def test_the_examples_of_the_docs_page_run(capsys: pytest.CaptureFixture[str]) -> None:
    page = (DOCS / "comparing.md").read_text(encoding="utf-8")
    exec("\n".join(re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)), {})
    assert capsys.readouterr().out.startswith("new is better than old by ")


def test_what_is_not_a_result_is_named():
    with pytest.raises(Unsuitable, match=r"Found dict, expected a Result.*compare\(new\['rouge_l'\]"):
        compare({}, {})  # type: ignore[arg-type]
