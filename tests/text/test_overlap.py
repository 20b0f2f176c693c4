"""Compiled and plain measuring give the same bits; what they give is checked by hand and by properties."""

from __future__ import annotations

import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialeval.text.overlap import (
    CLOSEST,
    COLUMNS,
    F1,
    ITEM,
    LENGTH,
    ORDERS,
    PRECISION,
    RECALL,
    Floats,
    Overlap,
    _kept,
    _Plain,
    clipped_matches,
    compiled_rows,
    count_ngrams,
    lcs_length,
    most_generous,
    overlap,
    plain_rows,
)
from dialeval.text.tokenisers import TOKENISERS, Tokens

Item = tuple[str, list[str]]
WORDS = [
    "a",
    "b",
    "c",
    "a b",
    ".",
    "..",
    ",",
    "-",
    "1",
    "2,3",
    '"',
    "&amp;",
    "<skipped>",
    "é",
    "東京",
    "İ",
    "🙂",
    "\u0301",
]
SPACES = ["", " ", " ", " ", "  ", "\t", "\n", "-\n", "\xa0", "\u3000"]
TEXT = st.lists(st.sampled_from(WORDS + SPACES), max_size=20).map("".join) | st.text(max_size=6)
LONG = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), min_size=60, max_size=200).map(" ".join)
ITEMS = st.lists(
    st.tuples(TEXT | LONG, st.lists(TEXT | LONG, min_size=1, max_size=3)), min_size=1, max_size=5
)


ITEMS_OF_ANY_LENGTH = st.lists(
    st.tuples(TEXT | LONG, st.lists(TEXT | LONG, min_size=1, max_size=6)), min_size=1, max_size=30
)


def flat(items: list[Item]) -> tuple[list[str], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    first = np.cumsum([0, *(1 + len(references) for _, references in items)])
    return [text for response, references in items for text in (response, *references)], first


def both(items: list[Item], tokens: Tokens) -> tuple[Floats, Floats]:
    texts, first = flat(items)
    plain, compiled = np.zeros((len(items), COLUMNS)), np.zeros((len(items), COLUMNS))
    plain_rows(texts, first, tokens, plain)
    compiled_rows(texts, first, tokens, compiled)
    return plain, compiled


def measured(*items: Item, tokens: Tokens = "whitespace", lowercase: bool = False) -> Overlap:
    texts, first = flat(list(items))
    return overlap(texts, first, tokens=tokens, lowercase=lowercase)


def test_an_item_by_hand() -> None:
    plain, compiled = both([("a b  a b c", ["b c a b", "a b a"])], "whitespace")
    np.testing.assert_array_equal(plain, compiled)
    # a twice from the second reference; a b once and b a once from it, b c from the first; a b a from the second.
    assert plain[0, :ORDERS].tolist() == [5, 3, 1, 0, 0]
    assert plain[0, LENGTH : LENGTH + ORDERS].tolist() == [5, 4, 3, 2, 1]
    assert (plain[0, CLOSEST], plain[0, ITEM]) == (4, 1)
    # By blanks the response has an empty word, the sixth.
    assert (plain[0, PRECISION], plain[0, RECALL]) == (3 / 6, 3 / 3)
    assert plain[0, F1] == 2 * (3 / 6) * 1 / (3 / 6 + 1)


@pytest.mark.parametrize("tokens", [name for name in TOKENISERS if name != "ja-mecab"])
@settings(max_examples=30, deadline=None)
@given(items=ITEMS)
def test_compiled_and_plain_rows_have_the_same_bits(tokens: Tokens, items: list[Item]) -> None:
    plain, compiled = both(items, tokens)
    np.testing.assert_array_equal(plain, compiled)


def test_real_lines_have_the_same_bits(real_lines: list[str]) -> None:
    lines = real_lines[:12_000]
    items = [(lines[at], lines[at + 1 : at + 1 + at % 3 + 1]) for at in range(0, len(lines) - 4, 4)]
    for tokens in ("whitespace", "13a", "google"):
        plain, compiled = both(items, tokens)
        np.testing.assert_array_equal(plain, compiled)


def test_very_long_texts_have_the_same_bits() -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(map(str, rng.integers(0, 40, size))) for size in (64, 65, 128, 700, 3000)]
    plain, compiled = both([(text, texts) for text in texts], "whitespace")
    np.testing.assert_array_equal(plain, compiled)
    assert plain[:, [PRECISION, RECALL, F1]].tolist() == [[1, 1, 1]] * 5


@settings(max_examples=30, deadline=None)
@given(items=ITEMS, extra=TEXT)
def test_another_reference_never_takes_matches_away(items: list[Item], extra: str) -> None:
    more = [(response, [*references, extra]) for response, references in items]
    fewer, full = both(items, "whitespace")[1], both(more, "whitespace")[1]
    assert (full[:, :ORDERS] >= fewer[:, :ORDERS]).all()
    assert (full[:, [PRECISION, RECALL, F1]] >= fewer[:, [PRECISION, RECALL, F1]]).all()


@settings(max_examples=30, deadline=None)
@given(items=ITEMS)
def test_items_do_not_touch_each_other(items: list[Item]) -> None:
    together = both(items, "13a")[1]
    alone = [both([item], "13a")[1][0] for item in items]
    np.testing.assert_array_equal(together, alone)


@settings(max_examples=30, deadline=None)
@given(items=ITEMS_OF_ANY_LENGTH, others=ITEMS_OF_ANY_LENGTH)
def test_what_was_measured_before_leaves_no_trace(items: list[Item], others: list[Item]) -> None:
    first = both(items, "whitespace")[1]
    both(others, "whitespace")
    np.testing.assert_array_equal(both(items, "whitespace")[1], first)


def test_threads_do_not_touch_each_other() -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(map(str, rng.integers(0, 9, size))) for size in rng.integers(1, 90, 400)]
    batches = [[(text, texts[at : at + 2])] * 20 for at, text in enumerate(texts[:200])]
    expected = [both(items, "whitespace")[0] for items in batches]
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda items: both(items, "whitespace")[1], batches))
    np.testing.assert_array_equal(results, expected)


def test_room_for_a_very_long_text_is_given_back() -> None:
    both([("a", ["b"])], "whitespace")
    assert _kept.room is not None
    both([("a " * 10_000, ["a"])], "whitespace")
    assert _kept.room is None


def test_a_long_reference_takes_no_room_of_a_response() -> None:
    both([("a", ["b " * 3000])], "whitespace")
    assert _kept.room is not None
    assert len(_kept.room.own.words) < 100


def test_an_interruption_leaves_no_trace() -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(map(str, rng.integers(0, 30, 12))) for _ in range(60_000)]
    items = [(text, [texts[at - 1]]) for at, text in enumerate(texts)]
    flattened, first = flat(items)
    expected = both(items[:500], "whitespace")[1]

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    interrupted = 0
    try:
        for delay in (0.03, 0.05, 0.07, 0.09, 0.11):
            signal.setitimer(signal.ITIMER_REAL, delay)
            try:
                compiled_rows(flattened, first, "whitespace", np.zeros((len(items), COLUMNS)))
            except KeyboardInterrupt:
                interrupted += 1
            signal.setitimer(signal.ITIMER_REAL, 0)
            np.testing.assert_array_equal(both(items[:500], "whitespace")[1], expected)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert interrupted


def test_case_is_folded_on_request() -> None:
    assert measured(("A b", ["a B"])).table[0, 0] == 0
    assert measured(("A b", ["a B"]), lowercase=True).table[0, :ORDERS].tolist() == [2, 1, 0, 0, 0]


def test_nothing_gives_nothing() -> None:
    shared = measured()
    assert shared.table.shape == (0, COLUMNS)
    assert shared.f1.shape == (0,)
    assert np.zeros((0, COLUMNS)).shape == both([], "whitespace")[1].shape


@pytest.mark.parametrize(("coming", "compiled"), [(0, False), (1_000_000, True)])
def test_items_are_measured_in_compiled_loops_as_soon_as_many_are_known_to_come(
    coming: int, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[str] = []
    for name in ("plain_rows", "compiled_rows"):
        monkeypatch.setattr(f"{overlap.__module__}.{name}", lambda *_, name=name: used.append(name))
    monkeypatch.setattr(_Plain, "items", 0)
    overlap(*flat([("a", ["a"])]), tokens="whitespace", coming=coming)
    assert used == ["compiled_rows" if compiled else "plain_rows"]


def test_more_items_than_fit_in_one_go() -> None:
    items: list[Item] = [(f"w{at % 7} x", [f"w{at % 5} x"]) for at in range(40_000)]
    shared = measured(*items)
    expected = [1.0 + (at % 7 == at % 5) for at in range(40_000)]
    assert shared.table[:, 0].tolist() == expected


COUNTED_WORDS = st.lists(st.sampled_from("abc"), max_size=9)


def test_ngrams_of_every_length_are_counted() -> None:
    assert count_ngrams(["a", "b", "a", "b"], 2) == {("a",): 2, ("b",): 2, ("a", "b"): 2, ("b", "a"): 1}


def test_a_text_shorter_than_the_order_has_only_the_short_ones() -> None:
    assert count_ngrams(["a"], 4) == {("a",): 1}
    assert count_ngrams([], 4) == {}


@settings(deadline=None)
@given(COUNTED_WORDS, st.integers(1, 4))
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
@given(COUNTED_WORDS, st.lists(COUNTED_WORDS, min_size=1, max_size=3), st.integers(1, 3))
def test_matches_agree_with_the_definition(words: list[str], references: list[list[str]], order: int) -> None:
    counts = count_ngrams(words, order)
    others = [count_ngrams(reference, order) for reference in references]
    expected = [0] * order
    for ngram, count in counts.items():
        expected[len(ngram) - 1] += min(count, max(other[ngram] for other in others))
    assert clipped_matches(counts, most_generous(others), order) == expected


@pytest.mark.parametrize(
    ("a", "b", "length"),
    [
        ("ABCBDAB", "BDCABA", 4),
        ("abc", "abc", 3),
        ("abc", "", 0),
        ("", "", 0),
        ("abc", "xyz", 0),
        ("aaa", "aa", 2),
    ],
)
def test_lengths_by_hand(a: str, b: str, length: int) -> None:
    assert lcs_length(a, b) == length


@settings(deadline=None)
@given(st.text(alphabet="abc", max_size=80), st.text(alphabet="abc", max_size=80))
def test_it_agrees_with_the_table_of_the_textbook(a: str, b: str) -> None:
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1][j + 1] = table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
    assert lcs_length(a, b) == lcs_length(b, a) == table[-1][-1]
