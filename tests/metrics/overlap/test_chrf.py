from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sacrebleu.metrics import CHRF

from dialeval import Chrf
from dialeval.data import read
from dialeval.data.types import Example, Response
from dialeval.errors import DialevalError, Unsuitable


def example(text: str, *references: str) -> Example:
    return Example("i", "s", (), Response(text), references)


def score(metric: Chrf, *examples: Example) -> float:
    return float(metric.aggregate(metric.statistics(examples).sum(axis=0)))


@pytest.mark.parametrize(
    ("text", "references", "expected"),
    [
        ("ab", ["ab"], 1.0),
        # P: 2/3 of a b c, 1/2 of ab bc; R: 2/2, 1/1; 3-grams are in no reference. F2 of P = 7/12, R = 1.
        ("abc", ["ab"], 5 * (7 / 12) / (4 * 7 / 12 + 1)),
        ("a b", ["ab"], 1.0),  # white space is left out
        ("aaa", ["a"], 5 * (1 / 3) / (4 / 3 + 1)),  # a counts once: P = 1/3, R = 1
        ("ab", ["xy", "ab"], 1.0),  # the best reference
        ("AB", ["ab"], 0.0),
        ("", ["a"], 0.0),
        ("a", [""], 0.0),
        ("", [""], 0.0),
        ("東京", ["東京"], 1.0),
    ],
)
def test_scores_by_hand(text: str, references: list[str], expected: float) -> None:
    assert score(Chrf(), example(text, *references)) == pytest.approx(expected, abs=1e-15)


def test_words_lose_one_punctuation_mark_as_in_sacrebleu() -> None:
    # "(hi)" is "(hi" and ")"; so only ")" of its words is in "hi )".
    shared = (3 / 4 + 1 / 2) / 2, (3 / 3 + 1 / 2) / 2
    assert score(Chrf(char_order=1, word_order=1), example("(hi)", "hi )")) == pytest.approx(
        5 * shared[0] * shared[1] / (4 * shared[0] + shared[1])
    )


TEXTS = st.text(alphabet=st.sampled_from("ab A,.\t\u3000é東\U0001f600"), max_size=12) | st.text(max_size=8)


@settings(max_examples=150, deadline=None)
@given(
    pairs=st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=4),
    word_order=st.sampled_from([0, 2]),
    lowercase=st.booleans(),
)
def test_any_text_scores_as_in_sacrebleu(
    pairs: list[tuple[str, list[str]]], word_order: int, lowercase: bool
) -> None:
    ours, theirs = (
        Chrf(word_order=word_order, lowercase=lowercase),
        CHRF(word_order=word_order, lowercase=lowercase),
    )
    examples = [example(text, *references) for text, references in pairs]
    assert_equal(ours, theirs, examples)


def assert_equal(ours: Chrf, theirs: CHRF, examples: list[Example]) -> None:
    rows = ours.statistics(examples)
    single = [theirs.sentence_score(e.response.text, list(e.references)).score for e in examples]
    np.testing.assert_allclose(ours.aggregate(rows), np.array(single) / 100, rtol=0, atol=1e-12)
    most = max(len(e.references) for e in examples)
    streams = [[dict(enumerate(e.references)).get(at) for e in examples] for at in range(most)]
    corpus = theirs.corpus_score([e.response.text for e in examples], streams).score
    assert float(ours.aggregate(rows.sum(axis=0))) == pytest.approx(corpus / 100, abs=1e-12)


@pytest.mark.parametrize("word_order", [0, 2])
def test_real_responses_score_as_in_sacrebleu(shared_data: Path, word_order: int) -> None:
    source = shared_data / "multirefeval" / "multireftest.json"
    prompts = [p for p, _ in zip(read(source, "prompt", format="multirefeval"), range(2000), strict=False)]
    said = [p.references[0] for p in prompts]
    random.Random(0).shuffle(said)
    examples = [example(text, *p.references) for text, p in zip(said, prompts, strict=True)]
    examples = [
        Example(e.item, e.system, (), e.response, e.references[at % 5 :]) for at, e in enumerate(examples)
    ]
    assert_equal(Chrf(word_order=word_order), CHRF(word_order=word_order), examples)


def test_ties_are_those_of_percentages_as_in_sacrebleu() -> None:
    # These two references differ in the last bit of a share, and not in percent.
    references = ["how many guests do you have ?", "do you have any pets ?"]
    (row,) = Chrf().statistics([example("why ?", *references)]).tolist()
    assert row[:3] == [4, 23, 4]


def test_of_equally_good_references_the_first_counts_as_in_sacrebleu() -> None:
    # Neither shares a character; the first has one, the second two.
    rows = Chrf(char_order=1).statistics([example("a", "b", "cc"), example("a", "cc", "b")])
    assert rows.tolist() == [[1, 1, 0, 1], [1, 2, 0, 1]]


def test_white_space_is_what_str_split_takes_for_it() -> None:
    everything = "".join(map(chr, range(0x11000)))
    rows = Chrf(char_order=1).statistics([example(everything, "a")])
    assert rows[0, 0] == len("".join(everything.split()))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"char_order": 0}, "'char_order' of chrf: found 0, expected a whole number from 1 to 10"),
        ({"word_order": -1}, "'word_order' of chrf: found -1, expected a whole number from 0 to 10"),
        ({"beta": 0.0}, "'beta' of chrf: found 0.0, expected a number above 0"),
    ],
)
def test_parameters_are_checked(options: dict[str, float], complaint: str) -> None:
    with pytest.raises(DialevalError, match=complaint):
        Chrf(**options)  # type: ignore[arg-type]


def test_examples_without_references_are_set_aside_or_refused() -> None:
    assert Chrf().unscorable(example("a")) == "no references"
    with pytest.raises(Unsuitable, match="chrf needs a reference for every example"):
        Chrf().statistics([example("a")])


def test_the_signature_spells_out_the_profile() -> None:
    assert str(Chrf(word_order=2).signature) == (
        "chrf(char_order=6,word_order=2,beta=2.0,lowercase=False)|profile=sacrebleu|whitespace=no|version=1"
    )
