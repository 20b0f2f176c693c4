"""Each profile of BLEU against the tool it is named after, on real responses with one to four references."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dialeval import Bleu
from dialeval.catalogue import build
from dialeval.core import Floats, Signature
from dialeval.data.types import Example, Response
from dialeval.errors import DialevalError, Unsuitable
from dialeval.text.overlap import _Plain


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


ODD = [
    ("", ["a b"]),
    ("a", ["a"]),
    ("a b", ["a b", ""]),
    ("x", ["a b c"]),
    ("a b c d e", ["a b c d e"]),
    (" ", [""]),
]


@pytest.fixture(scope="module")
def examples(shared_data: Path) -> list[Example]:
    rows = (shared_data / "multirefeval" / "multireftest.json").read_text(encoding="utf-8").splitlines()
    turns = [turn for row in rows for turn in json.loads(row)["dialogue"]]
    five = [turn["responses"] for turn in turns if len(turn.get("responses", ())) == 5]
    real = [example(texts[0], *texts[1 : 2 + at % 4]) for at, texts in enumerate(five[:2500])]
    return real + [example(text, *references) for text, references in ODD]


def scores(metric: Bleu, examples: list[Example]) -> tuple[Floats, float]:
    rows = metric.statistics(examples)
    return metric.aggregate(rows), float(metric.aggregate(rows.sum(axis=0)))


@pytest.mark.parametrize("tokens", ["13a", "none", "intl", "char", "zh", "ja-mecab"])
@pytest.mark.parametrize("smoothing", ["exp", "floor", "add-k", "none"])
@pytest.mark.parametrize(("order", "lowercase"), [(4, False), (2, True)])
def test_sentence_and_corpus_scores_are_sacrebleus(
    examples: list[Example], tokens: Any, order: int, smoothing: Any, lowercase: bool
) -> None:
    sacrebleu = pytest.importorskip("sacrebleu.metrics.bleu", reason="needs dialeval[peers]")
    some = examples[-600:] if tokens == "13a" else examples[-150:]
    metric = Bleu(order, "sacrebleu", tokens, smoothing, lowercase)
    values, score = scores(metric, some)
    same = {"tokenize": tokens, "smooth_method": smoothing, "max_ngram_order": order}
    same |= {"lowercase": lowercase, "force": True}
    one = sacrebleu.BLEU(effective_order=True, **same)
    theirs = [one.sentence_score(e.response.text, list(e.references)).score for e in some]
    np.testing.assert_allclose(100 * values, theirs, rtol=1e-12, atol=1e-12)
    streams = [[e.references[at] if at < len(e.references) else None for e in some] for at in range(4)]
    corpus = sacrebleu.BLEU(**same).corpus_score([e.response.text for e in some], streams).score
    assert 100 * score == pytest.approx(corpus, rel=1e-12)


def test_a_whole_corpus_scores_as_in_sacrebleu(examples: list[Example]) -> None:
    sacrebleu = pytest.importorskip("sacrebleu.metrics.bleu", reason="needs dialeval[peers]")
    streams = [[e.references[at] if at < len(e.references) else None for e in examples] for at in range(4)]
    corpus = sacrebleu.BLEU(force=True).corpus_score([e.response.text for e in examples], streams).score
    assert 100 * scores(Bleu(profile="sacrebleu"), examples)[1] == pytest.approx(corpus, rel=1e-12)


# NLTK stops with an IndexError under method 6 and order 1 or 2; see test_method6_needs_three_grams.
@pytest.mark.parametrize(
    ("order", "method"),
    [(order, method) for order in (1, 2, 3, 4) for method in range(8) if method != 6 or order > 2],
)
def test_sentence_scores_are_nltks(examples: list[Example], order: int, method: int) -> None:
    nltk = pytest.importorskip("nltk.translate.bleu_score", reason="needs dialeval[peers]")
    smooth = getattr(nltk.SmoothingFunction(), f"method{method}")
    weights = (1 / order,) * order
    some = examples[-400:]
    values, score = scores(Bleu(order, "nltk", smoothing=f"method{method}"), some)  # type: ignore[arg-type]

    def theirs(one: Example) -> float:
        try:
            return float(nltk.sentence_bleu(*words(one), weights, smooth))
        except AssertionError:  # method6 without a 3-gram match
            return math.nan

    def words(one: Example) -> tuple[list[list[str]], list[str]]:
        return [text.split() for text in one.references], one.response.text.split()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NLTK warns of every length without a match
        np.testing.assert_allclose(values, [theirs(one) for one in some], rtol=1e-12, atol=1e-300)
        if method < 5:
            references, responses = zip(*map(words, some), strict=True)
            corpus = float(nltk.corpus_bleu(references, responses, weights, smooth))
            assert score == pytest.approx(corpus, rel=1e-12)


def test_methods_5_to_7_of_a_corpus_do_not_hang_on_its_last_example_as_nltks_do(
    examples: list[Example],
) -> None:
    for smoothing in ("method5", "method6", "method7"):
        metric = build(f"bleu(order=4,profile='nltk',smoothing={smoothing!r})")
        assert isinstance(metric, Bleu)
        some = examples[:300]
        assert scores(metric, some)[1] == pytest.approx(scores(metric, some[::-1])[1], rel=1e-12)
        # Of one example there is no difference between a corpus and a sentence.
        assert scores(metric, some[:1])[0][0] == pytest.approx(scores(metric, some[:1])[1], nan_ok=True)


def test_sentence_and_corpus_scores_are_nlgevals(examples: list[Example]) -> None:
    bleu = pytest.importorskip("pycocoevalcap.bleu.bleu", reason="needs dialeval[peers]")
    known = {at: list(one.references) for at, one in enumerate(examples)}
    given = {at: [one.response.text] for at, one in enumerate(examples)}
    corpus, single = bleu.Bleu(4).compute_score(known, given, verbose=0)
    for order in range(1, 5):
        values, score = scores(Bleu(order), examples)
        np.testing.assert_allclose(values, single[order - 1], rtol=1e-14, atol=0)
        assert score == corpus[order - 1]


def test_many_examples_score_as_few_do(examples: list[Example]) -> None:
    """The first items of a process are measured in plain Python, later ones in compiled loops."""
    again = [Example("i", "s", (), one.response, one.references) for one in examples[:500]]
    before, _Plain.items = _Plain.items, 0
    try:
        plain = Bleu().statistics(examples[:500])
        _Plain.items = 1 << 30
        np.testing.assert_array_equal(Bleu().statistics(again), plain)
    finally:
        _Plain.items = before


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("bleu(order=4,smoothing='exp')", "nlg-eval has its own constants"),
        (
            "bleu(order=4,profile='sacrebleu',smoothing='method1')",
            "expected 'exp' or 'floor' or 'add-k' or 'none'",
        ),
        ("bleu(order=4,profile='nltk',smoothing='exp')", "expected 'method0' or"),
        ("bleu(order=2,profile='nltk',smoothing='method6')", "needs order 3 or 4, found order 2"),
        ("bleu(order=4,profile='moses')", "expected 'nlgeval' or 'sacrebleu' or 'nltk'"),
        ("bleu(order=4,tokens='spm')", "expected 'whitespace' or '13a'"),
    ],
)
def test_settings_that_do_not_go_together_are_explained(name: str, complaint: str) -> None:
    with pytest.raises(DialevalError, match=complaint):
        build(name)


@pytest.mark.parametrize(
    "signature",
    [
        "bleu(order=4)|profile=nlgeval|tokens=whitespace|case=mixed|version=1",
        "bleu(order=4,profile='sacrebleu')|profile=sacrebleu|tokens=13a|smoothing=exp"
        "|effective_order=of-one-example|case=mixed|version=1",
        "bleu(order=2,profile='nltk',tokens='treebank',smoothing='method3',lowercase=True)"
        "|profile=nltk|tokens=treebank|smoothing=method3|case=lower|version=1",
    ],
)
def test_the_signature_spells_out_all_settings(signature: str) -> None:
    metric = build(Signature.parse(signature).call)
    assert str(metric.signature) == signature
    assert build(metric.signature.call) == metric


@pytest.mark.parametrize("profile", ["nlgeval", "sacrebleu", "nltk"])
def test_identical_texts_score_highest_and_no_shared_word_lowest(profile: Any) -> None:
    metric = Bleu(4, profile, "whitespace")
    values, score = scores(metric, [example("a b c d e", "x y", "a b c d e")])
    assert values[0] == score == pytest.approx(1, abs=1e-8)
    assert scores(metric, [example("a b c d e", "v w x y z")])[1] == pytest.approx(0, abs=1e-12)


def test_one_example_has_effective_order_and_two_have_not() -> None:
    two_words = example("a b", "a b")
    metric = Bleu(4, "sacrebleu", "none")
    assert scores(metric, [two_words])[0][0] == 1.0
    assert scores(metric, [two_words, two_words])[1] == 0.0


def test_japanese_without_its_tokeniser_would_score_by_accident() -> None:
    pytest.importorskip("MeCab", reason="needs MeCab; install dialeval[ja]")
    pair = example("今日はとても良い天気です", "今日はとても悪い天気です")
    assert scores(Bleu(4, "sacrebleu"), [pair])[1] == 0.0  # one word of 13a, and it differs
    assert scores(Bleu(4, "sacrebleu", "ja-mecab"), [pair])[1] > 0.3
    assert "mecab=0.996-IPA" in str(Bleu(4, "sacrebleu", "ja-mecab").signature)
