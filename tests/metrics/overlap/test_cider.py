from __future__ import annotations

import json
import math
import pickle
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from pycocoevalcap.cider.cider import Cider as Pycocoevalcap

from dialeval import Cider
from dialeval.core import Missing
from dialeval.data import read
from dialeval.data.types import Example, Response
from dialeval.engine import Cache, ProcessPool
from dialeval.errors import Unsuitable
from dialeval.evaluation.compare import compare
from dialeval.evaluation.runner import Plan, evaluate


def corpus(*texts: tuple[str, ...]) -> list[Example]:
    """Examples of a response and its references each."""
    return [Example(str(at), "s", (), Response(given[0]), given[1:]) for at, given in enumerate(texts)]


def values(examples: list[Example]) -> np.ndarray:
    metric = Cider().fit(examples)
    return metric.aggregate(metric.statistics(examples))


def test_rare_words_weigh_more_by_hand() -> None:
    # Two items: "a" is in both (weight log 2 - log 2 = 0), the others in one (log 2). Item 0 shares x of x, y.
    examples = corpus(("a x", "a x y"), ("a z", "a z"))
    w = math.log(2)
    unigrams = w * w / (w * math.sqrt(2 * w * w))  # (x) against (x, y)
    bigrams = w * w / (w * math.sqrt(2 * w * w))  # (a x) against (a x, x y)
    penalty = math.exp(-1 / 72)  # one bigram less
    assert values(examples).tolist() == pytest.approx([10 * (unigrams + bigrams) / 4 * penalty, 10 * 2 / 4])


def test_repeats_are_clipped_by_hand() -> None:
    # x x against x y: min(2w, w) * w over 2w * sqrt(2) w; no bigram shared, equal lengths.
    examples = corpus(("x x", "x y"), ("z", "q"))
    assert values(examples)[0] == pytest.approx(10 / 4 / (2 * math.sqrt(2)))


def test_references_are_averaged_not_chosen() -> None:
    alone, both = corpus(("x y", "x y"), ("z", "q")), corpus(("x y", "x y", "k l"), ("z", "q"))
    assert values(both)[0] == pytest.approx(values(alone)[0] / 2)


def test_one_item_alone_scores_nothing() -> None:
    assert values(corpus(("this is a test", "this is a test"))).tolist() == [0.0]


@pytest.mark.parametrize(("text", "reference"), [("", "a b"), ("a b", ""), ("", ""), ("q", "a b")])
def test_nothing_shared_scores_nothing(text: str, reference: str) -> None:
    assert values(corpus((text, reference), ("z", "z")))[0] == 0.0


def test_nlg_evals_own_corpus(shared_data: Path) -> None:
    folder = shared_data / "nlg-eval"
    names = ("hyp.txt", "ref1.txt", "ref2.txt")
    lines = [(folder / name).read_text(encoding="utf-8").splitlines() for name in names]
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["corpus_example"][
        "expected"
    ]
    assert evaluate(Cider(), corpus(*zip(*lines, strict=True))).score == pytest.approx(
        expected["CIDEr"], abs=5e-7
    )


def oracle(examples: list[Example]) -> np.ndarray:
    references = {at: list(e.references) for at, e in enumerate(examples)}
    _, found = Pycocoevalcap().compute_score(
        references, {at: [e.response.text] for at, e in enumerate(examples)}
    )
    return np.array(found)


TEXTS = st.lists(st.sampled_from(["a", "b", "c", "D", "東京", "é,"]), max_size=7).map(" ".join)


@settings(max_examples=80, deadline=None)
@given(rows=st.lists(st.lists(TEXTS, min_size=2, max_size=4), min_size=1, max_size=6))
def test_any_corpus_scores_as_in_pycocoevalcap(rows: list[list[str]]) -> None:
    # Its own check of its counts trips over a corpus without any reference word.
    rows[0][1] += " x"
    examples = corpus(*map(tuple, rows))
    np.testing.assert_allclose(values(examples), oracle(examples), rtol=0, atol=1e-9)


def test_real_responses_score_as_in_pycocoevalcap(shared_data: Path) -> None:
    source = shared_data / "multirefeval" / "multireftest.json"
    prompts = [p for p, _ in zip(read(source, "prompt", format="multirefeval"), range(2000), strict=False)]
    said = [p.references[0] for p in prompts]
    random.Random(0).shuffle(said)
    examples = corpus(
        *((text, *p.references[at % 5 :]) for at, (text, p) in enumerate(zip(said, prompts, strict=True)))
    )
    np.testing.assert_allclose(values(examples), oracle(examples), rtol=0, atol=1e-9)


EXAMPLES = corpus(("a x", "a x y", "a q"), ("a z", "a z"), ("b z", "b", "z a"), ("new words", "a b"))


def test_the_runner_fits_it_and_says_to_what(tmp_path: Path) -> None:
    plain = evaluate(Cider(), EXAMPLES)
    assert plain.values.tolist() == values(EXAMPLES).tolist()
    assert plain.score == pytest.approx(plain.values.mean())
    ((name, digest),) = plain.provenance.resources
    assert (name, len(digest)) == ("cider reference corpus", 64)
    with ProcessPool(2) as pool:
        pooled = evaluate(Cider(), EXAMPLES, Plan(executor=pool, cache=Cache(tmp_path), batch_size=2))
    assert pooled.values.tobytes() == plain.values.tobytes()
    assert pooled.provenance == plain.provenance
    # The same batch in another corpus: the cache must not take one for the other.
    other = evaluate(Cider(), EXAMPLES[2:], Plan(cache=Cache(tmp_path), batch_size=2))
    assert other.values.tolist() == values(EXAMPLES[2:]).tolist() != plain.values[2:].tolist()
    assert other.provenance.resources != plain.provenance.resources


def test_the_order_of_the_corpus_and_of_references_changes_no_bit() -> None:
    turned = [Example(e.item, "s", (), e.response, e.references[::-1]) for e in EXAMPLES[::-1]]
    one, other = Cider().fit(EXAMPLES), Cider().fit(turned)
    assert one.resources == other.resources
    assert one.statistics(EXAMPLES).tobytes() == other.statistics(turned)[::-1].tobytes()


def test_several_systems_responses_to_an_item_count_as_one_document() -> None:
    both = EXAMPLES + [Example(e.item, "t", (), Response("z"), e.references) for e in EXAMPLES]
    assert Cider().fit(both).resources == Cider().fit(EXAMPLES).resources
    assert (
        Cider().fit(both).statistics(EXAMPLES).tolist() == Cider().fit(EXAMPLES).statistics(EXAMPLES).tolist()
    )


def test_items_without_reference_stay_out_of_the_corpus() -> None:
    bare = [Example("x", "s", (), Response("a")), Missing("y", "s", "no response")]
    result = evaluate(Cider(), EXAMPLES + bare)
    assert list(result.reasons.values()) == ["no references", "no response"]
    assert result.values[:4].tolist() == values(EXAMPLES).tolist()


def test_a_stream_is_refused_with_what_to_do() -> None:
    with pytest.raises(
        Unsuitable, match=r"cider must see every subject .* evaluate\(metric, list\(subjects\)\)"
    ):
        evaluate(Cider(), iter(EXAMPLES))


def test_unfitted_it_says_how_to_fit_it() -> None:
    with pytest.raises(Unsuitable, match=r"cider weighs n-grams .* fit\(examples\)"):
        Cider().statistics(EXAMPLES)


def test_results_fitted_to_different_corpora_are_not_compared() -> None:
    others = [Example(e.item, "t", (), Response("z"), e.references) for e in EXAMPLES]
    ours = evaluate(Cider(), EXAMPLES)
    assert compare(ours, evaluate(Cider(), others)).n == 4
    with pytest.raises(Unsuitable, match="s and t differ in cider reference corpus"):
        compare(ours, evaluate(Cider(), others[:3]))


def test_a_fitted_metric_travels_to_other_processes() -> None:
    metric = Cider().fit(EXAMPLES)
    again = pickle.loads(pickle.dumps(metric))
    assert again.resources == metric.resources
    assert again.statistics(EXAMPLES).tobytes() == metric.statistics(EXAMPLES).tobytes()


def test_the_signature_spells_out_the_profile() -> None:
    expected = "cider|profile=nlgeval|order=4|sigma=6|idf=references|tokens=whitespace|case=mixed|version=1"
    assert str(Cider().signature) == str(Cider().fit(EXAMPLES).signature) == expected
