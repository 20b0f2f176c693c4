from __future__ import annotations

from collections import Counter

from hypothesis import given, settings, strategies as st

from dialeval.text.ngrams.overlap import clipped_matches, count_ngrams, most_generous

WORDS = st.lists(st.sampled_from("abc"), max_size=9)


def test_ngrams_of_every_length_are_counted() -> None:
    assert count_ngrams(["a", "b", "a", "b"], 2) == {("a",): 2, ("b",): 2, ("a", "b"): 2, ("b", "a"): 1}


def test_a_text_shorter_than_the_order_has_only_the_short_ones() -> None:
    assert count_ngrams(["a"], 4) == {("a",): 1}
    assert count_ngrams([], 4) == {}


@settings(deadline=None)
@given(WORDS, st.integers(1, 4))
def test_a_text_has_one_ngram_per_starting_word(words: list[str], order: int) -> None:
    lengths = Counter({n: max(len(words) - n + 1, 0) for n in range(1, order + 1)})
    counted: Counter[int] = Counter()
    for ngram, count in count_ngrams(words, order).items():
        counted[len(ngram)] += count
    assert counted == lengths


def test_repeats_are_clipped_by_the_most_generous_text() -> None:
    limits = most_generous([count_ngrams(["the", "cat", "sat"], 2), count_ngrams(["the", "the", "dog"], 2)])
    assert limits["the",] == 2
    assert clipped_matches(count_ngrams(["the", "the", "the", "cat"], 2), limits, 2) == [3, 2]


@settings(deadline=None)
@given(WORDS, st.lists(WORDS, min_size=1, max_size=3), st.integers(1, 3))
def test_matches_agree_with_the_definition(words: list[str], references: list[list[str]], order: int) -> None:
    counts = count_ngrams(words, order)
    others = [count_ngrams(reference, order) for reference in references]
    expected = [0] * order
    for ngram, count in counts.items():
        expected[len(ngram) - 1] += min(count, max(other[ngram] for other in others))
    assert clipped_matches(counts, most_generous(others), order) == expected
