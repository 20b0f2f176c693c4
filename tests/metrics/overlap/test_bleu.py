from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from dialeval import Bleu
from dialeval.data.types import Example, Response
from dialeval.errors import DialevalError, Unsuitable


def example(text: str, *references: str) -> Example:
    return Example("i", "s", (), Response(text), references)


def score(order: int, *examples: Example) -> float:
    metric = Bleu(order)
    return float(metric.aggregate(metric.statistics(examples).sum(axis=0)))


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (1, 5 / 6),
        (2, (5 / 6 * 3 / 5) ** (1 / 2)),
        (3, (5 / 6 * 3 / 5 * 1 / 4) ** (1 / 3)),
        (4, (5 / 6 * 3 / 5 * 1 / 4 * 1e-15 / 3) ** (1 / 4)),  # no 4-gram matches: tiny, not 0
    ],
)
def test_orders_by_hand(order: int, expected: float) -> None:
    assert score(order, example("the cat sat on the mat", "the cat is on the mat")) == pytest.approx(
        expected, rel=1e-8
    )


@pytest.mark.parametrize(
    ("text", "references", "expected"),
    [
        ("the the the cat", ["the cat sat"], 2 / 4),  # repeats are clipped to one
        ("the the the cat", ["the cat sat", "the the dog"], 3 / 4),  # the most generous reference counts
        ("a b c d", ["a b c d e"], math.exp(1 - 5 / 4)),  # brevity penalty
        ("a b c d", ["a b c d e", "a b c"], 1.0),  # a tie in length goes to the shorter reference
        ("a b c d", ["a b c d e", "a"], math.exp(1 - 5 / 4)),  # the closest length, not the shortest
        ("A b", ["a b"], 1 / 2),  # case matters
        ("a, b", ["a , b"], 1 / 2 * math.exp(1 - 3 / 2)),  # punctuation is not split off
        ("a\t b\n", ["a b"], 1.0),
        ("x", ["a"], 1e-15),
        ("", ["a"], 0.0),
        ("a", [""], 1e-15),
        ("", [""], 0.0),
    ],
)
def test_unigrams_by_hand(text: str, references: list[str], expected: float) -> None:
    assert score(1, example(text, *references)) == pytest.approx(expected, rel=1e-8, abs=0)


def test_short_responses_score_little_even_when_right() -> None:
    # Three words have no 4-gram, and nlg-eval's 0 / 0 is 1e-15 / 1e-9.
    assert score(4, example("how are you", "how are you")) == pytest.approx((1e-6) ** (1 / 4), rel=1e-8)


def test_the_corpus_pools_counts_and_lengths() -> None:
    long, short = example("a b c d x", "a b c d e f g"), example("x", "a b")
    # 4 of 6 words match; lengths 6 and 9.
    assert score(1, long, short) == pytest.approx(4 / 6 * math.exp(1 - 9 / 6), rel=1e-8)


def test_nlg_evals_own_sentence() -> None:
    # "this is a good test": 4/5 unigrams, 2/4 bigrams, 1/3 trigrams, as its test-suite asserts to 5 places.
    sentence = example("this is a good test", "this is a test", "this is also a test")
    expected = {1: 0.799999, 2: 0.632455, 3: 0.5108729, 4: 9.03602e-05}
    assert {order: score(order, sentence) for order in expected} == pytest.approx(expected, abs=2e-6)


def test_every_value_nlg_eval_asserts(shared_data: Path) -> None:
    folder = shared_data / "nlg-eval"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    lines = [
        (folder / name).read_text(encoding="utf-8").splitlines()
        for name in ("hyp.txt", "ref1.txt", "ref2.txt")
    ]
    corpus = [example(text, *references) for text, *references in zip(*lines, strict=True)]
    cases = [(corpus, expected["corpus_example"])]
    cases += [([example(case["hyp"], *case["refs"])], case) for case in expected["individual"]]
    checked = 0
    for examples, case in cases:
        for order in range(1, 5):
            if f"Bleu_{order}" in case["expected"]:
                ours = score(order, *examples)
                assert ours == pytest.approx(
                    case["expected"][f"Bleu_{order}"], abs=0.5 * 10 ** -case["places"]
                )
                checked += 1
    assert checked >= 12


@pytest.mark.parametrize("order", [0, 5, -1])
def test_the_order_must_be_1_to_4(order: int) -> None:
    with pytest.raises(DialevalError, match=rf"'order' of bleu: found {order}, expected 1, 2, 3 or 4"):
        Bleu(order)


def test_examples_without_references_are_set_aside_or_refused() -> None:
    bare = example("a")
    assert Bleu().unscorable(bare) == "no references"
    assert Bleu().unscorable(example("a", "")) is None
    with pytest.raises(
        Unsuitable, match=r"bleu needs a reference for every example, but 1 of 2 have none \(first: 'i'\)"
    ):
        Bleu().statistics([bare, example("a", "a")])


def test_the_signature_spells_out_the_profile() -> None:
    assert str(Bleu(2).signature) == "bleu(order=2)|profile=nlgeval|tokens=whitespace|case=mixed|version=1"
